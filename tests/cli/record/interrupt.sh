#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# SIGINT and SIGTERM end a recording in good order.
. "$(dirname "$0")/prelude.inc"
needs_engine

# start ARGS...: uncoil in the background, recording
start() {
	rm -f perf.data
	"$UNCOIL" record "$@" >out 2>err &
	pid=$!
	children="$children $pid"
	wait_until '[ -s perf.data ]'
}

end() {
	want=$1
	wait $pid
	got=$?
	[ $got = "$want" ] || fail "status $got, not $want"
	grep -q '^uncoil: .* samples' err || fail "no closing line"
	"$UNCOIL" script >script.out 2>script.err || fail "the file cannot be read: $(cat script.err)"
}

sleep 60 &
sleeper=$!
children="$children $sleeper"
for signal in INT TERM; do
	start -p $sleeper
	kill -$signal $pid
	end 0
	start -a
	kill -$signal $pid
	end 0
done

# A process observed ends: so does the recording.
start -p $sleeper
kill $sleeper
wait $sleeper 2>/dev/null
end 0

# Signals for uncoil alone are handed to the command, whose status counts.
start sleep 60
sleep 0.2
kill -TERM $pid
end 143
# (sh starts what is in the background with SIGINT ignored.)
start env --default-signal=INT sh -c 'trap "exit 5" INT; : >ready; while :; do sleep 0.05; done'
wait_until '[ -e ready ]'
kill -INT $pid
end 5

# Asked twice, uncoil leaves a command that does not listen.
start sh -c 'trap "" TERM; echo $$ >ready2; while :; do sleep 0.05; done'
wait_until '[ -s ready2 ]'
children="$children $(cat ready2)"
kill -TERM $pid
sleep 0.3
kill -0 $pid || fail "did not wait for the command"
kill -TERM $pid
end 143
grep -q 'goes on as process' err || fail "does not say that the command goes on"
exit 0
