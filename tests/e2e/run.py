#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Record real programs with the engine and compare with what is known from elsewhere.

Programs that come to rest in one place: every sample equals gdb's stack of the
same process. Programs that run freely: every stack is whole, each return
address follows a call, the outermost frame is one that says so.
"""
import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "cases")
sys.path[:0] = [CASES, os.path.join(HERE, "..", "oracle")]
import fdes
import perfdata
import procs
from procs import Problem

PYTHON = "/usr/bin/python3"
SHARE = 99.9
CHECKS = []
OUT = ""  # temporary folder with the programs built
VERBOSE = False


def check(fn):
    """A function that returns what to print behind ok, or raises Problem."""
    CHECKS.append(fn)
    return fn


# ---- gdb, as the other opinion ----

GDB_SCRIPT = """
import gdb
for t in gdb.selected_inferior().threads():
    t.switch()
    print("thread", t.ptid[1])
    f = gdb.newest_frame()
    while f is not None and f.is_valid():
        # inlined calls and tail calls are made up from debug information
        if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            print("pc %x" % f.pc())
        f = f.older()
"""


def gdb_stacks(pid):
    """{tid: [addresses]} of a process, which stands still meanwhile."""
    script = os.path.join(OUT, "walk-gdb.py")
    with open(script, "w") as f:
        f.write(GDB_SCRIPT)
    cmd = ["gdb", "-nx", "-q", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off",
           "-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on", "-p", str(pid),
           "-ex", "source " + script]
    rc, out, err = procs.sh(cmd, 60)
    stacks, cur = {}, None
    for line in out.splitlines():
        if m := re.match(r"thread (\d+)$", line):
            cur = stacks.setdefault(int(m[1]), [])
        elif (m := re.match(r"pc ([0-9a-f]+)$", line)) and cur is not None:
            cur.append(int(m[1], 16))
    if rc != 0 or not stacks:
        raise Problem("gdb: exit %s: %s" % (rc, err.strip()[-300:]))
    return stacks


def same_as_gdb(walks, want, least=3):
    """All samples of one thread against gdb's stack; the innermost pc is free to move."""
    if len(walks) < least:
        raise Problem("only %d samples" % len(walks))
    for i, w in enumerate(walks):
        if w.addresses[1:] != want[1:]:
            n = next((k for k, (a, b) in enumerate(zip(w.addresses, want)) if k and a != b),
                     min(len(w.addresses), len(want)))
            raise Problem("sample %d of %d differs from gdb at frame %d: %d frames [%s], gdb %d; ours %s; gdb's %s" % (
                i + 1, len(walks), n, len(w.addresses), w.stop, len(want), hexes(w.addresses[n:]), hexes(want[n:])))


def hexes(addresses):
    return procs.cut(["%x" % a for a in addresses], " ", 8) or "nothing"


def complete(walks):
    for w in walks:
        if w.stop != "outermost":
            raise Problem("a stack of %d frames is not complete: %s %s" % (len(w.addresses), w.stop, w.detail))


class Resting:
    """A program that has come to rest; recorded by the engine, then seen by gdb."""

    def __init__(self, argv, record_args=(), fields="tid,time,ip,stop"):
        p, pid = procs.start(argv)
        try:
            data = os.path.join(OUT, "rest.data")
            self.closing = perfdata.Closing(procs.record(data, ["-F", "199", "-d", "0.6", "-p", str(pid), *record_args]))
            self.walks = procs.script(data, fields)
            self.gdb = gdb_stacks(pid)
            self.pid = pid
        finally:
            procs.stop(p)

    def of(self, tid):
        return [w for w in self.walks if w.tid == tid]


def prog(name):
    return os.path.join(OUT, name)


# ---- programs at rest ----

def deep(n, record_args, frames, stop):
    r = Resting([prog("deep"), "calls", str(n)], record_args)
    want = r.gdb[r.pid]
    if len(want) != n + 5:
        raise Problem("gdb sees %d frames, not %d" % (len(want), n + 5))
    same_as_gdb(r.of(r.pid), want[:frames])
    for w in r.walks:
        if w.stop != stop or len(w.addresses) != frames:
            raise Problem("%d frames [%s], not %d [%s]" % (len(w.addresses), w.stop, frames, stop))
    return "%d samples of %d frames [%s]" % (len(r.walks), frames, stop)


@check
def deep_1000():
    return deep(1000, [], 1005, "outermost")


@check
def deep_3000():
    return deep(3000, ["--max-stack", "4096"], 3005, "outermost")


@check
def deep_3000_default():
    return deep(3000, [], 1024, "depth-limit")


@check
def deep_128():
    """One event holds 128 frames: the ones around that border."""
    for n in (122, 123, 124):
        deep(n, [], n + 5, "outermost")
    return "127, 128 and 129 frames"


@check
def big_frame():
    r = Resting([prog("deep"), "alloca", "1048576"])
    same_as_gdb(r.of(r.pid), r.gdb[r.pid])
    complete(r.walks)
    return "%d samples over a frame of 1 MiB" % len(r.walks)


@check
def python_at_rest():
    r = Resting([PYTHON, os.path.join(HERE, "deep.py"), "spin", prog("spin.so"), "40"])
    same_as_gdb(r.of(r.pid), r.gdb[r.pid])
    complete(r.walks)
    return "%d samples of %d frames" % (len(r.walks), len(r.gdb[r.pid]))


@check
def threads_at_rest():
    r = Resting([prog("threads"), "spin"])
    spinning = [t for t in r.gdb if t != r.pid]
    if len(spinning) != 4:
        raise Problem("gdb sees %d threads" % len(spinning))
    for t in spinning:
        same_as_gdb(r.of(t), r.gdb[t])
    complete(r.walks)
    return "%d samples of 4 threads, %s frames" % (len(r.walks), "/".join(str(len(r.gdb[t])) for t in spinning))


# ---- programs of 32 bits ----

QEMU = os.path.join(HERE, "..", "qemu")
# Debian has asm/ there; gcc-multilib, which links to it, excludes the cross compilers.
I386 = ["gcc", "-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"]
SCENES = ["qsort", "deep", "alloca", "crowded", "signal", "signal-old", "nested", "altstack", "altstack-info", "leaf",
          "illegal", "illegal-info", "threads"]


def i386_scenes(name):
    """What qemu/subject.c makes of stacks: all in one recording, then gdb walks each."""
    data, started = prog(name + ".data"), {}
    try:
        for scene in SCENES:
            started[scene] = procs.start([prog(name), scene, "rest"])[0]
        pids = ",".join(str(p.pid) for p in started.values())
        closing = perfdata.Closing(procs.record(data, ["-F", "499", "-d", "2", "-p", pids]))
        stacks = {scene: gdb_stacks(p.pid) for scene, p in started.items()}
    finally:
        for p in started.values():
            procs.stop(p)
    # More programs than CPUs: some wait for theirs when it ends, with a walk still to do.
    walks = [w for w in procs.script(data) if w.stop]
    if set(closing.lost) - {"pending"} or len(walks) != closing.complete:
        raise Problem(closing.line)
    complete(walks)
    for scene, threads in stacks.items():
        mine = [t for t in threads if any(w.tid == t for w in walks)]
        if len(mine) != 1:
            raise Problem("%s: %d threads have samples" % (scene, len(mine)))
        try:
            same_as_gdb([w for w in walks if w.tid == mine[0]], threads[mine[0]], 1)
        except Problem as x:
            raise Problem("%s: %s" % (scene, x))
    if max(len(t) for s in stacks.values() for t in s.values()) < 1000:
        raise Problem("gdb sees no deep stack")
    return "%d samples of %d programs" % (len(walks), len(stacks))


@check
def i386_at_rest():
    return i386_scenes("subject32")


@check
def i386_static_at_rest():
    return i386_scenes("subject32-static")


# ---- programs that run freely ----

class Free:
    """A recording of a command, with the mappings that its processes had."""

    def __init__(self, name, argv, hz=997, timeout=60):
        self.name = name
        self.data = os.path.join(OUT, name + ".data")
        self.closing = perfdata.Closing(procs.record(self.data, ["-F", str(hz), "--"] + argv, timeout))
        self.file = perfdata.File(self.data)
        self.walks = procs.script(self.data, "pid,tid,time,ip,stop")
        self.find_places()
        walked = [w for w in self.walks if w.addresses and w.stop != "task-gone"]
        self.landing = [w for w in walked if in_landing(w)]
        self.stacks = [w for w in walked if not in_landing(w)]

    def find_places(self):
        """By the mappings at the time of the walk: a sample in execve() comes before those."""
        times = {}
        for s in self.file.samples:
            times.setdefault((s.pid, s.tid, s.time // 1000, tuple(s.user or ())), []).append(s.walked)
        for w in self.walks:
            key = (w.pid, w.tid, round(w.time_s * 1e6), tuple(w.addresses))
            w.walked = times[key].pop() if times.get(key) else round(w.time_s * 1e9)
        spaces = perfdata.Spaces(self.file)
        for w in sorted(self.walks, key=lambda w: w.walked):
            spaces.advance(w.walked)
            w.places = places(w, spaces)


class Place:
    """Where a frame is: file, offset in it, and whether its address was taken as it is."""

    def __init__(self, where, exact, signal):
        self.path, self.offset = where or ("", 0)
        self.mapped, self.exact, self.signal = where is not None, exact, signal

    def address(self):
        """In the file's own terms; None where there is no file."""
        if self.path == "[vdso]":
            return self.offset
        return procs.Elf.of(self.path).address_of(self.offset) if self.path.startswith("/") else None

    def row(self):
        a = self.address()
        return None if a is None else fdes.Fdes.of(self.path).row_at(a)

    def __str__(self):
        functions = []
        if self.path.startswith("/") and self.address() is not None:
            functions = procs.Elf.of(self.path).functions_at(self.address())
        return "%s+0x%x%s" % (os.path.basename(self.path) or "[unmapped]", self.offset,
                              " (%s)" % functions[0] if functions else "")


def places(walk, spaces):
    out, exact = [], True
    for a in walk.addresses:
        at = spaces.find(walk.pid, a)
        signal = at is not None and in_trampoline(*at, exact)
        exact = exact or signal
        out.append(Place(at if exact else spaces.find(walk.pid, a - 1), exact, signal))
        exact = signal
    return out


def in_trampoline(path, offset, exact):
    """At the start of what a signal handler returns to; a pc as it is may be anywhere in it."""
    size = len(procs.RESTORER)
    starts = range(offset, max(offset - size, 0), -1) if exact else [offset]
    return any(image(path, s, size) == procs.RESTORER for s in starts)


@functools.lru_cache(1 << 16)
def image(path, offset, size):
    if path == "[vdso]":
        return fdes.vdso_image()[offset:offset + size]
    try:
        with open(path, "rb") as f:
            f.seek(offset)
            return f.read(size)
    except OSError:
        return b""


def ends_in_call(code):
    """Do these bytes end in a call instruction? e8 rel32, or ff /2 with its operand."""
    if len(code) >= 5 and code[-5] == 0xe8:
        return True
    return any(is_indirect_call(code[-n:]) for n in range(2, 10) if n <= len(code))


def is_indirect_call(code):
    i = 0
    while i < len(code) and code[i] in b"\x66\x67\x2e\x36\x3e\x26\x64\x65\xf2\xf3":
        i += 1
    if i < len(code) and code[i] & 0xf0 == 0x40:
        i += 1
    if i + 2 > len(code) or code[i] != 0xff or code[i + 1] >> 3 & 7 != 2:
        return False
    mod, rm = code[i + 1] >> 6, code[i + 1] & 7
    size = i + 2
    if mod != 3 and rm == 4:
        if size >= len(code):
            return False
        rm = code[size] & 7  # base of the index byte
        size += 1
    size += {0: 4 if rm == 5 else 0, 1: 1, 2: 4, 3: 0}[mod]
    return size == len(code)


def in_loader_start(place):
    """ld.so's first instructions, which glibc gives no unwind data."""
    if not os.path.basename(place.path).startswith("ld-linux"):
        return False
    return 0 <= (place.address() or 0) - procs.Elf.of(place.path).entry < 64


def is_new_thread(w):
    """A thread's first instruction, behind the system call in glibc's clone3: without an
    FDE, but the next one after it is the thread's start, whose return address is undefined."""
    p = w.places[0]
    if len(w.places) > 1 or p.row() or image(p.path, p.offset - 2, 2) != b"\x0f\x05":
        return False
    rows = [fdes.Fdes.of(p.path).row_at(p.address() + k) for k in range(1, 64)]
    first = next((r for r in rows if r), None)
    return first is not None and fdes.is_outermost(first)


def has_no_data(place):
    """No FDE covers it, says readelf: .init, .fini, the system call of glibc's clone3."""
    return place.address() is not None and place.row() is None


def in_landing(w):
    """libgcc is about to jump to a landing pad: it puts the pad's registers over the saved ones
    (in uw_install_context_1) and the pad's address in place of its own return address, so CFI
    says what cannot be right. The last of it: mov %rcx,%rsp; pop %rcx; jmp *%rcx."""
    return any(os.path.basename(p.path).startswith("libgcc_s") and
               b"\x48\x89\xcc\x59\xff\xe1" in image(p.path, max(p.offset - 4, 0), 144) for p in w.places[:2])


def whole_share(r):
    """Complete, or stopped where the file has no unwind data: a true stop."""
    if len(r.stacks) < 20:
        raise Problem("only %d stacks: %s" % (len(r.stacks), r.closing.line))
    complete = [w for w in r.stacks if w.stop == "outermost"]
    cut = [w for w in r.stacks if w.stop != "outermost"]
    wrong = [w for w in cut if w.stop != "no-entry" or not has_no_data(w.places[-1])]
    text = "%d stacks, %d complete: %.3f %%" % (len(r.stacks), len(complete), 100.0 * len(complete) / len(r.stacks))
    for n, what in ((len(cut) - len(wrong), "stop where no FDE is"), (len(r.landing), "in a jump to a landing pad left out"),
                    (len(r.walks) - len(r.stacks) - len(r.landing), "samples without a stack")):
        text += "; %d %s" % (n, what) if n else ""
    kinds = {}
    for w in wrong:
        kinds.setdefault(chain(w), []).append(w)
    for what, ws in sorted(kinds.items(), key=lambda x: -len(x[1]))[:5]:
        text += "\n\tincomplete: %d times %s, once %s" % (len(ws), what, ws[0].detail)
    if 100.0 * (len(r.stacks) - len(wrong)) / len(r.stacks) < SHARE:
        raise Problem(text)
    return text


def follows_calls(r):
    """Every return address of every stack, complete or not."""
    seen = set()
    for w in r.stacks:
        exact = True
        for i, (a, p) in enumerate(zip(w.addresses, w.places)):
            key = (p.path, p.offset, exact or p.signal)
            if key not in seen:
                if not p.mapped:
                    raise Problem("frame %d of %d at %x is not mapped: %s" % (i, len(w.addresses), a, chain(w)))
                before = image(p.path, p.offset + 1 - 16, 16) if p.offset >= 15 else b""
                if not exact and not p.signal and not ends_in_call(before):
                    raise Problem("frame %d, %x in %s, does not follow a call: %s" % (i, a, p, chain(w)))
                seen.add(key)
            exact = p.signal
    return "%d different addresses" % len(seen)


def chain(w):
    return "%s [%s]" % (procs.cut([str(p) for p in w.places], " < "), w.stop)


def ends_outermost(r):
    """What is called complete ends where CFI leaves the return address undefined, or where
    the kernel starts a program or thread: ld.so's first instructions, clone3's system call."""
    ends = set()
    for w in r.stacks:
        if w.stop == "outermost":
            row = w.places[-1].row()
            if not (fdes.is_outermost(row) if row else
                    in_loader_start(w.places[-1]) or is_new_thread(w)):
                raise Problem("called complete, ends in %s: %s" % (w.places[-1], chain(w)))
            ends.add(str(w.places[-1]).split("+")[0])
    return "in " + " ".join(sorted(ends))


def adds_up(r, all_ended=True):
    """The closing line, the file, and the script agree; nothing is unaccounted for."""
    c = r.closing
    stacks = c.complete + sum(c.partial.values())
    without = c.no_user + sum(c.lost.values())
    if c.samples != stacks + without:
        raise Problem("%d samples are not %d stacks and %d without: %s" % (c.samples, stacks, without, c.line))
    if all_ended and c.lost.get("pending"):
        raise Problem("all has ended, but stacks are still pending: " + c.line)
    known = sum(s.user is not None for s in r.file.samples)
    if len(r.file.samples) != c.samples or known != stacks:
        raise Problem("the file has %d samples, %d with a stack: %s" % (len(r.file.samples), known, c.line))
    printed = [w for w in r.walks if w.stop]
    if len(r.walks) != c.samples or len(printed) != stacks:
        raise Problem("script prints %d samples, %d with a stack: %s" % (len(r.walks), len(printed), c.line))
    if sum(w.stop == "outermost" for w in printed) != c.complete:
        raise Problem("script prints %d complete stacks: %s" % (sum(w.stop == "outermost" for w in printed), c.line))
    same_frames(r)
    report_agrees(r)
    return c.line


def report_agrees(r):
    rc, out, err = procs.sh([procs.UNCOIL, "report", "-i", r.data, "--json"], 30)
    if rc != 0:
        raise Problem("uncoil report --json: exit %s: %s" % (rc, err.strip()[-300:]))
    j, c = json.loads(out), r.closing
    lost = {k: n for k, n in j["lost"].items() if k not in c.unrecorded}
    ends = dict(c.partial, outermost=c.complete) if c.complete else c.partial
    if (j["samples"], j["complete"], j["stops"], lost) != (c.samples, c.complete, ends, c.lost):
        raise Problem("report --json says %s, the closing line %s" % (out, c.line))
    if j["user_stacks"] != sum(ends.values()) or j["samples"] != j["user_stacks"] + sum(lost.values()) + c.no_user:
        raise Problem("report --json does not add up: " + out)


def same_frames(r):
    """What script prints is what the file holds."""
    mine, theirs = {}, {}
    for s in r.file.samples:
        key = (s.pid, s.tid, s.time // 1000)
        mine.setdefault(key, []).append(s.user or [])
    for w in r.walks:
        theirs.setdefault((w.pid, w.tid, round(w.time_s * 1e6)), []).append(w.addresses)
    for key in sorted(mine.keys() | theirs.keys()):
        if sorted(mine.get(key, [])) != sorted(theirs.get(key, [])):
            raise Problem("sample of %d/%d at %.6f: the file and uncoil script differ" % (*key[:2], key[2] / 1e6))


def free(name, argv, hz=997):
    """The four checks of a program that runs freely."""
    recording = []

    def get():
        if not recording:
            try:
                recording.append(Free(name, argv(), hz))
            except Problem as x:
                recording.append(x)
        if isinstance(recording[0], Problem):
            raise Problem(str(recording[0]))
        return recording[0]

    for test in (whole_share, follows_calls, ends_outermost, adds_up):
        fn = lambda test=test: test(get())
        fn.__name__ = "%s_%s" % (name, test.__name__)
        check(fn)


def xz_input():
    with open(prog("input"), "wb") as f, open("/usr/bin/gdb", "rb") as big:
        f.write(big.read(3 << 20))
    return prog("input")


SHELL = """i=0
while [ $i -lt 150 ]; do
    /bin/true
    x=$(echo $i | sed s/1/2/)
    (exit 3)
    i=$((i + 1))
done"""

free("python", lambda: [PYTHON, os.path.join(HERE, "deep.py"), "work", "2000"])
free("xz", lambda: ["sh", "-c", "xz -k -c -T2 -3 --block-size=1MiB %s >/dev/null" % xz_input()])
free("threads", lambda: [prog("threads"), "work", "1500"])
free("i386", lambda: [prog("deep32"), "run", "100", "1500"])
free("shell", lambda: ["sh", "-c", SHELL], 2999)
free("exec", lambda: ["sh", "-c", "exec env A=1 sh -c 'exec env B=2 sh -c \"exec %s run 300 1000\"'" % prog("deep")], 2999)
free("storm", lambda: [prog("storm"), "3000", "/bin/true"], 4999)


@check
def exec_names_the_last_program():
    """After two exec's in a row the stacks are those of the program that runs then."""
    r = Free("chain", ["sh", "-c", "exec env A=1 sh -c 'exec %s run 300 1500'" % prog("deep")])
    last = [w for w in r.stacks if os.path.basename(w.places[-1].path) == "deep"]
    full = [w for w in last if len(w.addresses) > 250]
    if len({w.pid for w in r.walks}) != 1 or len(full) < 20:
        raise Problem("%d deep stacks of %d, processes %d" % (len(full), len(r.stacks), len({w.pid for w in r.walks})))
    return "%d stacks, %d of them deep in the last program" % (len(r.stacks), len(full))


# ---- hostile data ----

MALFORMED = ["aug-unknown", "cie-pointer-wild", "expr-div-zero", "expr-loop", "expr-underflow", "opcode-unknown",
             "restore-underflow", "truncated-section"]


def start_malformed(started):
    for name in MALFORMED:
        folder = prog("bad")
        rc, o, e = procs.sh(["sh", os.path.join(CASES, name, "build.sh"), folder], 60)
        if rc != 0:
            raise Problem("build of %s: %s" % (name, e or o))
        os.rename(os.path.join(folder, "prog"), prog("bad-" + name))
        started[name] = procs.start([prog("bad-" + name)])[0]


@check
def malformed_data():
    """record succeeds on corrupt unwind data, and report --stops names the files."""
    started = {}
    data = prog("bad.data")
    try:
        start_malformed(started)
        procs.record(data, ["-F", "499", "-d", "1", "-p", ",".join(str(p.pid) for p in started.values())])
    finally:
        for p in started.values():
            procs.stop(p)
    walks = procs.script(data)
    for name, p in started.items():
        mine = [w for w in walks if w.tid == p.pid]
        if len(mine) < 3:
            raise Problem("%s: only %d samples" % (name, len(mine)))
        for w in mine:
            if w.stop == "outermost" or len(w.addresses) != 2:
                raise Problem("%s: %s [%s %s]" % (name, hexes(w.addresses), w.stop, w.detail))
    rc, out, err = procs.sh([procs.UNCOIL, "report", "-i", data, "--stops"], 30)
    missing = [n for n in MALFORMED if "bad-" + n not in out]
    if rc != 0 or missing:
        raise Problem("report --stops: exit %s, does not name %s\n%s%s" % (rc, " ".join(missing), out[:2000], err))
    return "%d programs" % len(MALFORMED)


def record_rewriter(p, data):
    """Both processes in one recording; the untouched one starts to spin after the other has been sampled."""
    problem = []

    def run():
        try:
            procs.record(data, ["-F", "499", "-d", "3.5", "-p", ",".join(str(x) for x in procs.tree(p.pid))])
        except Problem as x:
            problem.append(x)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(2)
    p.stdin.write(b"\n")
    p.stdin.close()
    thread.join()
    if problem:
        raise problem[0]


@check
def rewritten_unwind_data():
    """A process that rewrites its copy of libc's .eh_frame harms its own walks only."""
    p = subprocess.Popen([prog("rewriter")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if not procs.read_line(p.stdout, 10).startswith(b"READY"):
            raise Problem("the program does not get ready")
        child = procs.children(p.pid)[0]
        data = prog("rewriter.data")
        record_rewriter(p, data)
        want = gdb_stacks(p.pid)[p.pid]
    finally:
        procs.stop(p)
    walks = procs.script(data)
    good, bad = ([w for w in walks if w.tid == t] for t in (p.pid, child))
    good = [w for w in good if w.time_s > good[0].time_s + 0.01]  # from its input to its rest
    if not good or not bad or bad[0].time_s > good[0].time_s:
        raise Problem("%d and %d samples, not in the order wanted" % (len(good), len(bad)))
    same_as_gdb(good, want)
    complete(good)
    broken = sum(w.stop != "outermost" or len(w.addresses) != len(want) for w in bad)
    if not broken:
        raise Problem("the rewriting had no effect on the process itself: nothing was tested")
    return "%d samples of the other process right; of its own %d of %d broken" % (len(good), broken, len(bad))


# ---- running it ----

def build():
    for cmd in (["gcc", "-O2", "-o", "deep", "deep.c"],
                ["gcc", "-O2", "-shared", "-fPIC", "-o", "spin.so", "spin.c"],
                ["gcc", "-O2", "-o", "rewriter", "rewriter.c"],
                ["gcc", "-O2", "-pthread", "-o", "storm", "storm.c"],
                ["g++", "-O2", "-pthread", "-o", "threads", "threads.cc"],
                I386 + ["-O2", "-o", "deep32", "deep.c"],
                I386 + ["-O2", "-pthread", "-o", "subject32", os.path.join(QEMU, "subject.c")],
                I386 + ["-O2", "-pthread", "-static", "-o", "subject32-static", os.path.join(QEMU, "subject.c")]):
        cmd[cmd.index("-o") + 1] = prog(cmd[cmd.index("-o") + 1])
        rc, o, e = procs.sh(cmd, 120, cwd=HERE)
        if rc != 0:
            sys.exit("e2e/run.py: %s: exit %s\n%s" % (" ".join(cmd), rc, e or o))


def run_checks(wanted):
    passed = failed = 0
    for fn in CHECKS:
        name = fn.__name__.replace("_", "-")
        if wanted and not any(name == w or name.startswith(w + "-") for w in wanted):
            continue
        began = time.monotonic()
        try:
            text = "ok %s: %s" % (name, fn())
            passed += 1
        except Problem as x:
            text = "FAIL %s: %s" % (name, x)
            failed += 1
        print(text + (" (%.1f s)" % (time.monotonic() - began) if VERBOSE else ""), flush=True)
    return passed, failed


def main():
    global OUT, VERBOSE
    a = argparse.ArgumentParser(description="record real programs and compare")
    a.add_argument("-v", action="store_true", help="also the time of each check")
    a.add_argument("-l", action="store_true", help="list the checks")
    a.add_argument("check", nargs="*", help="names of checks, or their beginning up to a dash")
    o = a.parse_args()
    if o.l:
        print("\n".join(fn.__name__.replace("_", "-") for fn in CHECKS))
        return 0
    VERBOSE = o.v
    with tempfile.TemporaryDirectory(prefix="uncoil-e2e-") as OUT:
        build()
        passed, failed = run_checks(o.check)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
