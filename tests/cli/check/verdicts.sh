#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What is wrong is in the assembly below, and is what must be said.
. "$(dirname "$0")/../record/prelude.inc"

cat >good.S <<'ASM'
	.globl _start
_start:	.cfi_startproc
	.cfi_undefined rip
	hlt
	.cfi_endproc
f:	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
ASM
gcc -nostdlib -static -Wl,--eh-frame-hdr -Wl,-Ttext=0x401000 -o good good.S 2>/dev/null || skip "no gcc"
expect 0 "$UNCOIL" check good
grep -q '^good: fine, x86-64: 4 bytes of code, .eh_frame 100.00 %$' out || fail "a good program is not fine"

# an opcode that there is not, in the last of three functions
{ cat good.S; printf 'g:\t.cfi_startproc\n\tnop\n\t.cfi_escape 0x3f\n\tret\n\t.cfi_endproc\n'; } >bad.S
gcc -nostdlib -static -Wl,--eh-frame-hdr -Wl,-Ttext=0x401000 -o bad bad.S
expect 1 "$UNCOIL" check bad
grep -q '^bad: degraded' out || fail "a bad opcode does not degrade"
at=$(readelf -wf bad 2>/dev/null | sed -n 's/^0*\([0-9a-f]*\) .* FDE .*pc=0*401004\.\..*/\1/p')
grep -q "^    .eh_frame+0x[0-9a-f]*: unknown CFA opcode, record at 0x$at, of the function at 0x401004$" out ||
	fail "its place is not told: readelf has the FDE at 0x$at"
expect 1 "$UNCOIL" check --json bad
python3 - out <<'PY' || fail "other JSON"
import json, sys
d = json.load(open(sys.argv[1]))
f, = d["files"]
assert f["verdict"] == "degraded" and f["nr_flaws"] == 1, f
assert f["flaws"][0]["function"] == 0x401004 and f["flaws"][0]["stop"] == "malformed", f
assert d["sum"]["degraded"] == 1 and d["sum"]["flaws"] == 1, d
PY

# code without entry: a thousand bytes that are no padding
{ cat good.S; printf 'h:\t.rept 1000\n\tcltq\n\t.endr\n\tret\n'; } >gap.S
gcc -nostdlib -static -Wl,--eh-frame-hdr -Wl,-Ttext=0x401000 -o gap gap.S
expect 1 "$UNCOIL" check gap
grep -q '2001 bytes of code, in 1 places' out || fail "the gap's bytes are not told"
grep -q '^    0x401004-0x4017d5$' out || fail "the gap's place is not told"
# padding is none
{ cat good.S; printf '\t.p2align 6\n'; } >padded.S
gcc -nostdlib -static -Wl,--eh-frame-hdr -Wl,-Ttext=0x401000 -o padded padded.S
expect 0 "$UNCOIL" check padded
grep -q ' 4 bytes of code' out || fail "padding counts as code"

# nothing at all
strip -R .eh_frame -R .eh_frame_hdr -o none gap
expect 2 "$UNCOIL" check none
grep -q '^none: impossible.*no unwind data' out || fail "no data is not impossible"

# .sframe loses what .eh_frame says of _start: gas 2.40 drops .cfi_undefined
if as --gsframe -o sframe.o good.S 2>/dev/null; then
	ld --eh-frame-hdr -Ttext=0x401000 -o sframe sframe.o
	expect 1 "$UNCOIL" check sframe
	grep -q 'they differ in 1 places' out || fail "no difference was found"
	grep -A2 '^    0x401000-0x401001$' out | grep -q 'ra=undefined' || fail "not the one that there is"
	# version 1: FDEs of 17 bytes behind a header of 28; the second before the first
	python3 - sframe <<'PY'
import re, subprocess, sys
text = subprocess.run(["readelf", "-SW", sys.argv[1]], capture_output=True, text=True).stdout
at = int(re.search(r"\.sframe\s+\S+\s+\S+\s+(\S+)", text).group(1), 16) + 28
d = bytearray(open(sys.argv[1], "rb").read())
d[at:at + 34] = d[at + 17:at + 34] + d[at:at + 17]
open("unsorted", "wb").write(d)
PY
	expect 1 "$UNCOIL" check unsorted
	grep -q '^    .sframe+0x2d: .sframe is not sorted, of the function at 0x401000$' out ||
		fail "FDEs out of order were not noticed"
fi

# several, a directory, and what can not be read
expect 2 "$UNCOIL" check good bad gap no-such-file
grep -q '^4 files: 1 fine, 2 degraded, 0 impossible, 1 unreadable' out || fail "other sums"
grep -q 'no-such-file' err || fail "what can not be read is not named"
mkdir d && cp good bad d && echo text >d/text && ln -s ../gap d/link && ln d/good d/again
expect 1 "$UNCOIL" check d
grep -q '^2 files: 1 fine, 1 degraded' out || fail "a directory's ELF files, each once"
expect 2 "$UNCOIL" check good.S
expect 2 "$UNCOIL" check
grep -q 'name a file' err || fail "does not say what is missing"
exit 0
