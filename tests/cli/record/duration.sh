#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -d ends a recording, and the command that is still running then.
. "$(dirname "$0")/prelude.inc"
needs_engine

now() { date +%s%N | cut -c1-13; }
took() {
	t0=$(now)
	"$@"
	elapsed=$(($(now) - t0))
}

took expect 0 "$UNCOIL" record -a -d 0.4
[ $elapsed -ge 400 ] && [ $elapsed -lt 5000 ] || fail "-a -d 0.4 took $elapsed ms"
took expect 0 "$UNCOIL" record -d 0.4 sleep 30
[ $elapsed -ge 400 ] && [ $elapsed -lt 5000 ] || fail "-d 0.4 sleep took $elapsed ms"
# Its own way of ending counts.
expect 7 "$UNCOIL" record -d 0.4 sh -c 'trap "exit 7" TERM; while :; do sleep 0.05; done'
# A command that ends before.
took expect 4 "$UNCOIL" record -d 30 sh -c 'exit 4'
[ $elapsed -lt 5000 ] || fail "waited for -d although the command had ended"
# -a with a command lasts as long as the command.
took expect 5 "$UNCOIL" record -a sh -c 'sleep 0.3; exit 5'
[ $elapsed -ge 300 ] && [ $elapsed -lt 5000 ] || fail "-a sleep 0.3 took $elapsed ms"
exit 0
