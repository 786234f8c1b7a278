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

	.globl	begin, bare, leaf
	.type	begin, @function
	.type	bare, @function
	.type	leaf, @function
leaf:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	READY
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	leaf, . - leaf
bare:	push	%rbp			# no CFI, but a regular frame pointer
	mov	%rsp, %rbp
	sub	$176, %rsp
	call	leaf
	leave
	ret
	.size	bare, . - bare
begin:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	call	bare
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
