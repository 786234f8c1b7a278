#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Walk other machines' programs in their core files: run.py [-v] [-k DIR] [VARIANT[/SCENE]...]

subject.c is built for each variant and dies in each scene: under qemu-user, alone or with
gdb attached, or on the host under gdb. What build/tests/walk_core says of the core must be what glibc's backtrace()
had said in the program:

- a stack that goes through watch(), which called backtrace(): equal from watch()'s caller on.
  What lies inside of watch() can not be equal: backtrace() and abort() are other calls.
- a stack that does not (the program died where a handler had looked before): equal from the
  innermost frame on.

Each must end as outermost. Where gdb was there, its backtrace must be that of the walk, too. -k keeps programs and cores in DIR.
"""
import argparse
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WALK_CORE = os.path.join(HERE, "..", "..", "build", "tests", "walk_core")
CFLAGS = ["-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-fno-optimize-sibling-calls"]
SCENES = re.findall(r'\{ "([a-z-]+)", scene_', open(os.path.join(HERE, "subject.c")).read())
TIMEOUT = 60
SIGNAL = "<signal handler called>"
NT_FPREGSET, NT_FILE, PT_NOTE, PAGE = 2, 0x46494C45, 4, 4096


class Problem(Exception):
    pass


class Variant:
    """A way to build the program, and to make it die: how(variant, program, scene, folder)."""

    def __init__(self, name, how, cc, flags, scenes=SCENES):
        self.name, self.how, self.cc, self.flags, self.scenes = name, how, cc.split(), flags.split(), scenes
        self.sysroot = "/usr/" + self.cc[0].replace("-gcc", "")
        self.qemu = ["qemu-" + self.cc[0].split("-")[0], "-s", str(1 << 20), "-L", self.sysroot]
        if "aarch64" in name:
            self.qemu += ["-cpu", "max"]  # has pointer authentication


# ---- cores ----

class Elf:
    """Program headers of a core file."""

    def __init__(self, data):
        self.data = data
        self.order = ">" if data[5] == 2 else "<"
        self.wide = data[4] == 2
        if not self.wide:
            raise Problem("qemu's core is of 32 bits")
        self.phoff, = self.get("Q", 32)
        self.phnum, = self.get("H", 56)
        # (type, flags, offset, vaddr, paddr, filesz, memsz, align)
        self.segments = [list(self.get("IIQQQQQQ", self.phoff + 56 * i)) for i in range(self.phnum)]

    def get(self, fmt, at):
        return struct.unpack_from(self.order + fmt, self.data, at)

    def put(self, fmt, *values):
        return struct.pack(self.order + fmt, *values)


def add_notes(path, maps, fprs):
    """Put the names of the mapped files into qemu's core, as Linux does: qemu leaves out both the
    names and the pages that are theirs; and s390x's floating point registers, if there are any. The
    notes, with these more, move to the file's end."""
    elf = Elf(bytearray(open(path, "rb").read()))

    def note(kind, desc):
        return elf.put("III", 5, len(desc), kind) + b"CORE\0\0\0\0" + desc + b"\0" * (-len(desc) % 4)

    entries = [m for m in maps if m[3]]
    desc = elf.put("QQ", len(entries), PAGE)
    desc += b"".join(elf.put("QQQ", start, end, off // PAGE) for start, end, off, _ in entries)
    desc += b"".join(name.encode() + b"\0" for _, _, _, name in entries)
    i = next(i for i, s in enumerate(elf.segments) if s[0] == PT_NOTE)
    _, _, off, _, _, size, _, _ = segment = elf.segments[i]
    notes = bytes(elf.data[off:off + size]) + b"\0" * (-size % 4) + note(NT_FILE, desc)
    if fprs:
        notes += note(NT_FPREGSET, elf.put("Q16Q", 0, *fprs))
    segment[2], segment[5] = len(elf.data), len(notes)
    elf.data[elf.phoff + 56 * i:elf.phoff + 56 * (i + 1)] = elf.put("IIQQQQQQ", *segment)
    with open(path, "wb") as f:
        f.write(elf.data + notes)


def signed_addresses(path, known):
    """How many words of the core are these addresses with authentication codes."""
    data = open(path, "rb").read()
    words = struct.unpack("<%dQ" % (len(data) // 8), data[:len(data) // 8 * 8])
    return sum(1 for w in words if w >> 48 and w & (1 << 48) - 1 in known)


# ---- what the program said ----

class Said:
    def __init__(self, text):
        self.stacks = {}  # by thread
        self.maps = []  # (start, end, file offset, name)
        self.watch = None
        self.gdb = []  # of the thread that died; None: a frame without an address
        for line in text.splitlines():
            word = line.split()
            if not word:
                continue
            if word[0] == "stack":
                frames = self.stacks[int(word[1])] = []
                self.watch = int(word[2], 16), int(word[3], 16)
            elif word[0] == "frame":
                frames.append(int(word[1], 16))
            elif re.match("[0-9a-f]+-[0-9a-f]+$", word[0]):
                start, end = (int(x, 16) for x in word[0].split("-"))
                name = word[5] if len(word) > 5 and word[5].startswith("/") else None
                self.maps.append((start, end, int(word[2], 16), name))
        if not self.stacks or not self.maps:
            raise Problem("it printed no stack:\n" + text)

    def in_watch(self, frame):
        """A call can be the last instruction, then the return address is behind it."""
        return self.watch[0] < frame <= self.watch[1]


def qemu_core(said, folder, fprs=()):
    cores = [f for f in os.listdir(folder) if f.endswith(".core")]
    if len(cores) != 1:
        raise Problem("qemu left %d cores" % len(cores))
    path = os.path.join(folder, cores[0])
    add_notes(path, said.maps, fprs)
    return said, path


def by_qemu(variant, prog, scene, folder):
    done = subprocess.run(variant.qemu + [prog, scene], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    return qemu_core(Said(done.stdout), folder)


def gdb(command, prog, begin, end, scene, folder, out):
    """What gdb says of the program when it dies: its own output, and what the program said in the
    file out."""
    script = ["set debuginfod enabled off", "set backtrace past-main on", "set backtrace limit 3000",
              "handle SIGUSR1 SIGUSR2 SIGILL nostop noprint pass",
              "handle SIGSEGV %s pass" % ("stop print" if scene == "leaf-dies" else "nostop noprint")]
    script += begin + ["continue"] * (scene == "leaf-dies")  # the first time it is handled
    script += ["bt"] + end
    done = subprocess.run(command + ["-nx", "-q", "-batch"] + [x for s in script for x in ("-ex", s)] + [prog],
                          capture_output=True, text=True, timeout=TIMEOUT, cwd=folder)
    said = Said(open(out).read())
    for line in done.stdout.splitlines():
        frame = re.match(r"#\d+ +(0x[0-9a-f]+|%s)?" % SIGNAL, line)
        if frame:
            said.gdb.append(frame.group(1))
    return said, done.stdout


def by_stub(variant, prog, scene, folder):
    """qemu's core, and what gdb sees by qemu's stub: frames, floating point registers."""
    out, socket = os.path.join(folder, "out"), os.path.join(folder, "s")
    with open(out, "w") as f:
        guest = subprocess.Popen(variant.qemu + ["-g", socket, prog, scene], stdout=f, stderr=subprocess.DEVNULL,
                                 cwd=folder)
    try:
        deadline = time.time() + TIMEOUT
        while not os.path.exists(socket) and time.time() < deadline:
            time.sleep(0.01)
        fprs = ["info registers f%d" % i for i in range(16)] if variant.cc == [S390X] else []
        said, text = gdb(["gdb-multiarch"], prog, ["set sysroot " + variant.sysroot, "target remote " + socket,
                                                   "continue"], fprs + ["continue"], scene, folder, out)
    finally:
        guest.kill()
        guest.wait()
    return qemu_core(said, folder, [int(raw, 16) for raw in re.findall(r"^f\d+ .*raw (0x[0-9a-f]+)", text, re.M)])


def native(variant, prog, scene, folder):
    """Where kernels put cores is the machine's setting; so gdb writes it."""
    out, path = os.path.join(folder, "out"), os.path.join(folder, "by-gdb")
    said, text = gdb(["gdb"], prog, ["run %s > %s" % (scene, out)], ["generate-core-file " + path, "kill"], scene,
                     folder, out)
    if not os.path.exists(path):
        raise Problem("no core: " + text)
    return said, path


# Debian has asm/ there; gcc-multilib, which links to it, excludes the cross compilers.
I386 = "gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
AARCH64, S390X = "aarch64-linux-gnu-gcc", "s390x-linux-gnu-gcc"
PAC = "-mbranch-protection=pac-ret+leaf"
GDB = ["crowded", "signal", "leaf-dies"]
VARIANTS = [
    Variant("aarch64", by_qemu, AARCH64, "-O2"),
    Variant("aarch64-static", by_qemu, AARCH64, "-O1 -static"),
    Variant("aarch64-pac", by_qemu, AARCH64, "-O2 " + PAC),
    Variant("aarch64-pac-b", by_qemu, AARCH64, "-O0 -static %s+b-key" % PAC),
    Variant("aarch64-stub", by_stub, AARCH64, "-O1", GDB),
    Variant("s390x", by_qemu, S390X, "-O2"),
    Variant("s390x-static", by_qemu, S390X, "-O1 -static"),
    Variant("s390x-O0", by_qemu, S390X, "-O0"),
    Variant("s390x-stub", by_stub, S390X, "-O0", GDB),
    Variant("i386", native, I386, "-O2"),
    Variant("i386-static", native, I386, "-O2 -static"),
]
# GCC saves a leaf's frame pointer in a floating point register without optimising, and qemu's cores
# have none: the walk must say so.
LOST = {"s390x-O0/leaf-dies": "stop: no-register DWARF register 11"}


# ---- comparison ----

def walks(core):
    done = subprocess.run([WALK_CORE, core], capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise Problem("walk_core: " + done.stderr.strip())
    ret = {}
    for line in done.stdout.splitlines():
        word = line.split()
        if word[0] == "thread":
            frames = []
        elif word[0] == "stop:":
            ret[tid] = frames, line
        elif word[0] == "file:":
            raise Problem(line)
        else:
            frames.append(int(word[0], 16))
        if word[0] == "thread":
            tid = int(word[1])
    return ret


def hexes(frames):
    return " ".join("%x" % f for f in frames)


def compare(said, want, frames, stop, lost):
    have = frames
    inside = [i for i, f in enumerate(frames) if said.in_watch(f)]
    if inside:
        have, want = frames[inside[0] + 1:], want[1:]
    elif frames[0] in want:
        want = want[want.index(frames[0]):]
    if lost:
        want = want[:max(len(have), 1)]
    if have != want:
        raise Problem("%s\nwalked:    %s\nbacktrace: %s" % (stop, hexes(frames), hexes(want)))
    if not stop.startswith(lost or "stop: outermost"):
        raise Problem("%s after %d right frames" % (stop, len(frames)))


def compare_gdb(said, frames):
    """gdb says no address of inlined functions, which have no frame, of signal frames, and where an
    exact pc is at a line's begin."""
    gdb_frames = [g for i, g in enumerate(said.gdb) if g or not i or said.gdb[i - 1] == SIGNAL]
    if not gdb_frames:
        raise Problem("gdb printed no frame")
    want = [frames[i] if g in (None, SIGNAL) else int(g, 16)
            for i, g in enumerate(gdb_frames[:len(frames)])]
    if want != frames[:len(gdb_frames)] or len(gdb_frames) > len(frames):
        raise Problem("walked: %s\ngdb:    %s" % (hexes(frames), " ".join(map(str, gdb_frames))))


def check(variant, prog, scene, folder):
    said, core = variant.how(variant, prog, scene, folder)
    walked = walks(core)
    for tid, want in said.stacks.items():
        if tid not in walked:
            raise Problem("thread %d is not in the core" % tid)
        if len(want) < 3:
            raise Problem("backtrace() gave %d frames" % len(want))
        compare(said, want, *walked[tid], LOST.get(variant.name + "/" + scene))
    if variant.how != by_qemu:
        compare_gdb(said, walked[list(said.stacks)[-1]][0])
    if PAC in " ".join(variant.flags) and not signed_addresses(core, {f for s in said.stacks.values() for f in s}):
        raise Problem("no return address is signed")
    return max(len(s) for s in said.stacks.values())


def build(variant, folder):
    prog = os.path.join(folder, "subject")
    argv = variant.cc + CFLAGS + variant.flags + ["-o", prog, os.path.join(HERE, "subject.c")]
    try:
        done = subprocess.run(argv, capture_output=True, text=True)
    except OSError as e:
        raise Problem(str(e))
    if done.returncode:
        raise Problem(" ".join(argv) + "\n" + done.stderr)
    return prog


def run(variant, scenes, folder, verbose):
    """The numbers of passed and failed."""
    passed = failed = 0
    os.makedirs(folder)
    try:
        prog = build(variant, folder)
    except Problem as e:
        print("FAIL %s: %s" % (variant.name, e))
        return 0, 1
    for scene in scenes:
        place = os.path.join(folder, scene)
        os.makedirs(place)
        try:
            depth = check(variant, prog, scene, place)
            passed += 1
            if verbose:
                print("ok %s/%s, %d frames" % (variant.name, scene, depth))
        except (Problem, subprocess.TimeoutExpired) as e:
            failed += 1
            print("FAIL %s/%s: %s" % (variant.name, scene, e))
    return passed, failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0])
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-k", metavar="DIR")
    parser.add_argument("chosen", nargs="*")
    args = parser.parse_args()
    top = args.k or tempfile.mkdtemp()
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    passed = failed = 0
    try:
        for variant in VARIANTS:
            scenes = [s for s in variant.scenes if not args.chosen or
                      any(c in (variant.name, variant.name + "/" + s) for c in args.chosen)]
            if scenes:
                p, f = run(variant, scenes, os.path.join(top, variant.name), args.v)
                passed, failed = passed + p, failed + f
    finally:
        if not args.k:
            shutil.rmtree(top)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
