#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do perf's own readers print the chains that we print? The deferred form is for
# perf of Linux 7.2, the merged one for the distribution's.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
work="import json
for i in range(60): json.loads(json.dumps(list(range(20000))))"

"$UNCOIL" record -q -F 499 -o "$dir/deferred" -- /usr/bin/python3 -c "$work"
"$UNCOIL" record -q -F 499 --merge -o "$dir/merged" -- /usr/bin/python3 -c "$work"
"$(dirname "$0")/check_peers.sh" "$dir/deferred" "$dir/merged" "$UNCOIL"
