#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each kind of rule, as the .cfi directives ask for it.
. "$(dirname "$0")/prelude.inc"

assemble rules <<'S'
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	nop
	.cfi_endproc
	.size _start, . - _start
	.type saved, @function
saved:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	nop
	.cfi_def_cfa_register rbp
	.cfi_remember_state
	.cfi_offset rbx, -24
	.cfi_same_value r12
	.cfi_register r13, rax
	.cfi_undefined r14
	.cfi_val_offset rsp, 8
	nop
	.cfi_restore_state
	nop
	.cfi_def_cfa rsp, 0
	.cfi_restore rbp
	nop
	.cfi_endproc
	.size saved, . - saved
	.type expressions, @function
expressions:
	.cfi_startproc
	# DW_CFA_def_cfa_expression: breg6 -8, deref
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06
	# DW_CFA_expression rbx: the CFA, then plus_uconst 16, deref
	.cfi_escape 0x10, 3, 3, 0x23, 16, 0x06
	# DW_CFA_val_expression r12: breg7 8
	.cfi_escape 0x16, 12, 2, 0x77, 8
	nop
	# a branch is no formula: breg7 0, dup, bra 1, nop
	.cfi_escape 0x0f, 7, 0x77, 0, 0x12, 0x28, 1, 0, 0x96
	nop
	.cfi_endproc
	.size expressions, . - expressions
	.type handler, @function
	.cfi_startproc
	.cfi_signal_frame
	nop
handler:
	nop
	.cfi_endproc
	.size handler, . - handler
S
expect 0 "$UNCOIL" rows rules
[ ! -s err ] || fail "wrote to stderr"
is_text <<'T'
rules: .eh_frame, x86-64
401000-401001 _start
  401000-401001  CFA=rsp+8 ra=undefined
401001-401006 saved
  401001-401002  CFA=rsp+8 ra=[cfa-8]
  401002-401003  CFA=rsp+16 rbp=[cfa-16] ra=[cfa-8]
  401003-401004  CFA=rbp+16 rbx=[cfa-24] rbp=[cfa-16] rsp=cfa+8 r12=same r13=rax r14=undefined ra=[cfa-8]
  401004-401005  CFA=rbp+16 rbp=[cfa-16] ra=[cfa-8]
  401005-401006  CFA=rsp ra=[cfa-8]
401006-401008 expressions
  401006-401007  CFA=*(rbp-8) rbx=[*(cfa+16)] r12=rsp+8 ra=[cfa-8]
  401007-401008  CFA={breg7 0; dup; bra 1; nop} rbx=[*(cfa+16)] r12=rsp+8 ra=[cfa-8]
401008-40100a handler, signal frame
  401008-40100a  CFA=rsp+8 ra=[cfa-8]
T
expect 0 "$UNCOIL" rows --no-symbols rules
grep -q saved out && fail "--no-symbols shows symbols"
exit 0
