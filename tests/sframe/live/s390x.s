# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# live/x86_64.s for s390x. The leaf keeps registers in floating-point ones.
	.ifdef	CFI
	.cfi_sections .eh_frame
	.else
	.cfi_sections .sframe
	.endif
	.text
	.globl	_start

	.macro	FUNCTION name
	.balign	2
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro	END name
	.cfi_endproc
	.size	\name, .-\name
	.endm

	FUNCTION _start
	.cfi_undefined %r14
	lghi	%r11, 0
	lghi	%r14, 0
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	lghi	%r2, 20
	brasl	%r14, plain_frame
	.word	0
	END	_start

# By the stack pointer; the frame pointer holds something else.
	FUNCTION plain_frame
	stmg	%r11, %r15, 88(%r15)
	.cfi_offset %r11, -72
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	aghi	%r15, -176
	.cfi_def_cfa_offset 336
	lghi	%r11, 0x1234
	aghi	%r2, -1
	jz	1f
	brasl	%r14, fp_frame
	j	2f
1:	brasl	%r14, leaf
2:	lmg	%r11, %r15, 264(%r15)
	.cfi_restore %r15
	.cfi_restore %r14
	.cfi_restore %r11
	.cfi_def_cfa_offset 160
	br	%r14
	END	plain_frame

# By the frame pointer: the stack pointer moves by what nobody can know.
	FUNCTION fp_frame
	stmg	%r11, %r15, 88(%r15)
	.cfi_offset %r11, -72
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	lgr	%r11, %r15
	.cfi_def_cfa_register %r11
	sllg	%r1, %r2, 4
	sgr	%r15, %r1
	aghi	%r2, -1
	jz	1f
	brasl	%r14, big_frame
	j	2f
1:	brasl	%r14, leaf
2:	lmg	%r11, %r15, 248(%r11)
	.cfi_restore %r15
	.cfi_restore %r14
	.cfi_restore %r11
	.cfi_def_cfa %r15, 160
	br	%r14
	END	fp_frame

# Large; the return address alone is saved.
	FUNCTION big_frame
	stg	%r14, 112(%r15)
	.cfi_offset %r14, -48
	agfi	%r15, -0x90a0
	.cfi_def_cfa_offset 0x9140
	mvghi	0(%r15), 0
	aghi	%r2, -1
	jz	1f
	brasl	%r14, plain_frame
	j	2f
1:	brasl	%r14, leaf
2:	agfi	%r15, 0x90a0
	.cfi_def_cfa_offset 160
	lg	%r14, 112(%r15)
	.cfi_restore %r14
	br	%r14
	END	big_frame

	FUNCTION leaf
	ldgr	%f4, %r11
	.cfi_register %r11, %f4
	ldgr	%f6, %r14
	.cfi_register %r14, %f6
	lghi	%r11, 0x1234
	lghi	%r14, 0x1234
	lghi	%r2, 60
	svc	27			# alarm
	lghi	%r2, 1
	larl	%r3, ready
	lghi	%r4, 6
	svc	4			# write
1:	j	1b
	END	leaf

	.section .rodata
	.balign	2
ready:	.ascii	"READY\n"
