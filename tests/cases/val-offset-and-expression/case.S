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

	.globl	begin, pivot, onnew
	.type	begin, @function
	.type	pivot, @function
	.type	onnew, @function
	.bss
	.balign	64
	.space	131072
top:	.space	64
	.text
onnew:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	READY
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	onnew, . - onnew
# pivot moves to a stack of its own.  The CFA is fixed to the block on the new
# stack; the caller's rsp and rbx are VALUES that follow from what is saved there.
pivot:	.cfi_startproc
	lea	top(%rip), %rax
	mov	%rsp, 16(%rax)		# old rsp (points at the return address)
	mov	(%rsp), %rcx
	mov	%rcx, 8(%rax)		# copy of the return address
	lea	-2048(%rax), %rsp
	# CFA = rsp + 2048 = top
	.cfi_def_cfa rsp, 2048
	.cfi_offset rip, 8
	.cfi_escape 0x16, 7, 5, 0x23, 16, 0x06, 0x23, 8	# rsp: val_expression CFA+16, deref, +8
	.cfi_escape 0x14, 3, 0x7a	# rbx: val_offset (unsigned operand 122, times -8)
	call	onnew
	mov	2064(%rsp), %rsp
	.cfi_def_cfa rsp, 8
	.cfi_offset rip, -8
	ret
	.cfi_endproc
	.size	pivot, . - pivot
# begin's CFA hangs on rbx, whose value is top - 976 by the rule above
begin:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	lea	top(%rip), %rbx
	sub	$976, %rbx
	mov	%rsp, (%rbx)
	# CFA = deref(rbx) + 16
	.cfi_escape 0x0f, 5, 0x73, 0, 0x06, 0x23, 16
	call	pivot
	pop	%rbx
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	begin, . - begin
