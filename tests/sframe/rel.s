# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Code in several sections, for the .sframe of a file that is not linked.
	.macro	function name room
\name:
	.cfi_startproc
	sub	$\room, %rsp
	.cfi_def_cfa_offset \room + 8
	nop
	add	$\room, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.endm

	.text
	.globl	_start
_start:
	function first 8
	function second 0x400
	.section .text.cold, "ax", @progbits
	function cold 0x18
	push	%rbx	# no CFI
	function colder 0x80000
	.section .text.hot, "ax", @progbits
hot:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	.skip	300, 0x90
	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	.cfi_endproc
	.text
	function third 0x28
