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

	.globl	begin, by_r12, by_rbx, by_r11
	.type	begin, @function
	.type	by_r12, @function
	.type	by_rbx, @function
	.type	by_r11, @function
# r11 for the innermost frame; rbx and r12 for its callers, both of which are
# overwritten further in and have to be restored on the way out.
by_r11:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset r12, -24
	READY
	lea	24(%rsp), %r11
	.cfi_def_cfa r11, 0
	sub	$1000, %rsp
	mov	$1, %ebx
	mov	$2, %r12d
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	by_r11, . - by_r11
by_rbx:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register rbx
	sub	$4000, %rsp
	and	$-64, %rsp
	call	by_r11
	mov	%rbx, %rsp
	.cfi_def_cfa_register rsp
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	by_rbx, . - by_rbx
by_r12:	.cfi_startproc
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset r12, -16
	mov	%rsp, %r12
	.cfi_def_cfa_register r12
	sub	$3000, %rsp
	and	$-64, %rsp
	call	by_rbx
	mov	%r12, %rsp
	.cfi_def_cfa_register rsp
	pop	%r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	by_r12, . - by_r12
begin:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	by_r12
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
