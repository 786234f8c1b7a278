# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What .eh_frame of a file covers, according to readelf: nothing of uncoil's."""
import bisect
import os
import re
import subprocess
import tempfile

ENTRY = re.compile(r"([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)"
                   r"(?: cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))?")
ROW = re.compile(r"([0-9a-f]{8}|[0-9a-f]{16}) ([a-z]\S*)\s+(.*)$")
RULE = re.compile(r"[cv][-+]\d+|v?exp|[us]\b|r\d+(?: \(\w+\))?|\S+")


class Fdes:
    """Rows (start, end, CFA, return address rule) as `readelf --debug-dump=frames-interp` words them."""
    _cache = {}

    @classmethod
    def of(cls, path):
        if path not in cls._cache:
            cls._cache[path] = cls(path)
        return cls._cache[path]

    def __init__(self, path):
        self.rows = []
        if path == "[vdso]":
            with tempfile.NamedTemporaryFile() as f:
                f.write(vdso_image())
                f.flush()
                self._load(f.name)
        elif path.startswith("/"):
            self._load(path)
        self.rows.sort()
        self._starts = [r[0] for r in self.rows]

    def _load(self, path):
        out = subprocess.run(["readelf", "--debug-dump=frames-interp", "--debug-dump=no-follow-links", "--", path],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120).stdout
        cie_rows, cie, fde, section = {}, None, None, ""
        for line in out.splitlines():
            if line.startswith("Contents of the "):
                section = line.split()[3]
            elif section != ".eh_frame":
                continue
            elif m := ENTRY.match(line):
                self._close(fde, cie_rows)
                cie = m[1] if m[2] == "CIE" else None
                fde = [m[3], int(m[4], 16), int(m[5], 16), []] if m[3] else None
            elif m := ROW.match(line):
                rules = RULE.findall(m[3])
                row = (int(m[1], 16), m[2], rules[-1] if rules else "u")
                if fde:
                    fde[3].append(row)
                elif cie:
                    cie_rows[cie] = row
        self._close(fde, cie_rows)

    def _close(self, fde, cie_rows):
        if not fde:
            return
        cie, start, end, rows = fde
        if not rows and cie in cie_rows:
            rows = [(start,) + cie_rows[cie][1:]]
        for i, (pc, cfa, ra) in enumerate(rows):
            stop = rows[i + 1][0] if i + 1 < len(rows) else end
            self.rows.append((pc, stop, cfa, ra))

    def row_at(self, address):
        """(start, end, CFA, RA) or None where no FDE covers the address."""
        i = bisect.bisect_right(self._starts, address) - 1
        return self.rows[i] if i >= 0 and address < self.rows[i][1] else None


def is_longjmp(row):
    """glibc's __longjmp describes the target of the jump, not its own frame: CFA = rdi."""
    return row[2] == "rdi+0"


def is_outermost(row):
    return row[3] == "u"


def vdso_image():
    """The vdso as this process has it; the same in every process."""
    with open("/proc/self/maps") as f:
        line = next((x for x in f if x.rstrip().endswith("[vdso]")), None)
    if not line:
        return b""
    a, b = (int(x, 16) for x in line.split()[0].split("-"))
    fd = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        return os.pread(fd, b - a, a)
    finally:
        os.close(fd)
