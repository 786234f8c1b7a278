#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The command runs as it would without us.
. "$(dirname "$0")/prelude.inc"
needs_engine

cat >look.sh <<'END'
grep -E '^Sig(Blk|Ign)' /proc/self/status
ulimit -Sn
ulimit -Hn
ls /proc/self/fd | wc -l
pwd
env | grep -v '^_=' | sort
END
(ulimit -Sn 200; sh look.sh >bare)
(ulimit -Sn 200; "$UNCOIL" record sh look.sh >recorded 2>err) || fail "status $?"
cmp -s bare recorded || fail "differs: $(diff bare recorded)"
exit 0
