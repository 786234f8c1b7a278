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

	.globl	begin, popper
	.type	begin, @function
	.type	popper, @function
# Takes its return address off the stack into a register, as vfork wrappers do.
popper:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	READY
	pop	%rbx
	.cfi_def_cfa_offset 8
	.cfi_restore rbx
	pop	%r8
	.cfi_def_cfa_offset 0
	.cfi_register rip, r8
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	popper, . - popper
begin:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	movq	$0, (%rsp)
	call	popper
	add	$40, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
