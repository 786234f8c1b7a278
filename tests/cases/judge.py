#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Judge uncoil on the cases of this folder; README.md says what they are.

Each case is built into a temporary folder, started once, and walked in every
world: by the engine (uncoil record, uncoil script) while it spins, then by
ptrace (walk_ptrace) while it is stopped.
"""
import argparse
import concurrent.futures
import copy
import fnmatch
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import blob
import procs
from procs import Problem

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD_SECONDS = "0.5"
RECORD_HZ = "199"
SAMPLES_WANTED = 3


# ---- expect.txt ----

class Expect:
    def __init__(self, folder):
        self.frames, self.accept, self.engine, self.fields = [], [], [], {}
        current = None
        for line in open(os.path.join(folder, "expect.txt")):
            line = line.split("#")[0].rstrip()
            if not line:
                continue
            if line[0] in " \t":
                current.append(line.strip())
                continue
            key, _, value = (x.strip() for x in line.partition(":"))
            current = []
            if key == "frames":
                current = self.frames
            elif key == "engine":
                current = self.engine
            elif key == "accept":
                self.accept.append((value, current))
            else:
                self.fields[key] = value
        self.end = self.fields.get("end", "complete")
        if not self.frames or "run" not in self.fields or self.end not in ("complete", "error", "any"):
            raise Problem("expect.txt: frames, run or end is missing or not understood")


def sframe_variant(expect):
    """The same program with .sframe as its only unwind data."""
    expect.fields["run"] = expect.fields.pop("run-sframe")
    return expect


# ---- the verdict ----

def matches(want, frame):
    return any(matches_one(w.strip(), frame) for w in want.split("|"))


def matches_one(want, frame):
    if want == "[signal]":
        return frame.signal
    if want == "[anon]":
        return not frame.file and not frame.signal and not frame.module.startswith("[vdso")
    if want == "[plt]":
        return frame.section.startswith(".plt")
    if "!" in want:
        module, function = want.split("!", 1)
        return fnmatch.fnmatch(frame.module, module) and (function == "*" or function in frame.functions)
    return want in frame.functions


def same(want, frames):
    return len(want) == len(frames) and all(matches(w, f) for w, f in zip(want, frames))


def end_is_right(end, stop):
    if stop is None or stop == "none":
        return False
    return end == "any" or (stop == "outermost") == (end == "complete")


def verdict(expect, frames, walk):
    """"" for the answer wanted, the name of an accepted one, or raises Problem."""
    says = "%s [stop: %s]" % (procs.names(frames), (walk.stop or "missing") + (" " + walk.detail).rstrip())
    if same(expect.frames, frames):
        if end_is_right(expect.end, walk.stop):
            return ""
        raise Problem("right frames, wrong end (%s wanted): %s" % (expect.end, says))
    for name, want in expect.accept:
        if same(want, frames):
            whole = len(want) >= len(expect.frames)
            if end_is_right("any" if whole else "error", walk.stop):
                return name
            raise Problem("cut short but called complete: " + says)
    good = 0
    while good < min(len(frames), len(expect.frames)) and matches(expect.frames[good], frames[good]):
        good += 1
    if good == len(frames):
        what = "short, %d of %d frames" % (good, len(expect.frames))
    elif good == len(expect.frames):
        what = "%d frames too many" % (len(frames) - good)
    else:
        what = "wrong at frame %d (%s wanted)" % (good, expect.frames[good])
    raise Problem("%s: %s" % (what, says))


# ---- the worlds ----

def world_ptrace(expect, space, tid, seen):
    walk = procs.walk_by_ptrace(tid)
    name = verdict(expect, procs.frames_of(space, walk.addresses), walk)
    compare_worlds(seen.get("engine"), walk)
    return name


def world_engine(expect, space, tid, seen, data):
    procs.record(data, ["-F", RECORD_HZ, "-p", str(space.pid), "-d", RECORD_SECONDS])
    walks = [w for w in procs.script(data) if w.tid == tid]
    if len(walks) < SAMPLES_WANTED:
        raise Problem("only %d samples of thread %d" % (len(walks), tid))
    if expect.engine:  # less, for what it needs is in no mapping
        expect = copy.copy(expect)
        expect.frames, expect.end = expect.engine, "error"
    accepted = set()
    for i, walk in enumerate(walks):
        try:
            accepted.add(verdict(expect, procs.frames_of(space, walk.addresses), walk))
        except Problem as x:
            raise Problem("sample %d of %d: %s" % (i + 1, len(walks), x))
    if len(accepted) > 1:
        raise Problem("samples differ: accepted as %s" % ", ".join(sorted(a or "wanted" for a in accepted)))
    if not expect.engine:
        seen["engine"] = walks  # only right ones: what is wrong by itself needs no second line
    return accepted.pop()


def compare_worlds(walks, walk):
    """The spinning pc apart, the worlds must agree on every address and on the stop."""
    for other in walks or []:
        if other.addresses[1:] != walk.addresses[1:] or other.stop != walk.stop:
            raise Problem("worlds differ: engine %s [%s], ptrace %s [%s]" % (
                hexes(other.addresses), other.stop, hexes(walk.addresses), walk.stop))


def hexes(addresses):
    return procs.cut(["%x" % a for a in addresses], " ")


# ---- one case ----

def build(folder, out):
    rc, o, e = procs.sh(["sh", os.path.join(folder, "build.sh"), out], 120)
    if rc != 0:
        raise Problem("build.sh: exit %s: %s" % (rc, (e or o).strip()[-300:]))


def run_case(folder, expect, worlds):
    """[(world, problem or None, accepted name)]"""
    results, seen = [], {}
    with tempfile.TemporaryDirectory(prefix="uncoil-case-") as out:
        build(folder, out)
        argv = expect.fields["run"].split()
        argv[0] = os.path.join(out, argv[0])
        p, pid = procs.start(argv, cwd=out)
        try:
            tid = procs.tids(pid)[int(expect.fields.get("thread", 1)) - 1]
            procs.wait_spinning(pid, tid)
            space = procs.Space(pid)
            for world in worlds:
                try:
                    if world == "engine":
                        name = world_engine(expect, space, tid, seen, os.path.join(out, "perf.data"))
                    else:
                        name = world_ptrace(expect, space, tid, seen)
                    results.append((world, None, name))
                except Problem as x:
                    results.append((world, str(x), ""))
            space.close()
        finally:
            procs.stop(p)
    return results


def judge(job, worlds):
    label, folder, variant = job
    if "kind: sframe-blob\n" in open(os.path.join(folder, "expect.txt")).readlines():
        return label, blob.judge(folder)
    try:
        expect = Expect(folder)
        return label, run_case(folder, variant(expect), worlds)
    except Problem as x:
        return label, [(w, str(x), "") for w in worlds]


def jobs_of(wanted):
    known = sorted(d for d in os.listdir(HERE) if os.path.exists(os.path.join(HERE, d, "expect.txt")))
    for w in wanted:
        if w not in known:
            sys.exit("judge.py: no case named %s" % w)
    for name in wanted or known:
        folder = os.path.join(HERE, name)
        yield name, folder, lambda e: e
        if any(line.startswith("run-sframe:") for line in open(os.path.join(folder, "expect.txt"))):
            yield name + "(sframe)", folder, sframe_variant


def options():
    a = argparse.ArgumentParser(description="judge uncoil on hard stacks")
    a.add_argument("--world", choices=["ptrace", "engine", "both"], default="both")
    a.add_argument("-j", type=int, default=1, metavar="N", help="cases at a time (default 1)")
    a.add_argument("-v", action="store_true", help="also the source's reason for a failed case")
    a.add_argument("case", nargs="*")
    return a.parse_args()


def main():
    o = options()
    worlds = {"both": ["engine", "ptrace"]}.get(o.world, [o.world])
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
        for label, results in pool.map(lambda j: judge(j, worlds), list(jobs_of(o.case))):
            for world, problem, name in results:
                passed, failed = passed + (not problem), failed + bool(problem)
                if problem:
                    print("FAIL %s %s: %s" % (label, world, problem), flush=True)
                else:
                    print("ok %s %s%s" % (label, world, " (accept %s)" % name if name else ""), flush=True)
            if o.v and any(p for _, p, _ in results):
                text = open(os.path.join(HERE, label.split("(")[0], "expect.txt")).read()
                print("\t" + text.strip().replace("\n", "\n\t"), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
