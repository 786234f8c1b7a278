#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Single-step programs and hold uncoil's walk against the truth at every instruction.

At a pc that an FDE covers (says readelf) no frame may be wrong, missing or
made up; glibc's __longjmp and libgcc's jump to a landing pad apart. With these,
and with what has no unwind data, at most WHOLE_SHARE of all pcs may be wrong or
short. Bare programs, built without unwind data, have bounds of their own: there
no frame may be wrong or made up, but some may be missing.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
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
WHOLE_SHARE = 0.001
BARE = " -fno-asynchronous-unwind-tables -fno-unwind-tables"
CLANG = next((c for c in ("clang-19", "clang-20", "clang-21") if shutil.which(c)), "clang")
BAD = re.compile(r"BAD (\S+) (\w+) #(\d+) pc ([0-9a-f]+) \((.*)\+0x([0-9a-f]+)\) "
                 r"frame (\d+): got ([0-9a-f]+) true ([0-9a-f]+) \((\d+) of (\d+) frames\)")


class Subject:
    """A program: a command, or a source of t/ and how to build it."""

    def __init__(self, name, argv=None, build=None, source=None, limit=0, options=(), bare_share=None):
        self.name, self.argv, self.limit, self.options = name, argv, limit, list(options)
        self.compile, self.source, self.bare_share = build and build.split(), source, bare_share

    def build(self, out):
        if not self.compile:
            return
        self.argv = [os.path.join(out, self.name)]
        sh(self.compile + ["-w", "-o", self.argv[0], "t/" + self.source])

    def is_missing(self):
        return self.compile and not shutil.which(self.compile[0])


# limit: instructions at most; stepping begins at the program's entry point. bare_share: of
# the pcs, those at which a bare program's walk may be short. The longest come first.
SUBJECTS = [
    Subject("t2", build="g++ -O2", source="t2.cc"),
    Subject("python3", ["/usr/bin/python3", "-c", "pass"], limit=100000),
    Subject("ls", ["/bin/ls", "/usr"], limit=80000),
    Subject("xz", ["/usr/bin/xz", "-c", os.path.join(HERE, "oracle.h")], limit=70000),
    Subject("true", ["/bin/true"]),
    Subject("t1", build="gcc -O2", source="t1.c"),
    Subject("t1-O0", build="gcc -O0", source="t1.c"),
    Subject("t1-O3", build="gcc -O3", source="t1.c"),
    Subject("t1-lld", build="gcc -O2 -fuse-ld=lld", source="t1.c"),
    Subject("t1-cf", build="gcc -O2 -fcf-protection=full -Wl,-z,ibtplt", source="t1.c"),
    Subject("t1-no-cf", build="gcc -O2 -fcf-protection=none", source="t1.c"),
    Subject("t1-static-pie", build="gcc -O2 -static-pie", source="t1.c"),
    Subject("t3", build="gcc -O2 -pthread", source="t3.c"),
    Subject("t3-thread", build="gcc -O2 -pthread", source="t3.c", options=["-t"]),
    Subject("bare-O0", build="gcc -O0" + BARE, source="t1.c", bare_share=0.005),
    Subject("bare-O2", build="gcc -O2" + BARE, source="t1.c", bare_share=0.005),
    Subject("bare-fp", build="gcc -O2 -fno-omit-frame-pointer" + BARE, source="t1.c", bare_share=0.005),
    Subject("bare-clang", build=CLANG + " -O2" + BARE, source="t1.c", bare_share=0.005),
    Subject("bare-musl", build="musl-gcc -O2 -static" + BARE, source="t1.c", bare_share=0.005),
]


def sh(cmd):
    rc, o, e = procs.sh(cmd, 120, cwd=HERE)
    if rc != 0:
        raise Problem("%s: exit %s\n%s" % (" ".join(cmd), rc, e or o))


def build(out):
    sh(["gcc", "-O2", "-o", out + "/oracle", "oracle.c", "-ldl"])
    sh(["gcc", "-O2", "-shared", "-fPIC", "-o", out + "/plug_none.so", "plug_none.c"])


class Look:
    """One pc at which the oracle asked, or a bad answer there."""

    def __init__(self, m):
        self.plugin, self.kind, self.path, self.line = m[1], m[2], m[5], m[0]
        self.offset = int(m[6], 16)
        if self.path.startswith("/"):
            self.address = procs.Elf.of(self.path).address_of(self.offset)
        else:  # the vdso: its only segment starts at file offset 0
            self.address = self.offset
        self.row = fdes.Fdes.of(self.path).row_at(self.address) if self.address is not None else None
        self.judged = self.row is not None and not fdes.is_longjmp(self.row) and not self.is_eh_return()
        self.module = os.path.basename(self.path) or "no file"

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


def step(out, plugin, subject, timeout):
    """(all looks, bad answers, summary line)"""
    limit = subject.limit
    subject.build(out)
    cmd = [out + "/oracle", "-e", "-f", "-u", "1", "-v", "99999", "-n", str(limit)] + subject.options + [
        "-p", out + "/plug_none.so", "-p", plugin, "--"] + subject.argv
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


def examples(errors):
    for b in errors[:EXAMPLES]:
        cfa = "CFA %s" % b.row[2] if b.row else "no FDE"
        print("\t%s in %s, %s: %s" % (b.module, b.function(), cfa, b.line))
    if len(errors) > EXAMPLES:
        print("\tand %d more" % (len(errors) - EXAMPLES))


def report(subject, looks, bad, summary):
    """Print the verdict of one subject; whether it is good."""
    bare = subject.bare_share is not None
    judged = [k for k in looks if k.judged or (bare and k.row is None)]
    errors = [b for b in bad if b.judged or (bare and b.row is None)]
    counts = collections.Counter(b.kind for b in errors)
    if len(judged) < 1000:
        print("FAIL oracle %s: only %d pcs were judged (%s)" % (subject.name, len(judged), summary))
        return False
    may_be_short = int(len(judged) * subject.bare_share) if bare else 0
    ok = counts["wrong"] + counts["long"] == 0 and counts["short"] <= may_be_short
    if ok and bare:
        errors = []
    print("%s oracle %s: %d pcs, %d %s: %d wrong, %d short, %d long" % (
        "ok" if ok else "FAIL", subject.name, len(looks), len(judged), "without it, too" if bare else "with unwind data",
        counts["wrong"], counts["short"], counts["long"]))
    if not ok:
        examples([b for b in errors if b.kind != "short"] + [b for b in errors if b.kind == "short"])
    return ok


def report_whole(looks, bad):
    """The verdict over all pcs of programs with unwind data."""
    kinds = collections.Counter(b.kind for b in bad)
    share = len(bad) / len(looks)
    ok = share <= WHOLE_SHARE
    print("%s oracle all pcs: %d, with those that have no FDE: %d wrong, %d short, %d long: %.3f %%" % (
        "ok" if ok else "FAIL", len(looks), kinds["wrong"], kinds["short"], kinds["long"], 100 * share))
    return ok


def table(looks, bad):
    """Per module what was not judged: pcs without an FDE, __longjmp, eh_return."""
    print("\n%-28s %8s %9s %7s %7s %7s  functions" % ("not judged: module", "pcs", "of these", "wrong", "short", "long"))
    seen, left = collections.Counter(), collections.Counter()
    for k in {(k.path, k.address): k for k in looks}.values():
        seen[k.module] += 1
        left[k.module] += not k.judged
    for module in sorted(seen):
        rest = {(b.path, b.address): b for b in bad if b.module == module and not b.judged}.values()
        kinds = collections.Counter(b.kind for b in rest)
        functions = sorted({b.function() for b in rest})
        print("%-28s %8d %9d %7d %7d %7d  %s" % (module, left[module], seen[module], kinds["wrong"], kinds["short"],
                                                kinds["long"], procs.cut(functions, " ", 12)))


def main():
    a = argparse.ArgumentParser(description="judge the walk at every instruction")
    a.add_argument("--plugin", default=PLUGIN, help="default: build/tests/plug_uncoil.so")
    a.add_argument("-j", type=int, default=min(2, os.cpu_count()), metavar="N", help="programs at a time (default 2)")
    a.add_argument("--timeout", type=int, default=100, help="seconds for one program")
    a.add_argument("subject", nargs="*", help=" ".join(s.name for s in SUBJECTS))
    o = a.parse_args()
    verdicts, all_looks, all_bad, whole, whole_bad = [], [], [], [], []

    def one(s):
        try:
            return s, step(out, os.path.abspath(o.plugin), s, o.timeout)
        except Problem as x:
            return s, x

    todo = [s for s in SUBJECTS if not o.subject or s.name in o.subject]
    for s in [s for s in todo if s.is_missing()]:
        print("skip oracle %s: %s is not installed" % (s.name, s.compile[0]))
        todo.remove(s)
    with tempfile.TemporaryDirectory(prefix="uncoil-oracle-") as out:
        try:
            build(out)
        except Problem as x:
            sys.exit("oracle/run.py: %s" % x)
        with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
            for s, result in pool.map(one, todo):
                if isinstance(result, Problem):
                    print("FAIL oracle %s: %s" % (s.name, result), flush=True)
                    verdicts.append(False)
                    continue
                looks, bad, summary = result
                verdicts.append(report(s, looks, bad, summary))
                sys.stdout.flush()
                all_looks += looks
                all_bad += bad
                if s.bare_share is None:
                    whole += looks
                    whole_bad += bad
        if whole:
            verdicts.append(report_whole(whole, whole_bad))
        table(all_looks, all_bad)
    print("%d passed, %d failed" % (sum(verdicts), len(verdicts) - sum(verdicts)))
    return 0 if verdicts and all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
