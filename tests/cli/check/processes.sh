#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A process's mapped files, its vdso, and its generated code.
. "$(dirname "$0")/../record/prelude.inc"
[ "$(id -u)" = 0 ] || skip "not root"
needs_python

"$py" -c '
import mmap, sys, time
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
open("ready", "w").close()
time.sleep(60)' &
pid=$!
children=$pid
wait_until '[ -e ready ]'
expect 1 "$UNCOIL" check -v $pid
for name in libc.so.6 '\[vdso\]' "$(basename "$(readlink /proc/$pid/exe)")"; do
	grep -q "^[^ ]*$name: " out || fail "$name is missing"
done
start=$(grep ' rwx[ps] ' /proc/$pid/maps | head -n 1 | cut -d- -f1 | sed 's/^0*//')
grep -q "^process $pid: 0x$start-.*generated code" out || fail "generated code is missing"
expect 2 "$UNCOIL" check 999999999
grep -q 'there is none' err || fail "does not say that there is no such process"

"$UNCOIL" check --system >out 2>err
[ $? -le 2 ] || fail "--system: crashed"
grep -Eq '^[0-9]+ files: ' out || fail "--system: no sums"
exit 0
