#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --at gives a function's rows, or the one that holds at an address. What they
# must be is what the assembly says.
. "$(dirname "$0")/../record/prelude.inc"

cat >f.S <<'ASM'
	.globl _start, f, alias
	.type f, @function
	.type _ZN1a1bEi, @function
_start:	.cfi_startproc
	.cfi_undefined rip
	hlt
	.cfi_endproc
f:
alias:	.cfi_startproc
	push %rbx			# 1 byte
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	push %rbp
	.cfi_def_cfa_offset 24
	.cfi_escape 0x10, 6, 2, 0x77, 8	# rbp is at rsp+8
	mov %rsp, %rbp			# 3 bytes
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06	# the CFA is *(rbp-8)
	nop
	.cfi_val_offset r12, -32
	.cfi_register r13, r9
	.cfi_same_value r14
	.cfi_undefined r15
	hlt
	.cfi_endproc
	.size f, .-f
_ZN1a1bEi: .cfi_startproc
	.cfi_signal_frame
	hlt
	.cfi_endproc
ASM
gcc -nostdlib -static -Wl,-Ttext=0x401000 -o f f.S 2>/dev/null || skip "no gcc"

expect 0 "$UNCOIL" rows --at f f
cat >want <<'TEXT'
f: .eh_frame, x86-64
401001-401008 f, FDE at 0x30
  401001-401002  CFA=rsp+8 ra=[cfa-8]
  401002-401003  CFA=rsp+16 rbx=[cfa-16] ra=[cfa-8]
  401003-401006  CFA=rsp+24 rbx=[cfa-16] rbp=[rsp+8] ra=[cfa-8]
  401006-401007  CFA=*(rbp-8) rbx=[cfa-16] rbp=[rsp+8] ra=[cfa-8]
  401007-401008  CFA=*(rbp-8) rbx=[cfa-16] rbp=[rsp+8] r12=cfa-32 r13=r9 r14=same r15=undefined ra=[cfa-8]
TEXT
# the assembler may put the FDEs' records elsewhere, and pick either name
sed -i 's/FDE at 0x[0-9a-f]*/FDE/; s/ alias,/ f,/' out
sed -i 's/FDE at 0x[0-9a-f]*/FDE/' want
cmp -s out want || fail "other rows: $(diff want out)"
cp out whole

expect 0 "$UNCOIL" rows --at alias f
sed -i 's/FDE at 0x[0-9a-f]*/FDE/; s/ alias,/ f,/' out
cmp -s out whole || fail "an alias is another function"

row() {
	expect 0 "$UNCOIL" rows --at "$1" f
	[ "$(grep -c '^  ' out)" = 1 ] || fail "$1: not one row"
	grep -q "^  $2  " out || fail "$1: not the row $2"
}
row f+0 401001-401002
row f+1 401002-401003
row f+0x4 401003-401006
row 0x401002 401002-401003
row 0x401007 401007-401008
row '_ZN1a1bEi+0' 401008-401009
grep -q 'signal frame' out || fail "no signal frame"
expect 0 "$UNCOIL" rows --at 'a::b(int)' f
grep -q '^401008-401009 a::b(int), FDE' out || fail "no demangled name"

expect 1 "$UNCOIL" rows --at 0x500000 f
grep -q 'nothing covers 0x500000' err || fail "does not say that nothing covers it"
expect 1 "$UNCOIL" rows --at nosuch f
grep -q 'no symbol nosuch' err || fail "does not say that there is no such symbol"

expect 0 "$UNCOIL" rows --json f
needs_python
"$py" - <<'PY' || fail "JSON says something else"
import json
d = json.load(open("out"))
assert (d["file"], d["section"], d["abi"]) == ("f", ".eh_frame", "x86-64")
f = [r for r in d["records"] if r["start"] == "0x401001"][0]
assert f["end"] == "0x401008" and f["name"] in ("f", "alias") and f["name_offset"] == 0
assert [r["start"] for r in f["rows"]] == ["0x401001", "0x401002", "0x401003", "0x401006", "0x401007"]
assert f["rows"][-1]["cfa"] == "*(rbp-8)"
assert f["rows"][-1]["registers"] == {
    "rbx": "[cfa-16]", "rbp": "[rsp+8]", "r12": "cfa-32", "r13": "r9", "r14": "same", "r15": "undefined",
    "ra": "[cfa-8]"}
assert [r.get("signal", False) for r in d["records"]] == [False, False, True]
PY
exit 0
