#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""relocate.py OBJECT LINKED.rows NAME: what a loader makes of the .sframe of
OBJECT, an ELF64 file that is not linked, to NAME.sframe and NAME.rows.

Its sections of code come to lie in the opposite order, so that the functions
are not sorted. The rows are those of the same object linked; the functions'
addresses are the symbols', so that nothing here decodes .sframe.
"""
import struct
import sys

CODE, STEP, SFRAME = 0x40F000, 0x1000, 0x418008
SHT_SYMTAB, SHT_RELA, SHF_EXECINSTR = 2, 4, 4
PC_RELATIVE = {2: "<i", 24: "<q"} # R_X86_64_PC32 and PC64

data = open(sys.argv[1], "rb").read()
shoff, = struct.unpack_from("<Q", data, 40)
shnum, shstrndx = struct.unpack_from("<2H", data, 60)
# name, type, flags, address, offset, size, link, info, alignment, entry
sections = [struct.unpack_from("<2I4Q2I2Q", data, shoff + 64 * i) for i in range(shnum)]


def string(table, at):
    start = sections[table][4] + at
    return data[start:data.index(b"\0", start)].decode()


def entries(section, form):
    _, _, _, _, offset, size, *_ = section
    return [struct.unpack_from(form, data, at)
            for at in range(offset, offset + size, struct.calcsize(form))]


names = [string(shstrndx, s[0]) for s in sections]
place = {names.index(".sframe"): SFRAME}
for i, s in enumerate(sections):
    if s[2] & SHF_EXECINSTR and s[5]:
        place[i] = CODE - STEP * len(place)

symtab = next(s for s in sections if s[1] == SHT_SYMTAB)
# name, info, other, section, value, size
symbols = entries(symtab, "<I2BH2Q")
addresses = {string(symtab[6], s[0]): place[s[3]] + s[4] for s in symbols if s[3] in place}

_, _, _, _, offset, size, *_ = sections[names.index(".sframe")]
out = bytearray(data[offset:offset + size])
for at, info, addend in entries(sections[names.index(".rela.sframe")], "<2Qq"):
    symbol = symbols[info >> 32]
    value = place[symbol[3]] + symbol[4] + addend - (SFRAME + at)
    struct.pack_into(PC_RELATIVE[info & 0xffffffff], out, at, value)
open(sys.argv[3] + ".sframe", "wb").write(out)

with open(sys.argv[3] + ".rows", "w") as rows:
    for line in open(sys.argv[2]):
        word = line.split()
        if word[0] == "section":
            word[1] = hex(SFRAME)
        elif word[0] == "exec":
            word[1:] = hex(min(place.values())), hex(CODE)
        elif word[0] == "fde":
            word[1] = hex(addresses[word[5].split("|")[0]])
        rows.write(" ".join(word) + "\n")
