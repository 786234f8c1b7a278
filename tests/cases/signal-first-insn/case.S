/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.text
	.globl	begin, before, victim
	.type	begin, @function
	.type	before, @function
	.type	victim, @function
begin:	.cfi_startproc
	sub	$72, %rsp
	.cfi_def_cfa_offset 80
	call	victim
	add	$72, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
before:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	sub	$512, %rsp
	ud2
	.cfi_endproc
	.size	before, . - before
victim:	.cfi_startproc
	ud2			# the signal's pc is the first byte of victim
	ret
	.cfi_endproc
	.size	victim, . - victim
	.section .note.GNU-stack, "", @progbits
