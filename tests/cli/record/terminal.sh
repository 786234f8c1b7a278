#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ctrl-C at a terminal: the command gets it once, from the terminal.
. "$(dirname "$0")/prelude.inc"
needs_engine
needs_python

cat >count.sh <<'END'
n=0
trap 'n=$((n+1)); echo $n >got' INT
: >ready
while [ ! -e got ]; do sleep 0.05; done
sleep 0.3
exit $((40 + n))
END
cat >keys.py <<'END'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
for _ in range(100):
    if os.path.exists("ready"): break
    time.sleep(0.05)
os.write(fd, b"\x03")
try:
    while os.read(fd, 1000): pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
expect 41 "$py" keys.py "$UNCOIL" record sh count.sh
[ "$(cat got)" = 1 ] || fail "the command was interrupted $(cat got) times"
"$UNCOIL" script >out 2>err || fail "the file cannot be read"
exit 0
