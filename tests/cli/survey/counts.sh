#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Counts are those of the assembly; each instruction below has its bytes beside it.
. "$(dirname "$0")/../record/prelude.inc"

cat >f.S <<'ASM'
	.globl _start
_start:	.cfi_startproc
	.cfi_undefined rip
	hlt				# 1: outermost
	.cfi_endproc
f:	.cfi_startproc
	push %rbp			# 1: rsp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov %rsp, %rbp			# 3: rsp
	.cfi_def_cfa_register rbp
	nop; nop; nop; nop; leave	# 5: rbp
	.cfi_def_cfa rsp, 8
	ret				# 1: rsp
	.cfi_endproc
g:	.cfi_startproc
	.cfi_def_cfa rbx, 8
	nop; nop			# 2: rbx
	.cfi_def_cfa r10, 8
	nop				# 1: r10
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06
	nop				# 1: *(rbp-8)
	.cfi_escape 0x0f, 3, 0x76, 0x70, 0x06
	ret				# 1: *(rbp-16)
	.cfi_endproc
ASM
gcc -nostdlib -static -Wl,-Ttext=0x401000 -o f f.S 2>/dev/null || skip "no gcc"

expect 0 "$UNCOIL" survey --json f
python3 - out <<'PY' || fail "other counts"
import json, sys
d = json.load(open(sys.argv[1]))
x = d["abi"]["x86-64"]
def is_(name, rows, bytes_, of=x):
    assert of[name] == {"rows": rows, "bytes": bytes_}, (name, of[name], rows, bytes_)
assert x["rows"] == 9 and x["bytes"] == 16 and x["functions"] == 3, x
is_("stack pointer + offset", 4, 6, x["cfa"])
is_("frame pointer + offset", 1, 5, x["cfa"])
is_("other register + offset", 2, 3, x["cfa"])
is_("expression or memory", 2, 2, x["cfa"])
assert x["expressions"] == {"*(rbp-N)": {"rows": 2, "bytes": 2}}, x["expressions"]
is_("stack pointer alone", 4, 6, x["walkable"])
is_("stack and frame pointer", 7, 13, x["walkable"])
is_("stack pointer and callee-saved", 8, 15, x["walkable"])
is_("all registers", 9, 16, x["walkable"])
is_("outermost", 1, 1)
is_("packable", 7, 14) # all but the expressions
assert x["rules"]["rbp"] == {"[cfa+N]": {"rows": 3, "bytes": 9}}, x["rules"]
PY
expect 0 "$UNCOIL" survey f
grep -q '^x86-64: 1 files, 3 functions, 9 rows, 16 bytes of code, 0 flaws$' out || fail "other text"
expect 2 "$UNCOIL" survey f no-such-file
expect 0 "$UNCOIL" survey --from sframe f
grep -q '1 files without' out || fail "a file without is not told"
expect 2 "$UNCOIL" survey
expect 2 "$UNCOIL" survey --from nowhere f
exit 0
