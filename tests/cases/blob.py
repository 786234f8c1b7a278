# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Cases of kind sframe-blob: build.sh makes OUTDIR/sframe.bin, the bytes of a
section, and expect.txt says what rows are in it; build/tests/sframe_at asks.
"""
import os
import tempfile

import procs
from procs import Problem

SFRAME_AT = os.environ.get("SFRAME_AT", os.path.join(procs.BUILD, "tests", "sframe_at"))
EVERYWHERE = range(0x0ff0, 0x1070)  # the functions of all of them, and around


class Expect:
    """accept: yes, partly or no; {pc: row} and the pcs without one."""

    def __init__(self, folder):
        self.accept, self.reject_too, self.rows = "", False, {}
        for line in open(os.path.join(folder, "expect.txt")):
            words = line.split("#")[0].split()
            if not words:
                continue
            if line[0] == " ":
                self._row(*words)
            elif words[0] == "accept:":
                self.accept = words[1]
            elif words[:2] == ["or:", "reject"]:
                self.reject_too = True
        if self.accept not in ("yes", "partly", "no") or (self.accept == "no") != (not self.rows):
            raise Problem("expect.txt: accept or rows not understood")

    def _row(self, pcs, cfa, fp, ra):
        first, last = (int(x, 16) for x in pcs.split("-"))
        said = "%s %s %s -" % (cfa, ra.replace("cfa", "c"), "u" if fp == "-" else fp.replace("cfa", "c"))
        for pc in range(first, last + 1):
            self.rows[pc] = said


def ask(path):
    """{pc: row, or None} for all pcs."""
    rc, out, err = procs.sh([SFRAME_AT, path] + ["0x%x" % pc for pc in EVERYWHERE])
    if rc != 0:
        raise Problem("sframe_at: exit %s: %s" % (rc, (err or out).strip()[-200:]))
    answers = [line.split(" ", 1) for line in out.splitlines()]
    return {int(pc, 16): None if says.startswith("none:") else says for pc, says in answers}


def judge(folder):
    """[(world, problem or None, accepted name)], as judge.run_case()."""
    try:
        expect = Expect(folder)
        with tempfile.TemporaryDirectory(prefix="uncoil-case-") as out:
            rc, o, e = procs.sh(["sh", os.path.join(folder, "build.sh"), out], 120)
            if rc != 0:
                raise Problem("build.sh: exit %s: %s" % (rc, (e or o).strip()[-300:]))
            answers = ask(os.path.join(out, "sframe.bin"))
        if expect.reject_too and not any(answers.values()):
            return [("blob", None, "reject")]
        for pc in EVERYWHERE:
            if answers.get(pc) != expect.rows.get(pc):
                raise Problem("0x%x: %s, not %s" % (pc, answers.get(pc), expect.rows.get(pc)))
        return [("blob", None, "")]
    except Problem as x:
        return [("blob", str(x), "")]
