#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Of a malformed section what holds is printed, and what is wrong with its place,
# once each; the exit status is 1. The places are those in the cases' sources:
# their records have 24 bytes.
. "$(dirname "$0")/../record/prelude.inc"
cases=$(dirname "$UNCOIL")/../tests/cases

# flaw CASE LINE NUMBER-OF-FUNCTIONS
flaw() {
	sh "$cases/$1/build.sh" "$dir/$1" >err 2>&1 || skip "cannot build $1"
	expect 1 "$UNCOIL" rows "$1/prog"
	[ "$(grep '^!' out)" = "! $2" ] || fail "$1: not: ! $2"
	[ "$(grep -c 'FDE at 0x' out)" = "$3" ] || fail "$1: not $3 functions"
	"$UNCOIL" rows --json "$1/prog" >json
	needs_python
	"$py" -c 'import json; assert sum("flaw" in r for r in json.load(open("json"))["records"]) == 1' ||
		fail "$1: JSON has another number of flaws"
}
flaw opcode-unknown '.eh_frame+0x59: malformed: unknown CFA opcode; record at 0x48' 4
flaw restore-underflow '.eh_frame+0x5a: malformed: restore_state without remember_state; record at 0x48' 4
flaw cie-pointer-wild '.eh_frame+0x4c: malformed: CIE pointer of an FDE; record at 0x48' 3
flaw truncated-section '.eh_frame+0x60: malformed: length of a CIE or FDE' 3
flaw hdr-row-wild '.eh_frame_hdr+0x1c: malformed: length of a CIE or FDE' 4

# What only segments lead to is found without section headers.
sh "$cases/sectionless/build.sh" "$dir/s" >err 2>&1 || skip "cannot build sectionless"
expect 0 "$UNCOIL" rows s/prog
[ "$(grep -c 'FDE at 0x' out)" = 4 ] || fail "sectionless: not 4 functions"
grep -q 'FDE at 0x18$' out || fail "sectionless: the first FDE is not behind the CIE's 24 bytes"
exit 0
