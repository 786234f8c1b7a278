#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rows.py FILE ABI SECTION READELF...: the rows of FILE's .sframe as binutils
prints them, in the form that README.md describes, to standard output.

READELF..., a command, must know the section's version. SECTION is the section's bytes: taken
from it are the version, the fixed places and the block sizes, which readelf
does not print. Each row is compared with what .eh_frame of the same file says
at each of its addresses. Where they differ a comment says so, with the reason
from KNOWN; a difference without a known reason is an error.
"""
import re
import struct
import subprocess
import sys

X86 = dict(zip("rax rdx rcx rbx rsi rdi rbp rsp".split(), range(8)))
NAMES = {
    "x86_64": {"rsp": "sp", "rbp": "fp"},
    "aarch64": {"x29": "fp"},
    "s390x": {"r15": "sp", "r11": "fp"},
}
FP_COLUMN = {"x86_64": "rbp", "aarch64": "x29", "s390x": "r11"}
SP_DWARF = {"x86_64": 7, "aarch64": 31, "s390x": 15}
FP_DWARF = {"x86_64": 6, "aarch64": 29, "s390x": 11}

# (function, versions, what binutils gets wrong): formats sheet 5.9
KNOWN = [
    ("_start", (1, 2), "the undefined return address is lost"),
    ("nested", (1, 2, 3), "one remembered state only: a nested one restores the wrong row"),
    ("in_registers", (1, 2), ".cfi_register of the return address is ignored"),
    ("ra_moved", (1, 2), "another place of the return address is ignored"),
    ("signal_rows", (1, 2), "another place of the return address is ignored"),
    ("words", (1, 2), "a change at the address at which the state is remembered is lost"),
    ("fp_alone", (1,), "the frame pointer's place is given as the return address's"),
    ("other_cfa", (1,), "another register of the CFA is taken for the stack pointer"),
    ("odd", (3,), "a CFA's offset that is no multiple of 8 is cut"),
    (".plt.got", (2, 3), "CFA = sp+16 where it is sp+8"),
    (".plt.sec", (1,), "described as if it began with PLT0"),
]


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()


class Row:
    def __init__(self, at, cfa, ra, fp, flags="-"):
        self.at, self.cfa, self.ra, self.fp, self.flags = at, cfa, ra, fp, flags

    def rules(self):
        return self.cfa, self.ra, self.fp


class Function:
    def __init__(self, start, size, flags="-"):
        self.start, self.size, self.flags = start, size, flags
        self.block, self.rows, self.name = 0, [], "-"

    def row_at(self, address):
        """Block or not; None before the first row."""
        off = address - self.start
        if self.block:
            off %= self.block
        rows = [r for r in self.rows if r.at <= off]
        return rows[-1] if rows else None


# ---- what readelf says of .sframe ----

ROW = re.compile(r"^ +([0-9a-f]{16})  (RA undefined|(\(?\w+[+-]\d+\)?) *(u|\(?\w+[+-]\d+\)?) +(\S+))\s*$")


def register_name(abi, cell):
    """r7+8 -> sp+8 where readelf has not done so."""
    m = re.match(r"(\(?)r(\d+)([+-].*)$", cell)
    if m and int(m[2]) in (SP_DWARF[abi], FP_DWARF[abi]):
        return m[1] + ("sp" if int(m[2]) == SP_DWARF[abi] else "fp") + m[3]
    return cell


def sframe(lines, abi, data):
    fixed_ra = struct.unpack_from("b", data, 6)[0]
    functions, in_blocks = [], False
    for line in lines:
        if "STARTPC" in line:
            in_blocks = "[m]" in line
            if in_blocks:
                functions[-1].block = -1 # its size is not known yet
        m = re.match(r"^ +func idx \[\d+\]: pc = 0x([0-9a-f]+), size = (\d+) bytes(.*)$", line)
        if m:
            attr = re.search(r'attr = "(\w+)"', m[3])
            flags = (attr[1] if attr else "").lower() + ("b" if "B key" in m[3] else "")
            functions.append(Function(int(m[1], 16), int(m[2]), flags or "-"))
            continue
        m = ROW.match(line)
        if not m:
            continue
        f = functions[-1]
        at = int(m[1], 16) - (0 if in_blocks else f.start)
        if m[2] == "RA undefined":
            f.rows.append(Row(at, "-", "undefined", "-"))
            continue
        ra, flags = m[5], "-"
        if ra.endswith("[s]"):
            ra, flags = ra[:-3], "m"
        # f: fixed; U: a flexible row that leaves it to the ABI. Old readelfs
        # print u for a fixed one.
        if ra in ("f", "U") or ra == "u" and fixed_ra:
            ra = "c%+d" % fixed_ra if fixed_ra else "u"
        f.rows.append(Row(at, register_name(abi, m[3]), register_name(abi, ra), register_name(abi, m[4]), flags))
    return functions


def blocks(functions, data, abi):
    """Block sizes, by the layouts of formats sheet 5.3; version 1 has none."""
    end = ">" if abi == "s390x" else "<"
    version = data[2]
    _, _, _, fde, fre = struct.unpack_from(end + "5I", data, 8)
    for i, f in enumerate(functions):
        if version == 1:
            size = 16
        elif version == 2:
            size = data[28 + fde + 20 * i + 17]
        else:
            size = data[28 + fre + struct.unpack_from(end + "I", data, 28 + fde + 16 * i + 12)[0] + 4]
        f.block = size if f.block else 0


# ---- what it says of .eh_frame ----

RECORD = re.compile(r"([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))")

def number(abi, name):
    """A register of readelf's tables by our name."""
    name = name.split(" ")[0]
    if name in NAMES[abi]:
        return NAMES[abi][name]
    if abi == "x86_64" and name in X86:
        return "r%d" % X86[name]
    return "r" + name[1:] if re.match(r"[rx]\d+$", name) else name


def cfa_of(abi, cell):
    m = re.match(r"(\w+)([+-]\d+)$", cell)
    return number(abi, m[1]) + m[2] if m else cell


def rule_of(abi, cell):
    if re.match(r"[rx]\d+", cell):
        return number(abi, cell) + "+0"
    return cell


class Expressions:
    """Those of one FDE, as the raw dump names them."""

    def __init__(self):
        self.cfa, self.reg, self.plt_from, self.ra_undefined = None, {}, None, False

    def read(self, line, abi):
        reg = r"DW_OP_breg\d+ \((\w+)\): (-?\d+)"
        m = re.search(r"DW_CFA_def_cfa_expression \(" + reg + r"; DW_OP_deref\)", line)
        if m:
            self.cfa = "(%s%+d)" % (number(abi, m[1]), int(m[2]))
        m = re.search(r"DW_CFA_expression: r\d+ \((\w+)\) \(" + reg + r"\)", line)
        if m:
            self.reg[m[1]] = "(%s%+d)" % (number(abi, m[2]), int(m[3]))
        m = re.search(r"DW_OP_lit(\d+); DW_OP_ge", line)
        if m:
            self.plt_from = int(m[1])
        if re.search(r"DW_CFA_undefined: (r16|r30|r14)\b", line):
            self.ra_undefined = True


def eh_expressions(lines, abi):
    """{FDE's start: Expressions}; a CIE's are its FDEs', too."""
    of, cies, current = {}, {}, None
    for line in lines:
        m = RECORD.match(line)
        if m and m[2] == "CIE":
            current = cies[m[1]] = Expressions()
        elif m:
            current = of[int(m[4], 16)] = Expressions()
            current.ra_undefined = cies[m[3]].ra_undefined
        elif current:
            current.read(line, abi)
    return of


def eh_frame(lines, expressions, abi):
    functions, columns, cies = [], [], {}
    fixed_ra = "c-8" if abi == "x86_64" else "u"
    for line in lines:
        m = RECORD.match(line)
        if m:
            record, f = m[1], None
            if m[2] != "CIE":
                start = int(m[4], 16)
                f = Function(start, int(m[5], 16) - start)
                f.rows = [cies.get(m[3], Row(0, "-", "-", "-"))] # readelf prints none if there are no instructions
                functions.append(f)
            continue
        words = re.sub(r" \((\w+)\)", "", line).split()
        if words[:1] == ["LOC"]:
            columns = words[2:]
            continue
        if len(words) < 2 or not re.match(r"[0-9a-f]{16}$", words[0]):
            continue
        cells = dict(zip(columns, words[2:]))
        if not f:
            cies[record] = Row(0, cfa_of(abi, words[1]), cells.get("ra", fixed_ra),
                               rule_of(abi, cells.get(FP_COLUMN[abi], "u")))
            continue
        e = expressions[f.start]
        at, cfa = int(words[0], 16), cfa_of(abi, words[1])
        if cfa == "exp" and e.plt_from is not None:
            cfa = "plt"
        elif cfa == "exp":
            cfa = e.cfa
        ra = cells.get("ra", fixed_ra)
        ra = "undefined" if e.ra_undefined else "exp" if ra == "exp" else rule_of(abi, ra)
        fp = cells.get(FP_COLUMN[abi], "u")
        fp = e.reg[FP_COLUMN[abi]] if fp == "exp" else rule_of(abi, fp)
        if at == f.start:
            f.rows = []
        f.rows.append(Row(at - f.start, cfa, ra, fp))
    return functions


def eh_rules(functions, expressions, address):
    for f in functions:
        if not f.start <= address < f.start + f.size:
            continue
        cfa, ra, fp = f.row_at(address).rules()
        if expressions[f.start].ra_undefined:
            return "-", "undefined", "-"
        if cfa == "plt":
            cfa = "sp+16" if (address & 15) >= expressions[f.start].plt_from else "sp+8"
        return cfa, ra, fp
    return None


# ---- together ----

def known(name, version):
    return next((why for n, versions, why in KNOWN if n == name and version in versions), None)


def compare(f, eh, expressions):
    """Addresses at which .eh_frame says something else, with what it says."""
    at = {f.start + b + r.at for r in f.rows for b in range(0, f.size, f.block or f.size or 1)}
    at |= {e.start + r.at for e in eh for r in e.rows if e.start < f.start + f.size and f.start < e.start + e.size}
    for address in sorted(a for a in at if f.start <= a < f.start + f.size):
        row, want = f.row_at(address), eh_rules(eh, expressions, address)
        if row and row.rules() != want:
            yield address, want


def names_of(lines):
    symbols, sections, rest = {}, {}, []
    for line in lines:
        m = re.match(r" +\d+: ([0-9a-f]+) +\d+ (?:NOTYPE|FUNC) +\w+ +\w+ +\d+ (\w+)", line)
        if m:
            symbols.setdefault(int(m[1], 16), set()).add(m[2])
        m = re.match(r" +\[ *\d+\] (\S+) +\S+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \S+ +AX", line)
        if m and m[1].startswith(".plt"):
            sections[range(int(m[2], 16), int(m[2], 16) + int(m[3], 16))] = m[1]
        m = re.match(r" +\[ *\d+\] \.sframe +\S+ +([0-9a-f]+)", line)
        if m:
            rest.append("section 0x%s" % m[1].lstrip("0"))
        m = re.match(r" +LOAD +\S+ 0x([0-9a-f]+) \S+ \S+ 0x([0-9a-f]+) R E", line)
        if m:
            rest.append("exec 0x%x 0x%x" % (int(m[1], 16), int(m[1], 16) + int(m[2], 16)))
    return symbols, sections, rest


def main():
    path, abi, section, *readelf = sys.argv[1:]
    data = open(section, "rb").read()
    version = data[2]
    lines = run(*readelf, "--sframe", path)
    functions = sframe(lines, abi, data)
    blocks(functions, data, abi)
    expressions = eh_expressions(run(*readelf, "--debug-dump=frames", path), abi)
    eh = eh_frame(run(*readelf, "--debug-dump=frames-interp", path), expressions, abi)
    symbols, sections, head = names_of(run(*readelf, "-lSsW", path))

    print("# by readelf of " + run(*readelf, "--version")[0])
    print("abi %s\nversion %d\n%s" % (abi, version, "\n".join(sorted(head, reverse=True))))
    # gaps: .eh_frame knows the function, .sframe does not
    unsaid = [e.start for e in eh if e.size and not any(f.start == e.start for f in functions)]
    for f in functions:
        f.name = next((n for r, n in sections.items() if f.start in r), None) or \
            "|".join(sorted(symbols.get(f.start, ["-"])))
        print("fde 0x%x %d %d %s %s" % (f.start, f.size, f.block, f.flags, f.name))
        for r in f.rows:
            print("row %d %s %s %s %s" % (r.at, r.cfa, r.ra, r.fp, r.flags))
        for address, want in compare(f, eh, expressions):
            why = known(f.name, version)
            says = "nothing" if want is None else " ".join(want)
            if not why:
                sys.exit("%s: 0x%x in %s: .eh_frame says %s" % (path, address, f.name, says))
            print("# 0x%x: .eh_frame says %s: %s" % (address, says, why))
    for start in unsaid:
        name = next((n for r, n in sections.items() if start in r), None) or "|".join(symbols.get(start, ["-"]))
        print("# not in .sframe: 0x%x %s" % (start, name))


if __name__ == "__main__":
    main()
