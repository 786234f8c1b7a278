#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The closing line's numbers add up, and are those that report finds in the file.
. "$(dirname "$0")/prelude.inc"
needs_engine
needs_python

# A thread that is inside of one system call for half a minute, now and then running.
cat >stuck.py <<'END'
import os, time
r, w = os.pipe()
buffer = [bytearray(1 << 28)] * 7
if os.fork() == 0:
    open("stuck.pid", "w").write(str(os.getpid()))
    while True: os.writev(w, buffer)
os.close(w)
while os.read(r, 65536): time.sleep(0.0005)
END
cat >sums.py <<'END'
import json, re, sys

text = open("err").read().strip().splitlines()[-1]
m = re.fullmatch(r"uncoil: ([\d,]+) samples, ([\d,]+) complete stacks(?: \([\d.]+ %\))?, "
                 r"partial: (.*?)(?:; no user stack: ([\d,]+))?; lost: (.*?)"
                 r"(?:; not recorded: (.*?))?(?:; ([\d,]+) bytes a sample)?; (\S+) [\d.]+ \w+", text)
assert m, text
num = lambda s: int(s.replace(",", "")) if s else 0
items = lambda s: {} if s in (None, "none") else {w: num(n) for n, w in
                  (i.split(" ", 1) for i in re.split(r", ", s))}
samples, complete, no_user = num(m[1]), num(m[2]), num(m[4])
partial, lost = items(m[3]), items(m[5])
total = complete + sum(partial.values()) + no_user + sum(lost.values())
assert samples == total, "%d samples, parts make %d: %s" % (samples, total, text)
r = json.load(open("report"))
assert r["samples"] == samples, (r["samples"], text)
stops = {k: v for k, v in r["stops"].items() if v}
assert stops.pop("outermost", 0) == complete, (r["stops"], text)
assert stops == partial, (r["stops"], text)
assert r["lost"] == {**lost, **items(m[6])}, (r["lost"], text)
assert abs(r["bytes_per_sample"] - num(m[7])) <= 0.55, (r["bytes_per_sample"], text)
if sys.argv[1:]: assert sys.argv[1] in lost, text
END
# check [REASON]: of the recording just made
check() {
	"$UNCOIL" report --json >report 2>report.err || fail "report: $(cat report.err)"
	"$py" sums.py "$@" 2>sums.err || fail "record $args: $(tail -1 sums.err)"
}

for args in "" "--merge" "-a -d 0.5" "-a -d 0.5 --merge"; do
	# Short-lived processes and threads in all stages of life.
	case $args in
	-a*) set -- ;;
	*) set -- sh -c 'i=0; while [ $i -lt 60 ]; do i=$((i+1)); /bin/true; done; "$py" -c "$0" 4 0.3' "$burn" ;;
	esac
	expect 0 "$UNCOIL" record -F 5000 $args "$@"
	check
done

"$py" stuck.py &
children="$children $!"
wait_until '[ -s stuck.pid ]'
children="$children $(cat stuck.pid)"
sleep 0.2
for args in "" "--merge"; do
	expect 0 "$UNCOIL" record -F 20000 $args -d 0.3 -p "$(cat stuck.pid)"
	check pending
done
exit 0
