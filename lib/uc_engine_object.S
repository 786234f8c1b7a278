/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The compiled BPF programs, inside the library: one file to install. */
	.section .rodata
	.balign	8
	.globl	uc_engine_object, uc_engine_object_end
	.hidden	uc_engine_object, uc_engine_object_end
uc_engine_object:
	.incbin	UC_BPF_OBJECT
uc_engine_object_end:
	.section .note.GNU-stack, "", @progbits
