# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls through PLTs: a lazily bound one, whose rows repeat in blocks of 16
# bytes (PCMASK), and by the second name one that is bound at once (.plt.got).
	.text
	.globl	caller
	.type	caller, @function
caller:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	.irp	name, a, b, c, d, e, f, g, h
	call	ext_\name@PLT
	.endr
	mov	ext_got@GOTPCREL(%rip), %rax
	call	ext_got@PLT
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	caller, .-caller
