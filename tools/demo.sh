#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# demo.sh: record two stock programs and show where their time went.
set -eu
uncoil=${UNCOIL:-build/uncoil}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ "$(id -u)" != 0 ]; then
	echo "uncoil: the demo loads BPF programs: run it as root" >&2
	exit 1
fi

cat >"$dir/work.py" <<'EOF'
import json, re

def hanoi(n, a, b, c):
    return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)

print("hanoi:", hanoi(20, "a", "b", "c"), "moves")
text = json.dumps([{"key": i, "value": str(i) * 3} for i in range(60000)])
print("json:", len(json.loads(text)), "objects,", len(re.findall(r"\d+3\d", text)), "matches")
EOF
cat /usr/lib/*/libc.so.6 /usr/lib/*/libstdc++.so.6 /usr/bin/python3 2>/dev/null |
	head -c 9000000 >"$dir/data"

show() { # TITLE COMMAND...
	title=$1
	shift
	echo
	echo "== $title"
	"$uncoil" record -F 999 -o "$dir/perf.data" -- "$@" >"$dir/out"
	"$uncoil" report -i "$dir/perf.data" --percent-limit 2 | head -n 45
	"$uncoil" report -i "$dir/perf.data" --stops
}

show "python3, Debian's own: no frame pointers" /usr/bin/python3 "$dir/work.py"
cat "$dir/out"
show "xz, Debian's own, compressing $(wc -c <"$dir/data") bytes" xz -T1 -6 -k -c "$dir/data"
