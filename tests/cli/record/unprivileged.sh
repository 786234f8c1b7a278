#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Without privilege: says what is needed, and the command does not run.
. "$(dirname "$0")/prelude.inc"
[ "$(id -u)" = 0 ] || skip "not root"
command -v setpriv >/dev/null || skip "no setpriv"

chmod 777 .
cp "$UNCOIL" ./uncoil
chmod 755 uncoil
expect 125 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
	--bounding-set=-all "$dir/uncoil" record touch ran
grep -q CAP_BPF err || fail "does not name the capability"
[ ! -e ran ] || fail "the command ran"
[ ! -e perf.data ] || fail "left a file"
exit 0
