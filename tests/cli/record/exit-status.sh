#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The command's exit status is passed on; uncoil's own failures are 125.
. "$(dirname "$0")/prelude.inc"
needs_engine

expect 0 "$UNCOIL" record true
expect 3 "$UNCOIL" record sh -c 'exit 3'
expect 255 "$UNCOIL" record -- sh -c 'exit 255'
expect 137 "$UNCOIL" record sh -c 'kill -9 $$'
expect 130 "$UNCOIL" record sh -c 'kill -INT $$'

cp perf.data before
cp perf.data.old before.old
expect 127 "$UNCOIL" record no-such-command-at-all
grep -q '^uncoil: no-such-command-at-all: No such file' err || fail "no reason for 127"
echo text >plain
expect 126 "$UNCOIL" record ./plain
grep -q '^uncoil: ./plain: Permission denied' err || fail "no reason for 126"
expect 126 "$UNCOIL" record "$dir"
cmp -s perf.data before && cmp -s perf.data.old before.old ||
	fail "a command that could not be run cost a recording"

expect 125 "$UNCOIL" record -o no/such/dir/perf.data true
grep -q '^uncoil: no/such/dir/perf.data: No such file' err || fail "no reason for 125"
expect 125 "$UNCOIL" record -p 2147483647
grep -q 'no such process' err || fail "no reason for a missing process"
expect 125 "$UNCOIL" record -t 2147483647
grep -q 'no such thread' err || fail "no reason for a missing thread"
exit 0
