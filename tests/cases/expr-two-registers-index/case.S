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

	.globl	begin, mont
	.type	begin, @function
	.type	mont, @function
# A frame of run-time size whose old rsp is stored at rsp + 8*r9 + 8, as in big
# number code: CFA = deref(rsp + 8 + r9*8) + 8.
mont:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	READY
	mov	%rsp, %rax
	.cfi_def_cfa_register rax
	mov	$37, %r9d
	lea	-16(,%r9,8), %rcx
	neg	%rcx
	lea	-64(%rsp,%rcx), %rsp
	and	$-1024, %rsp
	mov	%rax, 8(%rsp,%r9,8)
	.cfi_escape 0x0f, 10, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 16
	xor	%eax, %eax
	xor	%ebx, %ebx
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	mont, . - mont
begin:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register rbx
	sub	$64, %rsp
	call	mont
	mov	%rbx, %rsp
	.cfi_def_cfa_register rsp
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
