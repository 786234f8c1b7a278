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

	.globl	begin, nest, leaf
	.type	begin, @function
	.type	nest, @function
	.type	leaf, @function
leaf:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	READY
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	leaf, . - leaf
# Two states remembered one inside the other, each with another CFA.  At the
# call both have been taken back: CFA is rsp+48 and rbx is at cfa-16.
nest:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	sub	$32, %rsp
	.cfi_def_cfa_offset 48
	jmp	3f
	.cfi_remember_state
	mov	%rsp, %rbx
	.cfi_def_cfa rbx, 48
	sub	$400, %rsp
	nop
	.cfi_remember_state
	push	%rbp
	.cfi_def_cfa rbp, 16
	.cfi_offset rbp, -24
	.cfi_undefined rbx
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
3:	mov	$77, %ebx
	call	leaf
	add	$32, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	nest, . - nest
begin:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register rbx
	sub	$96, %rsp
	call	nest
	mov	%rbx, %rsp
	.cfi_def_cfa_register rsp
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
