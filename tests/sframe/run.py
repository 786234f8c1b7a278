#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Walk the programs of live/ that this machine runs, in both worlds, as
tests/cases/judge.py does: run.py [NAME...]. The frames wanted are gdb's."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
LIVE = os.path.join(HERE, "live")
sys.path.insert(0, os.path.join(HERE, "..", "cases"))
import judge
import procs
from procs import Problem

PROGRAMS = ["walk-v1", "walk-v2", "walk-v3", "walk-cfi"]


class Wanted:
    """What judge.verdict() looks at."""

    def __init__(self):
        self.frames = open(os.path.join(LIVE, "walk.frames")).read().split()
        self.accept, self.engine, self.end = [], [], "complete"


def check_sources(name):
    """.sframe is all that a walk-vN has, and its segment is there."""
    lines = procs.readelf("-lSW", os.path.join(LIVE, name))
    has = {s: any(s in line for line in lines) for s in (".sframe", "GNU_SFRAME", ".eh_frame", "GNU_EH_FRAME")}
    sframe = name != "walk-cfi"
    if has != {".sframe": sframe, "GNU_SFRAME": sframe, ".eh_frame": not sframe, "GNU_EH_FRAME": not sframe}:
        raise Problem("has other unwind data than its name says")


def worlds(name):
    """(world, the function to call) of a running program."""
    check_sources(name)
    p, pid = procs.start([os.path.join(LIVE, name)])
    try:
        procs.wait_spinning(pid, pid)
        space, seen = procs.Space(pid), {}
        with tempfile.TemporaryDirectory(prefix="uncoil-sframe-") as out:
            yield "engine", lambda: judge.world_engine(Wanted(), space, pid, seen, os.path.join(out, "perf.data"))
            yield "ptrace", lambda: judge.world_ptrace(Wanted(), space, pid, seen)
        space.close()
    finally:
        procs.stop(p)


def main():
    passed = failed = 0
    for name in sys.argv[1:] or PROGRAMS:
        world = "start"
        try:
            for world, walk in worlds(name):
                try:
                    walk()
                    passed += 1
                    print("ok %s %s" % (name, world), flush=True)
                except Problem as x:
                    failed += 1
                    print("FAIL %s %s: %s" % (name, world, x), flush=True)
        except Problem as x:
            failed += 1
            print("FAIL %s %s: %s" % (name, world, x), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
