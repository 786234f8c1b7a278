#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh [GROUP...]: the tests that `make check` runs, after a build. Groups:
# unit fuzz cases sframe oracle rows qemu e2e cli perf. Says what passed and failed at the end.
set -u
# Who runs us in the background has these ignored, and what we start could not tell.
if [ -z "${SIGNALS_ARE_DEFAULT:-}" ]; then
	SIGNALS_ARE_DEFAULT=1 exec env --default-signal=INT --default-signal=QUIT "$0" "$@"
fi
cd "$(dirname "$0")/.."
export UNCOIL=${UNCOIL:-$PWD/build/uncoil}
groups=${*:-unit fuzz cases sframe oracle rows qemu e2e cli perf}
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
passed=0 failed=0 skipped=0

# one NAME COMMAND...: a test that is one command; 77 is a skip with a reason
one() {
	local name=$1 start=$SECONDS rc=0
	shift
	"$@" >"$log/out" 2>&1 || rc=$?
	case $rc in
	0) passed=$((passed + 1)); echo "ok $name ($((SECONDS - start)) s)" ;;
	77) skipped=$((skipped + 1)); echo "skip $name: $(tail -n 1 "$log/out")" ;;
	*) failed=$((failed + 1)); echo "FAIL $name (exit $rc)"; tail -n 60 "$log/out" ;;
	esac
}

# many NAME COMMAND...: a runner that counts for itself, "N passed, N failed" last
many() {
	local name=$1 start=$SECONDS last
	shift
	"$@" >"$log/out" 2>&1
	local rc=$?
	last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log/out" | tail -n 1)
	if [ -z "$last" ]; then
		failed=$((failed + 1))
		echo "FAIL $name: ended with $rc before its sum"
		tail -n 60 "$log/out"
		return
	fi
	passed=$((passed + $(echo "$last" | sed 's/ passed.*//')))
	failed=$((failed + $(echo "$last" | sed 's/.*passed, //; s/ failed.*//')))
	grep -vE '^(ok|[0-9]+ passed)' "$log/out"
	echo "$name: $last ($((SECONDS - start)) s)"
}

for group in $groups; do
	case $group in
	unit)
		for test in build/tests/test_*; do
			[ -x "$test" ] && one "unit ${test#build/tests/}" "$test"
		done ;;
	fuzz)
		for replay in build/fuzz/replay_*; do
			[ -x "$replay" ] && one "fuzz ${replay##*/}" "$replay" fuzz/seeds/"${replay##*/replay_}"/*
		done ;;
	cases) many cases python3 tests/cases/judge.py ;;
	sframe) many sframe python3 tests/sframe/run.py ;;
	oracle) many oracle python3 tests/oracle/run.py ;;
	rows) many rows python3 tests/rows/run.py ;;
	qemu) many qemu python3 tests/qemu/run.py ;;
	e2e) many e2e python3 tests/e2e/run.py ;;
	cli)
		for test in tests/cli/*/*.sh; do
			one "cli ${test#tests/cli/}" sh "$test"
		done ;;
	perf) one "perf reads our files" tests/perf/run.sh ;;
	*) echo "run.sh: no group $group" >&2; exit 2 ;;
	esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
