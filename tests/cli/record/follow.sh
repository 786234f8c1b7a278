#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Threads, children, and programs replaced by exec are all followed.
. "$(dirname "$0")/prelude.inc"
needs_engine
needs_python

cat >tree.sh <<'END'
"$py" -c "$burn" 2 0.7 &
(sh -c 'exec "$py" -c "$burn" 2 0.7') &
wait
END
export burn
expect 0 "$UNCOIL" record -F 500 sh tree.sh
ls | sed -n 's/^tid\.//p' | sort >want
[ "$(wc -l <want)" = 4 ] || fail "the test itself: $(cat want)"
tids_of perf.data >got
[ -z "$(comm -23 want got)" ] || fail "not followed: $(comm -23 want got)"

# A chain of execs is one process with several names; the last burns most.
expect 0 "$UNCOIL" record -F 2000 sh -c 'exec env sh -c "exec \"\$py\" -c \"\$burn\" 1 0.5"'
"$UNCOIL" script -F comm,tid | sort | uniq -c | sort -rn >names
head -1 names | grep -q python3 || fail "not the last program's name: $(cat names)"
[ "$(tids_of perf.data | wc -l)" = 1 ] || fail "more than one thread: $(cat names)"
"$UNCOIL" script | grep -q '(.*/python3' || fail "the last program has no mappings"
exit 0
