// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// live/x86_64.s for aarch64. One frame signs its return address, by
// instructions that older CPUs skip.
	.ifdef	CFI
	.cfi_sections .eh_frame
	.else
	.cfi_sections .sframe
	.endif
	.text
	.globl	_start

	.macro	FUNCTION name
	.type	\name, %function
\name:
	.cfi_startproc
	.endm
	.macro	END name
	.cfi_endproc
	.size	\name, .-\name
	.endm

	FUNCTION _start
	.cfi_undefined x30
	mov	x29, xzr
	mov	x30, xzr
	mov	w0, 20
	bl	plain_frame
	brk	0
	END	_start

// By the stack pointer; the frame pointer holds something else.
	FUNCTION plain_frame
	sub	sp, sp, 48
	.cfi_def_cfa_offset 48
	stp	x29, x30, [sp, 16]
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x29, 0x1234
	subs	w0, w0, 1
	b.eq	1f
	bl	fp_frame
	b	2f
1:	bl	leaf
2:	ldp	x29, x30, [sp, 16]
	.cfi_restore x30
	.cfi_restore x29
	add	sp, sp, 48
	.cfi_def_cfa_offset 0
	ret
	END	plain_frame

// By the frame pointer: the stack pointer moves by what nobody can know.
	FUNCTION fp_frame
	hint	25			// paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	ubfiz	x1, x0, 4, 16
	sub	sp, sp, x1
	subs	w0, w0, 1
	b.eq	1f
	bl	big_frame
	b	2f
1:	bl	leaf
2:	mov	sp, x29
	ldp	x29, x30, [sp], 16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa sp, 0
	hint	29			// autiasp
	.cfi_negate_ra_state
	ret
	END	fp_frame

// Larger than a word of two bytes says; the return address alone is saved.
	FUNCTION big_frame
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	sub	sp, sp, 0x9000
	.cfi_def_cfa_offset 0x9010
	str	xzr, [sp]
	subs	w0, w0, 1
	b.eq	1f
	bl	plain_frame
	b	2f
1:	bl	leaf
2:	add	sp, sp, 0x9000
	.cfi_def_cfa_offset 16
	ldr	x30, [sp], 16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	END	big_frame

// Returns to its caller by the register alone.
	FUNCTION leaf
	mov	x8, 103			// setitimer
	mov	x0, 0
	adr	x1, minute
	mov	x2, 0
	svc	0
	mov	x8, 64			// write
	mov	x0, 1
	adr	x1, ready
	mov	x2, 6
	svc	0
1:	yield
	b	1b
	END	leaf

	.balign	8
minute:	.quad	0, 0, 60, 0
ready:	.ascii	"READY\n"
	.balign	4
