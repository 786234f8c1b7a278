#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Help goes to stdout, mistakes to stderr and end in 2, and so do files that
# can not be read.
. "$(dirname "$0")/../record/prelude.inc"

expect 0 "$UNCOIL" rows --help
grep -q '^Usage: uncoil rows' out || fail "no usage on stdout"
[ ! -s err ] || fail "help wrote to stderr"

wrong() {
	what=$1
	shift
	expect 2 "$UNCOIL" rows "$@"
	[ ! -s out ] || fail "$*: wrote to stdout"
	grep -q -e "$what" err || fail "$*: does not say: $what"
}
cp "$UNCOIL" prog
echo text >text
mkfifo fifo
head -c 100 prog >cut
printf 'int f(void) { return 1; }\n' >f.c
gcc -c f.c || skip "no gcc"
gcc -shared -nostdlib -fno-asynchronous-unwind-tables -fno-unwind-tables -o none.so f.c

wrong 'a file is missing'
wrong 'unexpected argument' prog prog
wrong 'no such option' --no-such-option prog
wrong 'needs an argument' prog --at
wrong 'none of ehframe' --from orc prog
wrong 'not an address' --at 0x12g prog
wrong 'not an address' --at 0x prog
wrong 'No such file' nothing
wrong 'not a regular file' .
wrong 'not a regular file' fifo
wrong 'not an ELF file' text
wrong 'no segment to load' cut
wrong 'relocatable file' f.o
wrong 'has no unwind data' none.so
wrong 'has no .sframe' --from sframe prog
wrong 'has no .debug_frame' --from debugframe none.so
wrong 'not a regular file' /dev/zero

expect 2 sh -c '"$0" rows prog >/dev/full' "$UNCOIL"
grep -q '^uncoil: standard output: ' err || fail "does not say that the output is lost"
exit 0
