/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.text
	.globl	_start, outer, mid, leaf, spot
	.type	_start, @function
	.type	outer, @function
	.type	mid, @function
	.type	leaf, @function
_start:	.cfi_startproc
	.cfi_undefined rip
	xor	%ebp, %ebp
	mov	$37, %eax
	mov	$60, %edi
	syscall
	call	outer
	hlt
	.cfi_endproc
	.size	_start, . - _start
outer:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	sub	$48, %rsp
	call	mid
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	outer, . - outer
mid:	.cfi_startproc
	sub	$70008, %rsp		# needs 4-byte offsets
	.cfi_def_cfa_offset 70016
	call	leaf
	add	$70008, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	mid, . - mid
leaf:	.cfi_startproc
	sub	$1000, %rsp		# needs 2-byte offsets
	.cfi_def_cfa_offset 1008
	mov	$1, %eax
	mov	$1, %edi
	lea	ready(%rip), %rsi
	mov	$6, %edx
	syscall
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	leaf, . - leaf
	.section .rodata
ready:	.ascii	"READY\n"
	.section .note.GNU-stack, "", @progbits
