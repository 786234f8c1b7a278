# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the assembler can say in .sframe of x86-64 code. Nothing of it runs.
	.text
	.globl	_start

# The return address is undefined: the outermost frame.
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	xor	%ebp, %ebp
	call	rbp_frame
	hlt
	.cfi_endproc
	.size	_start, .-_start

# A frame pointer, and the rows of the epilogue.
rbp_frame:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	push	%rbx
	.cfi_offset rbx, -24
	call	no_fp
	pop	%rbx
	pop	%rbp
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	.cfi_endproc

# The stack pointer alone; a way out in the middle.
no_fp:
	.cfi_startproc
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset r12, -16
	sub	$40, %rsp
	.cfi_adjust_cfa_offset 40
	test	%edi, %edi
	jz	1f
	call	words
	.cfi_remember_state
	add	$40, %rsp
	.cfi_def_cfa_offset 16
	pop	%r12
	.cfi_def_cfa_offset 8
	ret
1:	.cfi_restore_state
	call	rbp_frame
	add	$40, %rsp
	.cfi_def_cfa_offset 16
	pop	%r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

# Words of one, two and four bytes in the rows of one function.
words:
	.cfi_startproc
	sub	$0x78, %rsp
	.cfi_def_cfa_offset 0x80
	nop
	sub	$0x700, %rsp
	.cfi_def_cfa_offset 0x780
	nop
	sub	$0x7000, %rsp
	.cfi_def_cfa_offset 0x7780
	nop
	sub	$0x700000, %rsp
	.cfi_def_cfa_offset 0x707780
	push	%rbp
	.cfi_def_cfa_offset 0x707788
	.cfi_offset rbp, -0x707788
	nop
	mov	0x707780(%rsp), %rbp
	.cfi_restore rbp
	add	$0x707780, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

# One state remembered within another.
nested:
	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	.cfi_remember_state
	push	%rax
	.cfi_def_cfa_offset 24
	.cfi_remember_state
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_restore_state
	nop
	.cfi_restore_state
	pop	%rax
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

# Starts of rows of two bytes, and of four.
long16:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	.skip	300, 0x90
	sub	$0x200, %rsp
	.cfi_def_cfa_offset 0x210
	.skip	300, 0x90
	add	$0x200, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore rbp
	ret
	.cfi_endproc

long32:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	.skip	70000, 0x90
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	.skip	70000, 0x90
	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	.cfi_endproc

# No code, and code without CFI: a hole in the table.
nothing:
	.cfi_startproc
	.cfi_endproc
hole:
	.skip	16, 0x90

no_words:
	.cfi_startproc simple
	nop
	ret
	.cfi_endproc

# Signal frames: one whose rows can be said, one by expressions.
	.skip	16, 0x90
signal_rows:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa rsp, 16
	.cfi_offset rip, -16
	nop
	.cfi_endproc
	.skip	16, 0x90
signal_expr:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_escape 0x0f, 0x04, 0x77, 0xa0, 0x01, 0x06	# CFA = *(rsp + 160)
	.cfi_escape 0x10, 0x10, 0x03, 0x77, 0xa8, 0x01	# rip at rsp + 168
	nop
	ret
	.cfi_endproc

# Saved in registers.
in_registers:
	.cfi_startproc
	pop	%rax
	.cfi_def_cfa_offset 0
	.cfi_register rip, rax
	mov	%rbp, %r12
	.cfi_register rbp, r12
	nop
	push	%rax
	.cfi_def_cfa_offset 8
	.cfi_offset rip, -8
	ret
	.cfi_endproc

# The return address elsewhere.
ra_moved:
	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	.cfi_offset rip, -16
	nop
	pop	%rax
	.cfi_def_cfa_offset 8
	.cfi_offset rip, -8
	ret
	.cfi_endproc

# A stack that is aligned on the way in, as GCC writes it.
drap:
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa r10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00	# rbp at rbp + 0
	push	%r10
	.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06	# CFA = *(rbp - 8)
	nop
	pop	%r10
	.cfi_def_cfa r10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc

# CFAs by other registers: pairs of words of two and of four bytes, too.
other_cfa:
	.cfi_startproc
	mov	%rsp, %rbx
	.cfi_def_cfa rbx, 8
	sub	$0x200, %rbx
	.cfi_def_cfa rbx, 0x208
	sub	$0x20000, %rbx
	.cfi_def_cfa rbx, 0x20208
	mov	%rsp, %r15
	.cfi_def_cfa r15, 8
	ret
	.cfi_endproc

# Many: a search must find its way.
	.altmacro
	.macro	one n
	.cfi_startproc
	.if	\n % 3 == 0
	sub	$8 * (\n % 14) + 8, %rsp
	.cfi_def_cfa_offset 8 * (\n % 14) + 16
	nop
	add	$8 * (\n % 14) + 8, %rsp
	.cfi_def_cfa_offset 8
	.endif
	ret
	.cfi_endproc
	.skip	1 + \n % 5, 0xcc
	.endm
	.set	i, 0
	.rept	120
	one	%i
	.set	i, i + 1
	.endr
