#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -p covers all threads of running processes and what they start, -t one thread.
. "$(dirname "$0")/prelude.inc"
needs_engine
needs_python

"$py" -c "$burn" 3 20 &
pid=$!
children="$children $pid"
wait_until '[ "$(ls | grep -c "^tid\.")" = 3 ]'
ls | sed -n 's/^tid\.//p' | sort >want

expect 0 "$UNCOIL" record -F 500 -d 1 -p $pid
tids_of perf.data >got
cmp -s want got || fail "-p: threads $(echo $(cat got)), not $(echo $(cat want))"
"$UNCOIL" script -F comm | grep -qv python3 && fail "the process has no name"
"$UNCOIL" script | grep -q '(.*/python3' || fail "the process has no mappings"

one=$(grep -v "^$pid\$" want | head -1)
expect 0 "$UNCOIL" record -F 500 -d 1 -t $one
tids_of perf.data >got
[ "$(cat got)" = "$one" ] || fail "-t $one: threads $(echo $(cat got))"
"$UNCOIL" script | grep -q '(.*/python3' || fail "-t: the process has no mappings"
kill $pid

# Threads and children that a running process starts later.
rm -f tid.*
cat >late.py <<'END'
import subprocess, sys, time, os
while not os.path.exists("go"): time.sleep(0.02)
sys.argv = ["", "2", "0.7"]
code = os.environ["burn"]
child = subprocess.Popen([sys.executable, "-c", code, "2", "0.7"])
exec(code)
child.wait()
END
burn=$burn "$py" late.py &
late=$!
children="$children $late"
"$UNCOIL" record -F 500 -p $late >out 2>err &
pid=$!
children="$children $pid"
wait_until '[ -s perf.data ] && [ perf.data -nt late.py ]'
sleep 0.3
touch go
wait $pid || fail "status $?"
ls | sed -n 's/^tid\.//p' | sort >want
[ "$(wc -l <want)" = 4 ] || fail "the test itself: $(cat want)"
tids_of perf.data >got
[ -z "$(comm -23 want got)" ] || fail "not followed: $(comm -23 want got)"
exit 0
