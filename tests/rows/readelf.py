# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Both texts as functions: (offset, start, end, rows, cie), a row being (loc, text)."""
import subprocess


def lines_of(command):
    """The lines of a command's output, without keeping it. What it complains of
    is left out: a file that one cannot read gives no functions."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
                          bufsize=1 << 20) as process:
        yield from process.stdout


class Function:
    __slots__ = ("offset", "start", "end", "rows", "cie", "flaws")  # cie: (offset, rows)

    def __init__(self, offset, start, end, cie=None):
        self.offset, self.start, self.end, self.cie = offset, start, end, cie
        self.rows, self.flaws = [], []


def of_readelf(path, section):
    """Its functions in the section's order. A row is (loc, columns and cells);
    the columns are the line that readelf prints above them."""
    cies, current, columns, inside = {}, None, "", False
    for line in lines_of(["readelf", "--debug-dump=frames-interp,no-follow-links", "-W", path]):
        if line.startswith("Contents of the "):
            inside = line.split()[3] == section
            continue
        if not inside:
            continue
        words = line.split(None, 4)
        if len(words) >= 4 and words[3] in ("CIE", "FDE"):
            if isinstance(current, Function):
                yield current
            if words[3] == "CIE":
                current = cies[int(words[0], 16)] = []
                continue
            cie, pc = words[4].split()[:2]
            start, end = pc[3:].split("..")
            cie = int(cie[4:], 16)
            current = Function(int(words[0], 16), int(start, 16), int(end, 16), (cie, cies.get(cie)))
        elif words and words[0] == "LOC":
            columns = line[line.index("CFA"):].strip()
        elif current is not None and len(words) >= 2 and words[1] != "ZERO":
            loc, cells = line.split(None, 1)
            row = int(loc, 16), columns + "\n" + cells.strip()
            (current.rows if isinstance(current, Function) else current).append(row)
    if isinstance(current, Function):
        yield current


def restored_in_cie(path, section, cie):
    """Registers that the CIE at this offset gives a rule and takes it back."""
    found, here, inside = set(), False, False
    for line in lines_of(["readelf", "--debug-dump=frames,no-follow-links", "-W", path]):
        if line.startswith("Contents of the "):
            inside = line.split()[3] == section
        elif inside and line[:1] not in " \n":
            here = int(line.split()[0], 16) == cie
        elif here and line.startswith("  DW_CFA_restore: "):
            found.add(line.rsplit("(", 1)[1].rstrip(")\n"))
    return found


def of_uncoil(uncoil, path, source):
    """A row is (loc, end, text)."""
    current = None
    for line in lines_of([uncoil, "rows", "--no-symbols", "--from", source, path]):
        if line[:2] == "  ":
            where, text = line[2:-1].split("  ", 1)
            loc, end = where.split("-")
            current.rows.append((int(loc, 16), int(end, 16), text))
        elif line[0] == "!":
            record = line.rsplit("record at ", 1)[-1] if "record at" in line else \
                line[2:].split(":")[0].split("+")[1]
            if current and int(record, 16) == current.offset:
                current.flaws.append(line.strip())
            else:
                if current:
                    yield current
                current = Function(int(record, 16), 0, 0)
                current.flaws.append(line.strip())
        elif ", FDE at 0x" in line:
            if current:
                yield current
            where, rest = line.split(", FDE at ", 1)
            start, end = where.split("-")
            current = Function(int(rest.strip().split(",")[0], 16), int(start, 16), int(end, 16))
    if current:
        yield current
