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

	.globl	begin, die, next
	.type	begin, @function
	.type	die, @function
	.type	next, @function
	.type	ender, @function
die:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	READY
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	die, . - die
begin:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	ender
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
ender:	.cfi_startproc
	sub	$136, %rsp
	.cfi_def_cfa_offset 144
	call	die		# last instruction: the return address is 'next'
	.cfi_endproc
	.size	ender, . - ender
next:	.cfi_startproc
	ret
	.cfi_endproc
	.size	next, . - next
