# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the assembler can say in .sframe of aarch64 code. Nothing of it runs.
	.arch	armv8.3-a
	.text
	.globl	_start

	.type	_start, %function
_start:
	.cfi_startproc
	.cfi_undefined x30
	mov	x29, xzr
	bl	frame
	b	.
	.cfi_endproc
	.size	_start, .-_start

# The usual frame record.
frame:
	.cfi_startproc
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x29, sp
	.cfi_def_cfa_register x29
	bl	leaf
	ldp	x29, x30, [sp], 32
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa sp, 0
	ret
	.cfi_endproc

# The return address never leaves its register.
leaf:
	.cfi_startproc
	sub	sp, sp, 48
	.cfi_def_cfa_offset 48
	nop
	add	sp, sp, 48
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

# Rows of two words: the return address is saved, the frame pointer is not.
ra_alone:
	.cfi_startproc
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	bl	leaf
	ldr	x30, [sp], 16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

# ... and the other way round, which the format can not say.
fp_alone:
	.cfi_startproc
	str	x29, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	nop
	ldr	x29, [sp], 16
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

# A signed return address, by key A and by key B.
signed_a:
	.cfi_startproc
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	bl	leaf
	ldp	x29, x30, [sp], 16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc

signed_b:
	.cfi_startproc
	.cfi_b_key_frame
	pacibsp
	.cfi_negate_ra_state
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	bl	leaf
	ldr	x30, [sp], 16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	autibsp
	.cfi_negate_ra_state
	ret
	.cfi_endproc

# Words of one, two and four bytes; a way out in the middle.
words:
	.cfi_startproc
	sub	sp, sp, 112
	.cfi_def_cfa_offset 112
	stp	x29, x30, [sp, 96]
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	sub	sp, sp, 0x700
	.cfi_def_cfa_offset 0x770
	cbz	x0, 1f
	sub	sp, sp, 0x700, lsl 12
	.cfi_def_cfa_offset 0x700770
	.cfi_remember_state
	add	sp, sp, 0x700, lsl 12
	add	sp, sp, 0x700
	.cfi_def_cfa_offset 112
	ldp	x29, x30, [sp, 96]
	.cfi_restore x29
	.cfi_restore x30
	add	sp, sp, 112
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
1:	b	.
	.cfi_endproc

# Starts of rows of two bytes, and of four.
long16:
	.cfi_startproc
	sub	sp, sp, 16
	.cfi_def_cfa_offset 16
	.rept	100
	nop
	.endr
	add	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

long32:
	.cfi_startproc
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	.rept	20000
	nop
	.endr
	ldp	x29, x30, [sp], 16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

# No code, and code without CFI: a hole in the table.
nothing:
	.cfi_startproc
	.cfi_endproc
hole:
	nop
	nop

# A CFA by another register: none of the versions can say it here.
other_cfa:
	.cfi_startproc
	mov	x19, sp
	.cfi_def_cfa_register x19
	nop
	mov	sp, x19
	.cfi_def_cfa_register sp
	ret
	.cfi_endproc

	nop
signal_rows:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa sp, 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	nop
	.cfi_endproc

# Many: a search must find its way.
	.altmacro
	.macro	one n
	.cfi_startproc
	.if	\n % 3 == 0
	sub	sp, sp, 16 * (\n % 14) + 16
	.cfi_def_cfa_offset 16 * (\n % 14) + 16
	nop
	add	sp, sp, 16 * (\n % 14) + 16
	.cfi_def_cfa_offset 0
	.endif
	ret
	.cfi_endproc
	.if	\n % 5
	nop
	.endif
	.endm
	.set	i, 0
	.rept	60
	one	%i
	.set	i, i + 1
	.endr
