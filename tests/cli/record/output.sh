#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The file: perf.data or -o, an older one set aside; -q is silent.
. "$(dirname "$0")/prelude.inc"
needs_engine

expect 0 "$UNCOIL" record sh -c 'echo hello; echo world >&2'
[ "$(cat out)" = hello ] || fail "the command's stdout was changed"
grep -q '^world$' err || fail "the command's stderr was changed"
[ -s perf.data ] && [ ! -e perf.data.old ] || fail "no perf.data, or an old one"
[ "$(stat -c %a perf.data)" = 600 ] || fail "others may read perf.data"
cp perf.data first
expect 0 "$UNCOIL" record true
cmp -s first perf.data.old || fail "perf.data.old is not the first recording"
expect 0 "$UNCOIL" record -o a.data true
expect 0 "$UNCOIL" record -qo b.data true
[ ! -s err ] || fail "-q is not quiet"
[ -s a.data ] && [ -s b.data ] || fail "-o: no file"
cmp -s first perf.data.old || fail "-o touched perf.data.old"
expect 0 "$UNCOIL" record -o /dev/null true
[ -c /dev/null ] || fail "/dev/null was set aside"
expect 125 "$UNCOIL" record -o . true
grep -q 'Is a directory' err || fail "a directory is no file"

# -g is accepted, --merge and the limits work
expect 0 "$UNCOIL" record -g -F 2000 --max-stack 3 sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'
grep -q 'depth-limit' err || fail "--max-stack 3 met no deeper stack"
# libc and sh keep no frame pointer: none of their stacks is complete by it alone
busy='i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'
expect 0 "$UNCOIL" record -F 2000 --unwind=fp sh -c "$busy"
grep -q ' 0 complete' err || fail "--unwind=fp used something else"
expect 0 env UNCOIL_UNWIND=fp "$UNCOIL" record -F 2000 sh -c "$busy"
grep -q ' 0 complete' err || fail "UNCOIL_UNWIND is not heeded"
expect 0 env UNCOIL_UNWIND=fp "$UNCOIL" record -F 2000 --unwind=ehframe sh -c "$busy"
grep -q '(100.00 %)' err || fail "--unwind=ehframe was not enough, or did not win over UNCOIL_UNWIND"
expect 0 "$UNCOIL" record --merge -c 1000000 -e cpu-clock true
expect 127 "$UNCOIL" record -F max no-such-command-at-all
expect 127 "$UNCOIL" record -F 4000000000 no-such-command-at-all
grep -q 'perf_event_max_sample_rate' err || fail "no word about the lowered frequency"

# A disk that is full is not silence.
if [ -e /dev/full ]; then
	expect 125 "$UNCOIL" record -o /dev/full true
	grep -q 'No space left' err || fail "no word about a full disk"
fi
exit 0
