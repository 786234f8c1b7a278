# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the assembler can say in .sframe of s390x code. Nothing of it runs.
	.text
	.globl	_start

	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined %r14
	lghi	%r11, 0
	brasl	%r14, frame
	j	.
	.cfi_endproc
	.size	_start, .-_start

# The usual frame: r11, r14 and r15 in the caller's save area.
frame:
	.cfi_startproc
	stmg	%r11, %r15, 88(%r15)
	.cfi_offset %r11, -72
	.cfi_offset %r12, -64
	.cfi_offset %r13, -56
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	lay	%r15, -168(%r15)
	.cfi_def_cfa_offset 328
	lgr	%r11, %r15
	.cfi_def_cfa_register %r11
	brasl	%r14, leaf
	lmg	%r11, %r15, 256(%r11)
	.cfi_restore %r15
	.cfi_restore %r14
	.cfi_restore %r13
	.cfi_restore %r12
	.cfi_restore %r11
	.cfi_def_cfa %r15, 160
	br	%r14
	.cfi_endproc

# The return address alone is saved; and the frame pointer alone.
ra_alone:
	.cfi_startproc
	stg	%r14, 112(%r15)
	.cfi_offset %r14, -48
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	brasl	%r14, leaf
	lg	%r14, 272(%r15)
	.cfi_restore %r14
	aghi	%r15, 160
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc

fp_alone:
	.cfi_startproc
	stg	%r11, 88(%r15)
	.cfi_offset %r11, -72
	nop
	lg	%r11, 88(%r15)
	.cfi_restore %r11
	br	%r14
	.cfi_endproc

# A leaf that keeps both in floating-point registers.
leaf:
	.cfi_startproc
	ldgr	%f4, %r11
	.cfi_register %r11, %f4
	ldgr	%f6, %r14
	.cfi_register %r14, %f6
	aghi	%r15, -168
	.cfi_def_cfa_offset 328
	nop
	lgdr	%r14, %f6
	.cfi_restore %r14
	lgdr	%r11, %f4
	.cfi_restore %r11
	aghi	%r15, 168
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc

# Offsets that need two and four bytes; one that is no multiple of eight.
words:
	.cfi_startproc
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	aghi	%r15, -0x1000
	.cfi_def_cfa_offset 0x1140
	agfi	%r15, -0x700000
	.cfi_def_cfa_offset 0x701140
	stg	%r14, 8(%r15)
	.cfi_offset %r14, -0x701138
	agfi	%r15, 0x701000
	.cfi_def_cfa_offset 320
	.cfi_restore %r14
	aghi	%r15, 160
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc
odd:
	.cfi_startproc
	aghi	%r15, -4
	.cfi_def_cfa_offset 164
	br	%r14
	.cfi_endproc

# Starts of rows of two bytes, and of four.
long16:
	.cfi_startproc
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	.rept	200
	nopr
	.endr
	aghi	%r15, 160
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc

long32:
	.cfi_startproc
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	.rept	40000
	nopr
	.endr
	aghi	%r15, 160
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc

# No code, and code without CFI: a hole in the table.
nothing:
	.cfi_startproc
	.cfi_endproc
hole:
	nopr
	nopr

# A CFA by another register.
other_cfa:
	.cfi_startproc
	lgr	%r10, %r15
	.cfi_def_cfa_register %r10
	aghi	%r15, -160
	nopr
	lgr	%r15, %r10
	.cfi_def_cfa_register %r15
	br	%r14
	.cfi_endproc

	nopr
signal_rows:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa_offset 320
	.cfi_offset %r11, -72
	.cfi_offset %r14, -48
	nopr
	.cfi_endproc

# Many: a search must find its way.
	.altmacro
	.macro	one n
	.cfi_startproc
	.if	\n % 3 == 0
	aghi	%r15, -(8 * (\n % 14) + 160)
	.cfi_def_cfa_offset 8 * (\n % 14) + 320
	nopr
	aghi	%r15, 8 * (\n % 14) + 160
	.cfi_def_cfa_offset 160
	.endif
	br	%r14
	.cfi_endproc
	.if	\n % 5
	nopr
	.endif
	.endm
	.set	i, 0
	.rept	60
	one	%i
	.set	i, i + 1
	.endr
