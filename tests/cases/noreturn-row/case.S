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

	.globl	begin, die, two_ways
	.type	begin, @function
	.type	die, @function
	.type	two_ways, @function
die:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	READY
spot:	pause
	jmp	spot
	.cfi_endproc
	.size	die, . - die
two_ways: .cfi_startproc
	test	%edi, %edi
	jz	1f
	.cfi_remember_state
	sub	$264, %rsp
	.cfi_def_cfa_offset 272
	call	die		# no return: the next row starts at the return address
	.cfi_restore_state
1:	ret
	.cfi_endproc
	.size	two_ways, . - two_ways
begin:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	mov	$1, %edi
	call	two_ways
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	begin, . - begin
