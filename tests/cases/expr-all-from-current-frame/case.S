/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.macro	READY
	mov	$1, %eax
	mov	$1, %edi
	lea	ready(%rip), %rsi
	mov	$6, %edx
	syscall
	.endm
	.section .rodata
ready:	.ascii	"READY\n"
	.text
	.section .note.GNU-stack, "", @progbits
	.text

	.globl	begin, outer, inner, leaf
	.type	begin, @function
	.type	outer, @function
	.type	inner, @function
	.type	leaf, @function
leaf:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	READY
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	leaf, . - leaf
# Every saved register is given by an expression over rbp, rbp itself first:
# rbp at [rbp], rbx at [rbp-8], r12 at [rbp-16], r13 at [rbp-24].
inner:	.cfi_startproc
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	push	%r12
	push	%r13
	sub	$8, %rsp
	.cfi_escape 0x0f, 2, 0x76, 16		# CFA = rbp+16
	.cfi_escape 0x10, 6, 2, 0x76, 0
	.cfi_escape 0x10, 3, 2, 0x76, 0x78
	.cfi_escape 0x10, 12, 2, 0x76, 0x70
	.cfi_escape 0x10, 13, 2, 0x76, 0x68
	.cfi_escape 0x10, 16, 2, 0x76, 8
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	call	leaf
	ud2
	.cfi_endproc
	.size	inner, . - inner
outer:	.cfi_startproc
	push	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset r13, -16
	push	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset rbp, -24
	mov	%rsp, %r13
	.cfi_def_cfa_register r13
	sub	$208, %rsp
	mov	$0x1234, %ebp
	call	inner
	ud2
	.cfi_endproc
	.size	outer, . - outer
begin:	.cfi_startproc
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset r12, -16
	mov	%rsp, %r12
	.cfi_def_cfa_register r12
	sub	$64, %rsp
	call	outer
	mov	%r12, %rsp
	.cfi_def_cfa_register rsp
	pop	%r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
