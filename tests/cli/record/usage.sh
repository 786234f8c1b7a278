#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Help goes to stdout, mistakes to stderr and end in 125.
. "$(dirname "$0")/prelude.inc"

expect 0 "$UNCOIL" record --help
grep -q '^Usage: uncoil record' out || fail "no usage on stdout"
[ ! -s err ] || fail "help wrote to stderr"
expect 0 "$UNCOIL" record -h

wrong() {
	what=$1
	shift
	expect 125 "$UNCOIL" record "$@"
	[ ! -s out ] || fail "$*: wrote to stdout"
	grep -q -e "$what" err || fail "$*: does not say: $what"
	[ ! -e ran ] && [ ! -e perf.data ] || fail "$*: went on"
}
wrong 'nothing to record'
wrong 'unknown option' --no-such-option touch ran
wrong 'unknown option' -Z touch ran
wrong 'argument is missing' -F
wrong 'not a frequency' -F 0 touch ran
wrong 'not a frequency' -F 12x touch ran
wrong 'not a count' -c -5 touch ran
wrong 'exclude each other' -F 99 -c 1000000 touch ran
wrong 'neither cpu-clock nor cycles' -e branches touch ran
wrong 'not a list of ids' -p 1,,2
wrong 'not a list of ids' -p 1,
wrong 'not a list of ids' -t abc
wrong 'not a list of ids' -p 99999999999
wrong 'exclude each other' -p 1 -a
wrong 'exclude each other' -t 1 -p 1
wrong 'not a number of seconds' -d 0 touch ran
wrong 'not a number of seconds' -d 1s touch ran
wrong 'not a number of seconds' -d nan touch ran
wrong 'not a number of frames' --max-stack 0 touch ran
wrong 'not a number of frames' --max-stack 4097 touch ran
wrong 'none of auto' --unwind dwarf touch ran
wrong 'file name is missing' -o '' touch ran
exit 0
