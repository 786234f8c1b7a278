# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the test runners share: running programs, ELF files seen through
readelf, the address space of a live process, and what `uncoil script` and
`walk_ptrace` print.

Nothing here looks at unwind data and nothing uses uncoil's own code, so that
the answers are independent of what is tested.
"""
import bisect
import os
import re
import select
import signal
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("UNCOIL_BUILD", os.path.join(ROOT, "build"))
UNCOIL = os.environ.get("UNCOIL", os.path.join(BUILD, "uncoil"))
WALK_PTRACE = os.environ.get("WALK_PTRACE", os.path.join(BUILD, "tests", "walk_ptrace"))

# mov $15,%rax; syscall: what a signal handler returns to
RESTORER = b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05"
KERNEL_FROM = 1 << 63


class Problem(Exception):
    """A check cannot go on; its text is the reason to print."""


# ---- running programs ----

def sh(cmd, timeout=20, env=None, cwd=None):
    """Run to the end; (exit code or "timeout", stdout, stderr)."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        try:
            # a session of its own: all that the command starts can be ended with it
            p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd,
                                 start_new_session=True)
        except OSError as x:
            raise Problem("cannot start %s: %s" % (cmd[0], x.strerror))
        try:
            rc = p.wait(timeout)
        except subprocess.TimeoutExpired:
            rc = "timeout"
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
        out.seek(0)
        err.seek(0)
        return rc, out.read(), err.read()


def start(argv, wait_ready=True, timeout=10, env=None, cwd=None):
    """Start a program and wait for its READY line: (Popen, pid meant)."""
    try:
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, env=env, cwd=cwd)
    except OSError as x:
        raise Problem("cannot start %s: %s" % (argv[0], x.strerror))
    if not wait_ready:
        return p, p.pid
    line = read_line(p.stdout, timeout)
    m = re.match(rb"READY(?: (\d+))?\s*$", line)
    if not m:
        stop(p)
        raise Problem("no READY but %r" % line)
    return p, int(m.group(1) or p.pid)


def read_line(pipe, timeout):
    line, end = b"", time.monotonic() + timeout
    while not line.endswith(b"\n"):
        left = end - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            break
        c = os.read(pipe.fileno(), 1)
        if not c:
            break
        line += c
    return line


def children(pid):
    try:
        return [int(c) for t in tids(pid) for c in open("/proc/%d/task/%d/children" % (pid, t)).read().split()]
    except OSError:
        return []


def tree(pid):
    """pid and all that descend from it, the children first."""
    return [x for c in children(pid) for x in tree(c)] + [pid]


def stop(p):
    """Kill a program that start() started, and its children."""
    if p.poll() is None:
        for pid in tree(p.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        p.wait()
    if p.stdout:
        p.stdout.close()


def tids(pid):
    try:
        return sorted(int(x) for x in os.listdir("/proc/%d/task" % pid))
    except OSError:
        raise Problem("process %d is gone" % pid)


def wait_spinning(pid, tid, timeout=5):
    """Until the thread is on the CPU in user code, and has been for a tick."""
    end = time.monotonic() + timeout
    before = None
    while time.monotonic() < end:
        try:
            with open("/proc/%d/task/%d/stat" % (pid, tid)) as f:
                utime = int(f.read().rsplit(")", 1)[1].split()[11])
            with open("/proc/%d/task/%d/syscall" % (pid, tid)) as f:
                running = f.read().startswith("running")
        except OSError:
            raise Problem("thread %d is gone" % tid)
        if before is None:
            before = utime
        if running and utime > before:
            return
        time.sleep(0.01)
    raise Problem("thread %d does not spin" % tid)


# ---- ELF files, by readelf ----

class Elf:
    """Symbols, segments and sections of a file."""
    _cache = {}

    @classmethod
    def of(cls, path):
        if path not in cls._cache:
            cls._cache[path] = cls(path)
        return cls._cache[path]

    def __init__(self, path):
        self.path = path
        self.entry, self.segments, self.sections, self.functions = 0, [], [], []
        # a case without section headers has its symbols in a second file
        syms = path + ".syms" if os.path.exists(path + ".syms") else path
        for line in readelf("-hlSW", path):
            self._header_line(line)
        for line in readelf("-sW", syms):
            f = line.split()
            if len(f) >= 8 and f[3] in ("FUNC", "IFUNC") and f[6] != "UND":
                self.functions.append((int(f[1], 16), int(f[2], 0), f[7].split("@")[0]))
        self.functions = sorted(set(self.functions))
        self._starts = [f[0] for f in self.functions]
        self._longest = max([f[1] for f in self.functions] or [0])

    def _header_line(self, line):
        m = re.match(r"\s*\[ *\d+\] (\S+)\s+(\S+)\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) \S+ +([A-Za-z]*) ", line)
        if m:
            if "A" in m[6]:
                self.sections.append((int(m[3], 16), int(m[5], 16), m[1]))
            return
        f = line.split()
        if line.strip().startswith("Entry point"):
            self.entry = int(f[-1], 16)
        elif f and f[0] == "LOAD":
            self.segments.append((int(f[1], 16), int(f[2], 16), int(f[4], 16)))

    def address_of(self, offset):
        """File offset -> address in the file, or None."""
        return next((offset - o + v for o, v, n in self.segments if o <= offset < o + n), None)

    def functions_at(self, address):
        i, found = bisect.bisect_right(self._starts, address), []
        while i > 0 and self.functions[i - 1][0] > address - self._longest - 1:
            i -= 1
            if address < self.functions[i][0] + self.functions[i][1]:
                found.append(self.functions[i][2])
        return found

    def sizeless_before(self, address):
        """The assembler symbol without a size that precedes the address."""
        i = bisect.bisect_right(self._starts, address)
        return [self.functions[i - 1][2]] if i and self.functions[i - 1][1] == 0 else []

    def section_at(self, address):
        return next((n for a, z, n in self.sections if a <= address < a + z), "")


def readelf(options, path):
    rc, out, _ = sh(["readelf", options, "--", path], 60)
    return out.splitlines()


# ---- live address spaces ----

class Space:
    """The mappings of a process as they are now, and its memory."""

    def __init__(self, pid):
        self.pid = pid
        self.maps = []
        try:
            with open("/proc/%d/maps" % pid) as f:
                for line in f:
                    w = line.split(None, 5)
                    a, b = (int(x, 16) for x in w[0].split("-"))
                    self.maps.append((a, b, int(w[2], 16), w[5].strip() if len(w) > 5 else ""))
            self.fd = os.open("/proc/%d/mem" % pid, os.O_RDONLY)
        except OSError:
            raise Problem("process %d is gone" % pid)

    def close(self):
        os.close(self.fd)

    def read(self, address, size):
        try:
            return os.pread(self.fd, size, address)
        except (OSError, OverflowError):
            return b""

    def find(self, pc):
        """(file or other name, address in the file or None), or None if pc is not mapped."""
        for a, b, offset, name in self.maps:
            if a <= pc < b:
                if name.startswith("/"):
                    return name, Elf.of(name).address_of(pc - a + offset)
                return name, None
        return None


class Frame:
    """One address of a chain and all the names that it can go by."""

    def __init__(self, space, address, exact):
        self.address = address
        self.signal = space.read(address, len(RESTORER)) == RESTORER
        pc = address if exact or self.signal else address - 1
        where = space.find(pc)
        self.path, va = where or ("", None)
        self.file = self.path.startswith("/")
        self.functions, self.section = [], ""
        if self.file and va is not None:
            elf = Elf.of(self.path)
            self.functions, self.section = elf.functions_at(va), elf.section_at(va)
        self.module = os.path.basename(self.path)

    def __str__(self):
        if self.signal:
            return "[signal]"
        if self.functions:
            return self.functions[0]
        return "%s!0x%x" % (self.module or "[anon]", self.address)


def frames_of(space, addresses):
    """Name every address: pc for the first one and behind a signal frame, pc - 1 elsewhere."""
    out, exact = [], True
    for a in addresses:
        out.append(Frame(space, a, exact))
        exact = out[-1].signal
    return out


def names(frames):
    return cut([str(f) for f in frames], " < ") or "no frames"


def cut(words, between, most=16):
    """Joined; of a long list the first and the last ones."""
    if len(words) > most:
        words = words[:most // 2] + ["(%d more)" % (len(words) - most)] + words[-most // 2:]
    return between.join(words)


# ---- what the tools print ----

class Walk:
    """User addresses innermost first, and why there are no more."""

    def __init__(self, addresses, stop, detail="", tid=0, time_s=0.0, kernel=0):
        self.addresses, self.stop, self.detail = addresses, stop, detail
        self.tid, self.time_s, self.kernel = tid, time_s, kernel


def walk_by_ptrace(tid, timeout=5):
    rc, out, err = sh([WALK_PTRACE, str(tid)], timeout)
    if rc == "timeout":
        raise Problem("walk_ptrace does not end")
    m = re.search(r"^stop: (\S+) ?(.*)$", out, re.M)
    if rc != 0 or not m:
        raise Problem("walk_ptrace: exit %s: %s" % (rc, (err or out).strip()[-200:]))
    return Walk([int(a, 16) for a in re.findall(r"^0x([0-9a-f]+)\b", out, re.M)], m[1], m[2], tid)


HEADER = re.compile(r"^(?!\t)\s*(?:\S.*?\s)??(\d+)(?:/(\d+))?\s+(?:\[\d+\]\s+)?(\d+\.\d+):")


def parse_script(text):
    """Samples of `uncoil script -F tid,time,ip,stop` or with pid,tid."""
    samples, cur = [], None
    for line in text.splitlines():
        m = HEADER.match(line)
        if m:
            cur = Walk([], None, "", int(m[2] or m[1]), float(m[3]))
            cur.pid = int(m[1])
            samples.append(cur)
            continue
        m = re.match(r"^\s+\[stop: (no stack|[\w-]+)[:; ]*(.*)\]$", line)
        if m and cur:
            cur.stop, cur.detail = (m[1], m[2]) if m[1] != "no stack" else (None, m[1])
            continue
        m = re.match(r"^\s+(?:0x)?([0-9a-f]+)(?:\s|$)", line)
        if m and cur:
            a = int(m[1], 16)
            if a >= KERNEL_FROM:
                cur.kernel += 1
            else:
                cur.addresses.append(a)
    return samples


def script(path, fields="tid,time,ip,stop", timeout=60):
    rc, out, err = sh([UNCOIL, "script", "-i", path, "-F", fields], timeout)
    if rc != 0:
        raise Problem("uncoil script: exit %s: %s" % (rc, err.strip()[-300:]))
    return parse_script(out)


def record(path, args, timeout=40):
    """uncoil record; its stderr (the closing line is there)."""
    rc, out, err = sh([UNCOIL, "record", "-o", path] + args, timeout)
    if rc != 0:
        raise Problem("uncoil record: exit %s: %s" % (rc, (err or out).strip()[-300:]))
    return err + out
