#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""uncoil rows against readelf --debug-dump=frames-interp, row by row.

Over files of this machine: as many as a minute allows, always the same ones;
all of them with UNCOIL_ROWS_ALL=1; or those named as arguments. Where the two
may differ there is a rule below, with its reason, and how often it was needed
is printed. What no rule allows fails.
"""
import collections
import hashlib
import multiprocessing
import os
import re
import struct
import sys

import readelf

UNCOIL = os.environ.get("UNCOIL", "build/uncoil")
TOPS = ["/usr/lib", "/usr/lib32", "/usr/libx32", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/local", "/opt"]
FILES = 1050  # with rows
LARGEST = 160 << 10  # bytes of unwind data in a sampled file
ALWAYS = ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
          "/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libm.so.6"]
SECTIONS = [(".eh_frame", "ehframe"), (".debug_frame", "debugframe")]

RULES = {
    "u-is-unset": "readelf prints u for a column that no instruction has set yet; we print nothing",
    "cie-row": "readelf prints no row where the FDE has only nops; the CIE's row holds",
    "restore-in-cie": "a CIE's restore means its own rule, which there is none of yet: readelf leaves the "
                      "register as it is, we unset it, as libgcc does",
    "vector-register": "we keep no rules of vector registers, which no caller's frame is found by",
    "advance-by-0": "readelf prints a row before each advance, by 0 bytes, too; it holds nowhere",
}
VECTOR = re.compile(r"xmm\d+")


# ---- one row ----

def place(text, base):
    """'cfa-8' as -8; None if it is another base, or no sum."""
    m = re.fullmatch(re.escape(base) + r"([+-]\d+)?", text)
    return int(m.group(1) or 0) if m else None


def compare_cell(theirs, ours):
    """(are they the same, rule that was needed)."""
    if theirs == "u":
        return ours in (None, "undefined"), "u-is-unset" if ours is None else None
    if ours is None:
        return False, None
    if theirs == "s":
        return ours == "same", None
    if theirs == "exp":
        return ours[0] == "[" and place(ours[1:-1], "cfa") is None or ours[:1] == "{", None
    if theirs == "vexp":
        return ours[0] != "[" and place(ours, "cfa") is None, None
    m = re.fullmatch(r"([cv])([+-]\d+)", theirs)
    if m:
        at = place(ours[1:-1] if m.group(1) == "c" else ours, "cfa")
        return (ours[0] == "[") == (m.group(1) == "c") and at == int(m.group(2)), None
    return ours == theirs, None


def compare_cfa(theirs, ours):
    if theirs == "exp":
        return not re.fullmatch(r"\w+([+-]\d+)?", ours)
    return ours == re.sub(r"[+-]0+$", "", theirs)


def split_ours(text):
    """'CFA=*(rbp-8) rbx=[cfa-16]' as a dictionary; a text in braces has spaces."""
    return dict(re.findall(r"([\w.]+)=((?:\{[^}]*\}|\[\{[^}]*\}\]|[^ ])+)", text))


def compare_row(theirs, ours):
    """Rules that were needed, or a sentence that says what differs."""
    columns, cells = theirs.split("\n")
    cells = re.sub(r"\br\d+ \((\w+)\)", r"\1", cells)  # "r1 (rdx)", a register
    cell = dict(zip(columns.split(), cells.split()))
    have = split_ours(ours)
    needed = []
    if not compare_cfa(cell.pop("CFA"), have.pop("CFA")):
        return "CFA"
    for name, value in cell.items():
        same, rule = compare_cell(value, have.pop(name, None))
        if not same and VECTOR.fullmatch(name):
            same, rule = True, "vector-register"
        if not same:
            return name
        if rule:
            needed.append(rule)
    for name, value in have.items():
        return name
    return tuple(needed)


compared = {}  # rows repeat: (theirs, ours): result


def compare_rows(theirs, ours):
    key = theirs, ours
    result = compared.get(key)
    if result is None:
        if len(compared) > 500000:
            compared.clear()
        result = compared[key] = compare_row(theirs, ours)
    return result


def without_restored(theirs, path, section, cie):
    """The row without what it has from registers that its CIE restores."""
    restored = readelf.restored_in_cie(path, section, cie[0])
    columns, cells = theirs.split("\n")
    of_cie = dict(zip(*(line.split() for line in cie[1][-1][1].split("\n"))))
    cells = ["u" if name in restored and value == of_cie.get(name) else value
             for name, value in zip(columns.split(), cells.split())]
    return columns + "\n" + " ".join(cells)


# ---- a function, a file ----

class Difference(Exception):
    pass


def their_rows(f, count):
    """The rows that hold somewhere."""
    rows = f.rows
    if not rows:
        count["cie-row"] += 1
        return [(f.start, f.cie[1][-1][1])] if f.cie[1] else []
    keep = []
    for i, row in enumerate(rows):
        if i + 1 < len(rows) and rows[i + 1][0] == row[0]:
            count["advance-by-0"] += 1
        else:
            keep.append(row)
    return keep


def compare_function(a, b, count, path, section):
    where = "FDE at 0x%x: " % a.offset
    if a.offset != b.offset:
        raise Difference(where + "ours is at 0x%x" % b.offset)
    if b.flaws:
        raise Difference(where + b.flaws[0])
    if (a.start, a.end) != (b.start, b.end):
        raise Difference(where + "0x%x-0x%x, ours 0x%x-0x%x" % (a.start, a.end, b.start, b.end))
    rows = their_rows(a, count)
    if len(rows) != len(b.rows):
        raise Difference(where + "%d rows, ours %d" % (len(rows), len(b.rows)))
    for i, ((loc, theirs), (our_loc, our_end, ours)) in enumerate(zip(rows, b.rows)):
        end = rows[i + 1][0] if i + 1 < len(rows) else a.end
        if loc != our_loc or end != our_end:
            raise Difference(where + "row at 0x%x-0x%x, ours 0x%x-0x%x" % (loc, end, our_loc, our_end))
        result = compare_rows(theirs, ours)
        if isinstance(result, str) and a.cie[1]:
            result = compare_rows(without_restored(theirs, path, section, a.cie), ours)
            count["restore-in-cie"] += 1
        if isinstance(result, str):
            raise Difference(where + "row at 0x%x: %s:\n%s\n%s" % (loc, result, theirs, ours))
        for rule in result:
            count[rule] += 1
    count["rows"] += len(rows)
    count["functions"] += 1


def compare_file(path):
    count = collections.Counter()
    try:
        for section, source in SECTIONS:
            theirs = readelf.of_readelf(path, section)
            ours = readelf.of_uncoil(UNCOIL, path, source)
            for a in theirs:
                b = next(ours, None)
                if not b:
                    raise Difference("%s: FDE at 0x%x: ours has none" % (section, a.offset))
                compare_function(a, b, count, path, section)
            extra = next(ours, None)
            if extra:
                raise Difference("%s: ours has one more, at 0x%x" % (section, extra.offset))
    except Difference as e:
        return path, count, str(e)
    return path, count, None


# ---- which files ----

def unwind_bytes(path):
    """Bytes of .eh_frame and .debug_frame in a program or library, by its section headers."""
    with open(path, "rb") as f:
        head = f.read(64)
        if len(head) < 52 or head[:4] != b"\x7fELF":
            return 0
        e = "<" if head[5] == 1 else ">"
        wide = head[4] == 2
        if struct.unpack_from(e + "H", head, 16)[0] not in (2, 3):
            return 0
        shoff, = struct.unpack_from(e + ("Q" if wide else "I"), head, 40 if wide else 32)
        size, nr, strings = struct.unpack_from(e + "HHH", head, 58 if wide else 46)
        f.seek(shoff)
        table = f.read(size * nr)
        if not shoff or len(table) < size * nr or strings >= nr:
            return 0
        sections = [struct.unpack_from(e + ("IIQQQQ" if wide else "IIIIII"), table, size * i) for i in range(nr)]
        f.seek(sections[strings][4])
        names = f.read(sections[strings][5])
        return sum(s[5] for s in sections
                   if s[1] != 8 and names[s[0]:].split(b"\0", 1)[0] in (b".eh_frame", b".debug_frame"))


def elf_files():
    """(path, bytes) of all files with unwind data, in an order that looks random
    and is always the same; hard links once."""
    seen, found = set(), []
    for top in TOPS:
        for folder, _, names in os.walk(top):
            for path in (os.path.join(folder, name) for name in names):
                try:
                    st = os.lstat(path)
                    if not os.path.isfile(path) or os.path.islink(path) or (st.st_dev, st.st_ino) in seen:
                        continue
                    size = unwind_bytes(path)
                except (OSError, struct.error):
                    continue
                if size:
                    seen.add((st.st_dev, st.st_ino))
                    found.append((path, size))
    return sorted(found, key=lambda file: hashlib.sha1(file[0].encode("utf-8", "surrogateescape")).digest())


def choose():
    files = elf_files()
    if os.environ.get("UNCOIL_ROWS_ALL"):
        return [path for path, size in sorted(files, key=lambda file: -file[1])]
    small = [path for path, size in files if size <= LARGEST]
    return [path for path in ALWAYS if os.path.exists(path)] + small[:FILES]


def main():
    files = sys.argv[1:] or choose()
    total, failed = collections.Counter(), 0
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for path, count, difference in pool.imap_unordered(compare_file, files):
            total.update(count)
            if difference:
                failed += 1
                print("FAIL %s: %s" % (path, difference))
    print("ok: %d rows of %d functions in %d files are readelf's" % (total["rows"], total["functions"], len(files)))
    for rule, why in RULES.items():
        print("ok: rule %s, %d times: %s" % (rule, total[rule], why))
    print("%d passed, %d failed" % (len(files) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
