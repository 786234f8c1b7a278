#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --from, the order without it, and .debug_frame in a separate file.
. "$(dirname "$0")/prelude.inc"

code='
	.type _start, @function
_start:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 24
	nop
	.cfi_endproc
	.size _start, . - _start'
both() { printf '\t.cfi_sections %s\n%s\n' "$1" "$code"; }
rows='401000-401002 _start
  401000-401001  CFA=rsp+8 ra=[cfa-8]
  401001-401002  CFA=rsp+24 ra=[cfa-8]'

both '.eh_frame, .debug_frame' | assemble both
for from in 'ehframe .eh_frame' 'debugframe .debug_frame'; do
	expect 0 "$UNCOIL" rows --from ${from% *} both
	printf 'both: %s, x86-64\n%s\n' "${from#* }" "$rows" | is_text
done
expect 0 "$UNCOIL" rows both
printf 'both: .eh_frame, x86-64\n%s\n' "$rows" | is_text

both .debug_frame | assemble debug
expect 0 "$UNCOIL" rows debug
printf 'debug: .debug_frame, x86-64\n%s\n' "$rows" | is_text

mkdir .debug
objcopy --only-keep-debug debug .debug/debug.debug &&
	objcopy --strip-debug --add-gnu-debuglink=.debug/debug.debug debug stripped || fail "cannot strip"
expect 0 "$UNCOIL" rows stripped
head -n 1 out | grep -q 'debug/debug.debug: .debug_frame, x86-64$' || fail "does not name the debug file"
tail -n +2 out >rest && mv rest out
echo "$rows" | is_text
exit 0
