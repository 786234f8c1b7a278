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
# rdtscp: an instruction that the unwinder does not read code across, so that
# without unwind data no stack gets out of inner
cat >odd.c <<'C'
static void odd(void) { __asm__ volatile("rdtscp" ::: "rax", "rcx", "rdx", "memory"); }
__attribute__((noipa)) void spin(void) { for (volatile int i = 0; i < 300000000; i++) ; }
__attribute__((noipa)) void inner(void) { char a[100]; odd(); __asm__ volatile("" ::"r"(a) : "memory"); spin(); odd(); }
int main(void) { inner(); return 0; }
C
gcc -O2 -fomit-frame-pointer -o odd odd.c || fail "cannot build a program"
expect 0 "$UNCOIL" record -F 499 --unwind=ehframe ./odd
grep -q '(100.00 %)' err || fail "--unwind=ehframe is not enough"
expect 0 "$UNCOIL" record -F 499 --unwind=fp ./odd
"$UNCOIL" script >script 2>/dev/null
grep -q 'spin' script || fail "no samples of the program"
grep -A1 'spin' script | grep -q 'inner' || fail "spin's own code was not followed"
grep -A2 'spin' script | grep -q 'main' && fail "--unwind=fp used unwind data"
expect 0 env UNCOIL_UNWIND=fp "$UNCOIL" record -F 499 ./odd
"$UNCOIL" script >script 2>/dev/null
grep -A2 'spin' script | grep -q 'main' && fail "UNCOIL_UNWIND is not heeded"
expect 0 env UNCOIL_UNWIND=fp "$UNCOIL" record -F 499 --unwind=ehframe ./odd
grep -q '(100.00 %)' err || fail "--unwind does not win over UNCOIL_UNWIND"
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
