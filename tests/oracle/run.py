#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Single-step programs and hold uncoil's walk against the truth at every instruction.

At a pc that an FDE covers (says readelf) no frame may be wrong, missing or
made up; of all pcs, those without unwind data too, at most one in a thousand.
Places where the truth is not one are left out, and printed as a table.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cases"))
import fdes
import procs
from procs import Problem

PLUGIN = os.path.join(procs.BUILD, "tests", "plug_uncoil.so")
EXAMPLES = 10
MOST_BAD = 0.001 # of all pcs of a program
# musl's take the return address off the stack, or jump to where another stack
# pointer belongs: the shadow stack has lost what they still know.
NO_TRUTH = {"sigsetjmp", "__sigsetjmp", "__sigsetjmp_tail", "longjmp", "_longjmp", "setjmp"}

BAD = re.compile(r"BAD (\S+) (\w+) #(\d+) pc ([0-9a-f]+) \((.*)\+0x([0-9a-f]+)\) "
                 r"frame (\d+): got ([0-9a-f]+) true ([0-9a-f]+) \((\d+) of (\d+) frames\)")


# name: how t1.c is built
T1 = {
    "t1": ["gcc", "-O2"],
    "t1-O0": ["gcc", "-O0"],
    "t1-O3": ["gcc", "-O3"],
    "t1-cet": ["gcc", "-O2", "-fcf-protection=full"],
    "t1-nocet": ["gcc", "-O2", "-fcf-protection=none"],
    "t1-lld": ["gcc", "-O2", "-fuse-ld=lld", "-Wl,-z,lazy"],
    "t1-static-pie": ["gcc", "-O2", "-static-pie"],
    # programs without unwind data
    "t1-bare": ["gcc", "-O2", "-fno-asynchronous-unwind-tables"],
    "t1-bare-O0": ["gcc", "-O0", "-fno-asynchronous-unwind-tables"],
    "t1-bare-fp": ["gcc", "-O2", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables"],
    "t1-bare-clang": ["clang-19", "-O2", "-fno-asynchronous-unwind-tables"],
    "t1-musl": ["musl-gcc", "-O2", "-static"],
}


def subjects(out):
    """(name, command, instructions at most, options); from the program's entry point on."""
    return [
        ("xz", ["/usr/bin/xz", "-c", os.path.join(HERE, "oracle.h")], 60000, []),
        ("ls", ["/bin/ls", "/usr"], 80000, []),
        ("python3", ["/usr/bin/python3", "-c", "pass"], 100000, []),
        ("true", ["/bin/true"], 0, []),
        ("dash", ["/bin/dash", "-c", "echo $((6 * 7))"], 0, []),
        ("t2", [out + "/t2"], 0, []),
        ("threads", [out + "/threads"], 0, []),
        ("threads-new", [out + "/threads"], 0, ["-t"]),
        ("threads-musl", [out + "/threads-musl"], 0, []),
        ("threads-musl-new", [out + "/threads-musl"], 0, ["-t"]),
    ] + [(name, [out + "/" + name], 0, []) for name in T1]


def build(out):
    for cmd in [["gcc", "-O2", "-o", "oracle", "oracle.c", "-ldl"],
                ["gcc", "-O2", "-shared", "-fPIC", "-o", "plug_none.so", "plug_none.c"],
                ["g++", "-O2", "-o", "t2", "t/t2.cc"],
                ["gcc", "-O2", "-pthread", "-o", "threads", "t/threads.c"],
                ["musl-gcc", "-O2", "-o", "threads-musl", "t/threads.c"],
                ] + [how + ["-w", "-o", name, "t/t1.c"] for name, how in T1.items()]:
        cmd[cmd.index("-o") + 1] = os.path.join(out, cmd[cmd.index("-o") + 1])
        rc, o, e = procs.sh(cmd, 120, cwd=HERE)
        if rc != 0:
            raise Problem("%s: exit %s\n%s" % (" ".join(cmd), rc, e or o))


class Look:
    """One pc at which the oracle asked, or a bad answer there."""

    def __init__(self, m):
        self.plugin, self.kind, self.path, self.line = m[1], m[2], m[5], m[0]
        self.offset = int(m[6], 16)
        self.module = os.path.basename(self.path) or "no file"
        if self.path.startswith("/"):
            self.address = procs.Elf.of(self.path).address_of(self.offset)
        else:  # the vdso: its only segment starts at file offset 0
            self.address = self.offset
        self.row = fdes.Fdes.of(self.path).row_at(self.address) if self.address is not None else None
        self.covered = self.row is not None
        if self.covered:
            self.judged = not fdes.is_longjmp(self.row) and not self.is_eh_return()
        else:
            self.judged = self.function() not in NO_TRUTH

    def is_eh_return(self):
        """At the jump to a landing pad CFI already shows the landing pad's function as the
        caller; to the oracle the jump has not happened. mov %rcx,%rsp; pop %rcx; jmp *%rcx"""
        if self.row[2] != "rsp+0" or not self.path.startswith("/"):
            return False
        with open(self.path, "rb") as f:
            f.seek(self.offset - 4)
            return f.read(6) == b"\x48\x89\xcc\x59\xff\xe1"

    def function(self):
        if not self.path.startswith("/") or self.address is None:
            return self.module
        elf = procs.Elf.of(self.path)
        at = elf.functions_at(self.address) or elf.sizeless_before(self.address)
        if at:
            return at[0]
        section = elf.section_at(self.address) or "?"
        return section if section != ".text" else ".text+0x%x" % (self.address & ~63)


def step(out, plugin, name, argv, limit, options, timeout):
    """(all looks, bad answers, summary line)"""
    cmd = [out + "/oracle", "-e", "-f", "-u", "1", "-v", "99999", "-n", str(limit), *options,
           "-p", out + "/plug_none.so", "-p", plugin, "--"] + argv
    rc, o, e = procs.sh(cmd, timeout, cwd=out)
    if rc == "timeout":
        raise Problem("does not end in %d s" % timeout)
    m = re.search(r"^instructions (\d+).*exit (-?\d+)$", o, re.M)
    if rc != 0 or not m:
        raise Problem("oracle: exit %s: %s" % (rc, (e + o).strip()[-300:]))
    if m[2] != "0" and not (limit and int(m[1]) >= limit):
        raise Problem("the program's exit code is " + m[2])
    if not re.search(r"^" + re.escape(os.path.basename(plugin)) + r" +looked [1-9]", o, re.M):
        raise Problem("the plug-in was not asked: " + o.strip()[-300:])
    looks = [Look(b) for b in BAD.finditer(e)]
    return ([k for k in looks if k.plugin == "plug_none.so"],
            [k for k in looks if k.plugin != "plug_none.so" and k.kind != "rewritten"], m[0])


def report(name, looks, bad, summary):
    """Print the verdict of one subject; whether it is good."""
    errors = [b for b in bad if b.judged]
    covered = [b for b in errors if b.covered]
    if len(looks) < 1000:
        print("FAIL oracle %s: only %d pcs were looked at (%s)" % (name, len(looks), summary))
        return False
    good = not covered and len(errors) <= MOST_BAD * len(looks)
    counts = collections.Counter(b.kind for b in errors)
    print("%s oracle %s: %d pcs, %d with unwind data; %d wrong, %d short, %d long: %.3f %%, of these %d with data" % (
        "ok" if good else "FAIL", name, len(looks), sum(k.covered for k in looks), counts["wrong"],
        counts["short"], counts["long"], 100 * len(errors) / len(looks), len(covered)))
    for b in [] if good else (covered or errors)[:EXAMPLES]:
        print("\t%s in %s, CFA %s: %s" % (b.module, b.function(), b.row[2] if b.row else "-", b.line))
    return good


def table(looks, bad):
    """Per module what has no unwind data or was not judged, and what is bad there."""
    print("\n%-26s %7s %7s %6s %6s %6s %6s  where" % ("module", "pcs", "no FDE", "unjdgd", "wrong", "short", "long"))
    pcs = {(k.path, k.address): k for k in looks}.values()
    seen = collections.Counter(k.module for k in pcs)
    bare = collections.Counter(k.module for k in pcs if not k.covered)
    left = collections.Counter(k.module for k in pcs if not k.judged)
    for module in sorted(seen):
        rest = {(b.path, b.address): b for b in bad if b.module == module}.values()
        kinds = collections.Counter(b.kind for b in rest)
        print("%-26s %7d %7d %6d %6d %6d %6d  %s" % (
            module, seen[module], bare[module], left[module], kinds["wrong"], kinds["short"], kinds["long"],
            procs.cut(sorted({b.function() for b in rest}), " ", 12)))
    total = len({(b.path, b.address) for b in bad})
    print("all, what is not judged too: %d of %d pcs bad, %.3f %%" % (
        total, len(pcs), 100 * total / max(1, len(pcs))))


def main():
    a = argparse.ArgumentParser(description="judge the walk at every instruction")
    a.add_argument("--plugin", default=PLUGIN, help="default: build/tests/plug_uncoil.so")
    a.add_argument("-j", type=int, default=2, metavar="N", help="programs at a time (default 2)")
    a.add_argument("--timeout", type=int, default=80, help="seconds for one program")
    a.add_argument("subject", nargs="*", help="some of: t1 t1-O0 ... t2 threads xz ls python3 true dash")
    o = a.parse_args()
    passed = failed = 0
    all_looks, all_bad = [], []

    def one(s):
        try:
            return s[0], step(out, os.path.abspath(o.plugin), *s, o.timeout)
        except Problem as x:
            return s[0], x

    with tempfile.TemporaryDirectory(prefix="uncoil-oracle-") as out:
        try:
            build(out)
        except Problem as x:
            sys.exit("oracle/run.py: %s" % x)
        todo = [s for s in subjects(out) if not o.subject or s[0] in o.subject]
        with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
            for name, result in pool.map(one, todo):
                if isinstance(result, Problem):
                    print("FAIL oracle %s: %s" % (name, result), flush=True)
                    failed += 1
                    continue
                looks, bad, summary = result
                if report(name, looks, bad, summary):
                    passed += 1
                else:
                    failed += 1
                sys.stdout.flush()
                all_looks += looks
                all_bad += bad
        table(all_looks, all_bad)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
