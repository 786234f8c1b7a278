#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --json is JSON, and says what the text says.
. "$(dirname "$0")/prelude.inc"
needs_python

expect 0 "$UNCOIL" rows --json "$UNCOIL"
mv out out.json
expect 0 "$UNCOIL" rows "$UNCOIL"
"$py" - <<'P' || fail "JSON and text differ"
import json
got = json.load(open("out.json"))
lines = ["%s: %s, %s" % (got["file"], got["section"], got["abi"])]
for f in got["records"]:
    assert "flaw" not in f, f
    line = "%s-%s" % (f["start"][2:], f["end"][2:])
    if "name" in f:
        line += " " + f["name"] + ("+0x%x" % f["name_offset"] if f["name_offset"] else "")
    lines.append(line + ", FDE at 0x%x" % f["fde"])
    for row in f["rows"]:
        rules = ["CFA=" + row["cfa"]] + ["%s=%s" % rule for rule in row["registers"].items()]
        lines.append("  %s-%s  %s" % (row["start"][2:], row["end"][2:], " ".join(rules)))
text = open("out").read().splitlines()
assert len(lines) > 500, len(lines)
for a, b in zip(lines, text):
    assert a == b, (a, b)
assert len(lines) == len(text)
P
exit 0
