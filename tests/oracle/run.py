#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Single-step programs and hold uncoil's walk against the truth at every instruction.

At a pc that an FDE covers (says readelf) no frame may be wrong, missing or
made up; glibc's __longjmp and libgcc's jump to a landing pad apart. These and
what has no unwind data are a table, not a verdict.
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
BAD = re.compile(r"BAD (\S+) (\w+) #(\d+) pc ([0-9a-f]+) \((.*)\+0x([0-9a-f]+)\) "
                 r"frame (\d+): got ([0-9a-f]+) true ([0-9a-f]+) \((\d+) of (\d+) frames\)")


def subjects(out):
    """(name, command, instructions at most); from the program's entry point on."""
    return [
        ("t1", [out + "/t1"], 0),
        ("t2", [out + "/t2"], 0),
        ("xz", ["/usr/bin/xz", "-c", os.path.join(HERE, "oracle.h")], 100000),
        ("ls", ["/bin/ls", "/usr"], 150000),
        ("python3", ["/usr/bin/python3", "-c", "pass"], 200000),
    ]


def build(out):
    for cmd in (["gcc", "-O2", "-o", "oracle", "oracle.c", "-ldl"],
                ["gcc", "-O2", "-shared", "-fPIC", "-o", "plug_none.so", "plug_none.c"],
                ["gcc", "-O2", "-w", "-o", "t1", "t/t1.c"],
                ["g++", "-O2", "-o", "t2", "t/t2.cc"]):
        cmd[cmd.index("-o") + 1] = os.path.join(out, cmd[cmd.index("-o") + 1])
        rc, o, e = procs.sh(cmd, 120, cwd=HERE)
        if rc != 0:
            raise Problem("%s: exit %s\n%s" % (" ".join(cmd), rc, e or o))


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


def step(out, plugin, name, argv, limit, timeout):
    """(all looks, bad answers, summary line)"""
    cmd = [out + "/oracle", "-e", "-f", "-u", "1", "-v", "99999", "-n", str(limit),
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
    """Print the verdict of one subject; the number of errors."""
    errors = [b for b in bad if b.judged]
    covered = sum(k.judged for k in looks)
    counts = collections.Counter(b.kind for b in errors)
    if covered < 1000:
        print("FAIL oracle %s: only %d pcs with unwind data were looked at (%s)" % (name, covered, summary))
        return 1
    print("%s oracle %s: %d pcs, %d with unwind data: %d wrong, %d short, %d long" % (
        "FAIL" if errors else "ok", name, len(looks), covered, counts["wrong"], counts["short"], counts["long"]))
    for b in errors[:EXAMPLES]:
        print("\t%s in %s, CFA %s: %s" % (b.module, b.function(), b.row[2], b.line))
    if len(errors) > EXAMPLES:
        print("\tand %d more" % (len(errors) - EXAMPLES))
    return len(errors)


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
    a.add_argument("-j", type=int, default=1, metavar="N", help="programs at a time (default 1)")
    a.add_argument("--timeout", type=int, default=80, help="seconds for one program")
    a.add_argument("subject", nargs="*", help="t1 t2 xz ls python3")
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
                    failed += 1
                else:
                    passed += 1
                sys.stdout.flush()
                all_looks += looks
                all_bad += bad
        table(all_looks, all_bad)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
