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

	.globl	begin, dr
	.type	begin, @function
	.type	dr, @function
# Comes to rest inside a realigning prologue, where only r10 knows the CFA.
dr:	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa r10, 0
	and	$-256, %rsp
	sub	$4096, %rsp
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	dr, . - dr
begin:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov	$-1, %rbx
	READY
	call	dr
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
