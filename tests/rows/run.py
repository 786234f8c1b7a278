#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""uncoil rows against readelf --debug-dump=frames-interp, row by row.

Over files of this machine: as many as a minute allows, always the same ones;
all of them with UNCOIL_ROWS_ALL=1; or those named as arguments. Beside them the
hand-made sections of tests/cases, and code of other machines. Where the two
may differ there is a rule below, with its reason, and how often it was needed
is printed. What no rule allows fails.
"""
import collections
import hashlib
import multiprocessing
import os
import re
import struct
import subprocess
import sys
import tempfile

import readelf

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
UNCOIL = os.environ.get("UNCOIL", "build/uncoil")
TOPS = ["/usr/lib", "/usr/lib32", "/usr/libx32", "/usr/aarch64-linux-gnu", "/usr/s390x-linux-gnu", "/usr/bin",
        "/usr/sbin", "/usr/libexec", "/usr/local", "/opt"]
FILES = 1400  # with rows
LARGEST = 256 << 10  # bytes of unwind data in a sampled file
ALWAYS = ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
          "/usr/lib/x86_64-linux-gnu/libffi.so.8", "/lib64/ld-linux-x86-64.so.2", "/usr/lib32/libc.so.6",
          "/usr/libx32/libc.so.6", "/usr/aarch64-linux-gnu/lib/libc.so.6", "/usr/s390x-linux-gnu/lib/libc.so.6"]
SECTIONS = [(".eh_frame", "ehframe"), (".debug_frame", "debugframe")]

# Programs of tests/cases that are of no use here. That they are malformed as
# they say is what tests/cli/rows and the cases themselves hold us to.
UNFIT_CASES = {
    "aug-unknown": "readelf goes on where the layout can not be known",
    "cie-pointer-wild": "malformed",
    "hdr-row-wild": "malformed",
    "opcode-unknown": "malformed",
    "opcode-unknown-after": "malformed",
    "restore-underflow": "malformed",
    "sectionless": "without section headers, by which readelf finds .eh_frame",
    "truncated-section": "malformed",
}
CROSS_C = """
int g(int, ...); double k(double); void *alloca(unsigned long);
int f(int x) { return g(x, x, x) + g(1) + 1; }
void h(int *p) { int a[*p]; g(1, a); g(2, a); }
double d(double a, double b) { return k(a) * k(b) + k(a + b) * a - b; }
int leaf(int a, int b) { return a * b + 1; }
int big(int *p) { int a[5000]; g(1, a); return a[*p] + p[g(2)]; }
"""
CLANG = "clang-19 -O%d --target=%s %s -fPIC -ffreestanding -c -o %s.o %s"
CROSS = {  # name: (target, flags, linker)
    "aarch64": ("aarch64-linux-gnu", "-mbranch-protection=pac-ret+leaf", "ld.lld"),
    "aarch64-debug-frame": ("aarch64-linux-gnu", "-g -fno-asynchronous-unwind-tables", "ld.lld"),
    "s390x": ("s390x-linux-gnu", "", "s390x-linux-gnu-ld"),
    "s390x-backchain": ("s390x-linux-gnu", "-mbackchain -g -fno-asynchronous-unwind-tables", "s390x-linux-gnu-ld"),
    "i386": ("i386-linux-gnu", "-mstackrealign -fomit-frame-pointer", "ld.lld"),
    "x32": ("x86_64-linux-gnux32", "", "ld.lld"),
}

RULES = {
    "u-is-unset": "readelf prints u for a column that no instruction has set yet; we print nothing",
    "cie-row": "readelf prints no row where the FDE has only nops; the CIE's row holds",
    "restore-in-cie": "a CIE's restore means its own rule, which there is none of yet: readelf leaves the "
                      "register as it is, we unset it, as libgcc does",
    "vector-register": "we keep no rules of vector registers, which no caller's frame is found by",
    "plain-expression": "an expression that is what a rule can say, too: the text does not tell which it was",
    "advance-by-0": "readelf prints a row before each advance, by 0 bytes, too; it holds nowhere",
}
VECTOR = re.compile(r"(xmm|v)\d+")


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
        # "[rbp-8]" can be nothing else in .eh_frame
        plain = place(ours[1:-1], "cfa") is not None
        return ours[0] == "[", "plain-expression" if plain else None
    if theirs == "vexp":
        plain = re.fullmatch(r"\w+|cfa[+-]\d+", ours)
        return ours[0] != "[", "plain-expression" if plain else None
    m = re.fullmatch(r"([cv])([+-]\d+)", theirs)
    if m:
        at = place(ours[1:-1] if m.group(1) == "c" else ours, "cfa")
        return (ours[0] == "[") == (m.group(1) == "c") and at == int(m.group(2)), None
    return ours == theirs, None


def compare_cfa(theirs, ours):
    if theirs == "exp":
        plain = re.fullmatch(r"\w+([+-]\d+)?", ours)
        return True, "plain-expression" if plain else None
    return ours == re.sub(r"[+-]0+$", "", theirs), None


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
    for name, value in cell.items():
        if name == "CFA":
            same, rule = compare_cfa(value, have.pop(name))
        else:
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
    except ValueError as e:
        return path, count, "readelf's text is not understood: %s" % e
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


def build_cases(tmp):
    """Programs of tests/cases with hand-made sections."""
    for name in sorted(os.listdir(CASES)):
        if name in UNFIT_CASES or not os.path.exists(os.path.join(CASES, name, "raw.ld")):
            continue
        out = os.path.join(tmp, name)
        subprocess.run(["sh", os.path.join(CASES, name, "build.sh"), out], check=True)
        yield os.path.join(out, "prog")


def build_cross(tmp):
    source = os.path.join(tmp, "cross.c")
    open(source, "w").write(CROSS_C)
    for name, (target, flags, linker) in CROSS.items():
        for level in (0, 2):
            out = os.path.join(tmp, "%s-O%d" % (name, level))
            subprocess.run((CLANG % (level, target, flags, out, source)).split(), check=True)
            subprocess.run([linker, "-shared", "-o", out, out + ".o"], check=True)
            yield out


def main():
    with tempfile.TemporaryDirectory() as tmp:
        files = sys.argv[1:] or list(build_cases(tmp)) + list(build_cross(tmp)) + choose()
        return compare_files(files)


def compare_files(files):
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
