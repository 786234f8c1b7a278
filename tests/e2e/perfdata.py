# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads perf.data by the format's own rules, to check what uncoil wrote into it
and what it says about it: mappings of processes that are gone, and a count of
samples and stacks that trusts nothing but the file.
"""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
from procs import Problem

MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2, DEFERRED = 1, 3, 4, 7, 9, 10, 22
COMM_EXEC = 1 << 13
USER_DEFERRED = (1 << 64) - 640
TRAILER = 24  # u32 pid, tid; u64 time; u32 cpu, pad


class Sample:
    def __init__(self, pid, tid, time, cookie):
        self.pid, self.tid, self.time, self.cookie = pid, tid, time, cookie
        self.user, self.walked = None, time  # the stack, if it is in the file, and when it was taken


class File:
    """Samples stitched to their stacks, and the mappings of every process over time."""

    def __init__(self, path):
        self.samples, self.side = [], []
        self.deferred = 0
        with open(path, "rb") as f:
            data = f.read()
        if data[:8] != b"PERFILE2":
            raise Problem("%s: not a perf.data file" % path)
        start, size = struct.unpack_from("<2Q", data, 40)
        self._records(data, start, start + size)
        self.side.sort(key=lambda e: e[0])

    def _records(self, data, at, end):
        waiting = {}
        while at < end:
            kind, misc, size = struct.unpack_from("<IHH", data, at)
            if size < 8 or at + size > end:
                raise Problem("perf.data: a record of %d bytes at %d" % (size, at))
            if kind == SAMPLE:
                s = self._sample(data, at + 8)
                self.samples.append(s)
                if s.cookie:
                    waiting.setdefault((s.tid, s.cookie), []).append(s)
            elif kind == DEFERRED:
                self.deferred += 1
                cookie, nr = struct.unpack_from("<2Q", data, at + 8)
                user = list(struct.unpack_from("<%dQ" % nr, data, at + 24))
                tid, time = struct.unpack_from("<IQ", data, at + size - TRAILER + 4)
                for s in waiting.pop((tid, cookie), []):
                    s.user, s.walked = [a for a in user if a < (1 << 64) - 4096], time
            elif kind in (MMAP, MMAP2, COMM, FORK):
                time = struct.unpack_from("<Q", data, at + size - TRAILER + 8)[0]
                self.side.append((time, kind, misc, data[at + 8:at + size - TRAILER]))
            at += size

    def _sample(self, data, at):
        """IP TID TIME CPU PERIOD CALLCHAIN: what uncoil always writes."""
        _, pid, tid, time, _, _, _, nr = struct.unpack_from("<QIIQIIQQ", data, at)
        chain = struct.unpack_from("<%dQ" % nr, data, at + 48)
        deferred = nr >= 2 and chain[-2] == USER_DEFERRED
        return Sample(pid, tid, time, chain[-1] if deferred else 0)


class Spaces:
    """Mappings of all processes, moved forward in time."""

    def __init__(self, file):
        self.events, self.next, self.maps = file.side, 0, {}

    def advance(self, time):
        while self.next < len(self.events) and self.events[self.next][0] <= time:
            self._apply(*self.events[self.next][1:])
            self.next += 1

    def _apply(self, kind, misc, body):
        if kind == FORK:
            pid, ppid = struct.unpack_from("<2I", body)
            if pid != ppid:
                self.maps[pid] = list(self.maps.get(ppid, []))
        elif kind == COMM:
            if misc & COMM_EXEC:
                self.maps[struct.unpack_from("<I", body)[0]] = []
        else:
            pid, _, addr, size, offset = struct.unpack_from("<2I3Q", body)
            name = body[64 if kind == MMAP2 else 32:].split(b"\0")[0].decode(errors="replace")
            self.maps.setdefault(pid, []).append((addr, addr + size, offset, name))

    def find(self, pid, pc):
        """(file, offset in it) or None."""
        for a, b, offset, name in reversed(self.maps.get(pid, [])):
            if a <= pc < b:
                return name, pc - a + offset
        return None


class Closing:
    """The line that `uncoil record` ends with."""

    def __init__(self, text):
        m = re.search(r"^uncoil: ([\d,]+) samples, ([\d,]+) complete stacks[^,;]*, partial:([^;]*)(.*)$", text, re.M)
        if not m:
            raise Problem("no closing line: %r" % text.strip()[-200:])
        self.line = m[0]
        self.samples, self.complete = number(m[1]), number(m[2])
        self.partial = items(m[3])
        self.lost, self.no_user, self.unrecorded = {}, 0, {}
        for part in m[4].split(";"):
            key, _, value = part.strip().partition(":")
            if key == "lost":
                self.lost = items(value)
            elif key == "no user stack":
                self.no_user = number(value)
            elif key == "not recorded":
                self.unrecorded = items(value)


def number(text):
    return int(text.replace(",", ""))


def items(text):
    """" 3 no-entry, 1,200 malformed" -> {"no-entry": 3, "malformed": 1200}"""
    return {m[2]: number(m[1]) for m in re.finditer(r"([\d,]+) ([a-z][\w-]*)", text)}
