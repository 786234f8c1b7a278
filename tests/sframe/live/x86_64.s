# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Recursion through frames of three shapes to a leaf that spins, for a minute at
# most. Unwind data is .sframe alone; with --defsym CFI=1 .eh_frame alone.
	.ifdef	CFI
	.cfi_sections .eh_frame
	.else
	.cfi_sections .sframe
	.endif
	.text
	.globl	_start

	.macro	FUNCTION name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro	END name
	.cfi_endproc
	.size	\name, .-\name
	.endm

	FUNCTION _start
	.cfi_undefined rip
	xor	%ebp, %ebp
	mov	$20, %edi
	call	plain_frame
	ud2
	END	_start

# By the stack pointer; the frame pointer holds something else.
	FUNCTION plain_frame
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	sub	$24, %rsp
	.cfi_def_cfa_offset 40
	mov	$0x1234, %ebp
	dec	%edi
	jz	1f
	call	fp_frame
	jmp	2f
1:	call	leaf
2:	add	$24, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore rbp
	ret
	END	plain_frame

# By the frame pointer: the stack pointer moves by what nobody can know.
	FUNCTION fp_frame
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	mov	%edi, %eax
	shl	$4, %eax
	sub	%rax, %rsp
	dec	%edi
	jz	1f
	call	big_frame
	jmp	2f
1:	call	leaf
2:	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	END	fp_frame

# Larger than a word of two bytes says.
	FUNCTION big_frame
	sub	$0x9008, %rsp
	.cfi_def_cfa_offset 0x9010
	movl	$0, (%rsp)
	dec	%edi
	jz	1f
	call	plain_frame
	jmp	2f
1:	call	leaf
2:	add	$0x9008, %rsp
	.cfi_def_cfa_offset 8
	ret
	END	big_frame

	FUNCTION leaf
	mov	$37, %eax		# alarm
	mov	$60, %edi
	syscall
	mov	$1, %eax		# write
	mov	$1, %edi
	lea	ready(%rip), %rsi
	mov	$6, %edx
	syscall
1:	pause
	jmp	1b
	END	leaf

# Here, so that nobody has touched the page of the unwind data before the walk.
ready:	.ascii	"READY\n"
