#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Make the seeds of the core's fuzz targets: fuzz/seeds/TARGET/*.

They come from the programs of tests/cases, which are built and stopped for
it, from files of this machine and from tests/sframe. Run it after a change of
a target's input format, from the top of the tree; x86-64 Linux, gcc, ptrace.
"""
import ctypes
import glob
import os
import signal
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "tests", "cases")
SFRAME = os.path.join(HERE, "..", "tests", "sframe")
SEEDS = os.path.join(HERE, "seeds")
LARGEST = 8000  # bytes
MOST = 13  # files of a target, beside those that were found

# Hand-made sections and no libc: small enough to be a seed as a whole.
RAW_CASES = ["overlapping-fdes", "hdr-no-table", "hdr-count-lies", "hdr-row-wild", "cie-pointer-wild",
             "zero-entry-in-middle", "uleb-padded", "set-loc", "remember-nested", "gnu-opcodes",
             "cycle-of-two", "cie-v3", "aug-z-unknown-tail", "cfa-expr-then-register", "expr-loop",
             "truncated-section", "opcode-unknown", "function-at-zero"]
# Of these a walk from the stopped program.
WALK_CASES = ["overlapping-fdes", "hdr-no-table", "cie-pointer-wild", "cfa-expr-then-register", "cycle-of-two",
              "expr-loop", "hdr-row-wild", "remember-nested"]
FILES = ["/usr/bin/true", "/lib/x86_64-linux-gnu/libdl.so.2", "/lib/x86_64-linux-gnu/libutil.so.1",
         "/usr/bin/sleep"]
LIBRARIES = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
             "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"]

EXEC, FILE, VDSO, PRISTINE = 1, 2, 4, 8
PT_LOAD, PT_GNU_EH_FRAME = 1, 0x6474E550


# ---- ELF ----

class Elf:
    """Program headers and .eh_frame of a 64-bit little-endian file."""

    def __init__(self, data):
        self.data = data
        phoff, shoff = struct.unpack_from("<QQ", data, 32)
        phnum, = struct.unpack_from("<H", data, 56)
        shnum, = struct.unpack_from("<H", data, 60)
        self.headers_end = phoff + 56 * phnum
        # (type, flags, offset, vaddr, paddr, filesz, memsz, align)
        self.segments = [struct.unpack_from("<IIQQQQQQ", data, phoff + 56 * i) for i in range(phnum)]
        self.loads = [s for s in self.segments if s[0] == PT_LOAD]
        self.hdr = next((s for s in self.segments if s[0] == PT_GNU_EH_FRAME), None)
        self.eh_frame = self._eh_frame(shoff, shnum)

    def _eh_frame(self, shoff, shnum):
        """(vaddr, offset, size) of the section, or None."""
        if not shoff or not shnum:
            return None
        strndx, = struct.unpack_from("<H", self.data, 62)
        # (name, type, flags, addr, offset, size, ...)
        sections = [struct.unpack_from("<IIQQQQ", self.data, shoff + 64 * i) for i in range(shnum)]
        for s in sections:
            name = self.data[sections[strndx][4] + s[0]:].split(b"\0")[0]
            if name == b".eh_frame":
                return s[3], s[4], s[5]
        return None


def uleb(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def sleb(data, at):
    value, end = uleb(data, at)
    return value - (1 << 7 * (end - at)) if data[end - 1] & 0x40 else value, end


class Cie:
    def __init__(self, body):
        version = body[4]
        aug, rest = body[5:].split(b"\0", 1)
        at = len(body) - len(rest)
        self.code, at = uleb(body, at)
        self.daf, at = sleb(body, at)
        self.ra, at = (body[at], at + 1) if version == 1 else uleb(body, at)
        self.z = aug[:1] == b"z"
        self.enc = 0
        if self.z:
            size, at = uleb(body, at)
            if aug == b"zR" or aug == b"zRS":
                self.enc = body[at]
            elif aug == b"zPLR":
                self.enc = body[at + size - 1]
            at += size
        self.signal = b"S" in aug
        self.insns = body[at:]


def fdes(elf):
    """(CIE, size of the code, instructions) of each FDE that reads easily."""
    vaddr, offset, size = elf.eh_frame
    section, at, cies = elf.data[offset:offset + size], 0, {}
    while at + 4 <= size:
        length, = struct.unpack_from("<I", section, at)
        if not length or length >= 0xFFFFFFF0 or at + 4 + length > size:
            break
        body = section[at + 4:at + 4 + length]
        ident, = struct.unpack_from("<I", body, 0)
        try:
            if not ident:
                cies[at] = Cie(body)
            elif at + 4 - ident in cies and cies[at + 4 - ident].enc == 0x1B:
                cie = cies[at + 4 - ident]
                rest = 12
                if cie.z:
                    skip, rest = uleb(body, rest)
                    rest += skip
                yield cie, struct.unpack_from("<I", body, 8)[0], body[rest:]
        except (IndexError, ValueError):
            pass
        at += 4 + length


# ---- CFA programs ----

LEBS = {5: "uu", 6: "u", 7: "u", 8: "u", 9: "uu", 12: "uu", 13: "u", 14: "u", 0x0F: "b", 0x10: "ub",
        0x11: "us", 0x12: "us", 0x13: "s", 0x14: "uu", 0x15: "us", 0x16: "ub", 0x2E: "u", 0x2F: "uu"}
FIXED = {0: 0, 1: 4, 2: 1, 3: 2, 4: 4, 0x0A: 0, 0x0B: 0}


def instructions(program):
    """(opcode, expression or None) of each; ends where it does not know how."""
    at = 0
    while at < len(program):
        op = program[at]
        at += 1
        block = None
        if op & 0xC0:
            if op & 0xC0 == 0x80:
                at = uleb(program, at)[1]
            op &= 0xC0
        elif op in FIXED:
            at += FIXED[op]
        elif op in LEBS:
            for kind in LEBS[op]:
                value, end = uleb(program, at)
                if kind == "b":
                    block = program[end:end + value]
                    end += value
                at = end
        else:
            return
        yield op, block


def programs(files):
    """FDEs that do something which none before them did, from each file."""
    seen = set()
    for data in files:
        elf = Elf(data)
        if not elf.eh_frame:
            continue
        for cie, size, insns in fdes(elf):
            try:
                ops = frozenset(op if block is None else (op, block[:1])
                                for op, block in instructions(insns))
            except IndexError:
                continue
            if len(insns) < 300 and not ops <= seen:
                seen |= ops
                yield cie, size, insns


def cfa_seeds(files):
    # products beyond 64 bits: n * daf, each -2**63 or so
    huge = "808080808080808080"
    insns = bytes.fromhex("1203%s7f 13%s7f 0503%s01 1103%s7f 1403%s01 1503%s7f 2f03%s01 83%s01" % ((huge,) * 8))
    yield "overflow", struct.pack("<qHBBBHB", -2**63, 0xFFFF, 16, 0x1B, 1, 0, 0) + insns
    for n, (cie, size, insns) in enumerate(programs(files)):
        yield "fde-%02d" % n, struct.pack(
            "<qHBBBHB", cie.daf, cie.code, cie.ra, cie.enc, 1 | (4 if cie.signal else 0),
            min(max(size - 1, 0), 0xFFFF), len(cie.insns)) + cie.insns + insns


# Each operator at least once; the sheet's own patterns are in the files.
EXPRESSIONS = {
    "plt": "77088000 3f1a3b2a332422",
    "constants": "08fe 09fe 0afeff 0bfeff 0cfeffffff 0dfeffffff 0e0100000000000000 10b964 117e 22222222222222",
    "stack": "313233 12 13 14 1502 16 17 22",
    "unary": "0afbff 19 1f 20 2310",
    "arithmetic": "0a0010 37 1b 35 1d 36 1e 38 1c 3f 1a 31 21 32 27 22",
    "shifts": "09ff 34 24 33 25 32 26 08c0 24",
    "compare": "3132 29 31 2a 30 2b 31 2c 30 2d 31 2e",
    "loop": "3034 12 17 22 16 311c 12 28f6ff 13",
    "skip": "312f0100 32",
    "registers": "53 9003 7378 920378 22 1c 22",
    "deref": "7700 06 13 7700 9404 9601 9f",
    "encoded": "f11b10000000 06",
}


def expr_seeds(files):
    head = struct.pack("<BI5Q", 1, 0x1FFFF, 0x30000100, 0x30000200, 0x30000300, 0x401230, 0x30000400)
    for name, text in EXPRESSIONS.items():
        block = bytes.fromhex(text)
        yield name, head + bytes([len(block)]) + block
    blocks = {block for _, _, insns in programs(files) for _, block in instructions(insns) if block}
    for n, block in enumerate(sorted(blocks)[:MOST - len(EXPRESSIONS)]):
        yield "file-%02d" % n, head + bytes([len(block)]) + block


# ---- sections ----

def hdr_seeds(named_files):
    for name, data in named_files:
        elf = Elf(data)
        if not elf.hdr:
            continue
        load = next(s for s in elf.loads if s[2] <= elf.hdr[2] < s[2] + s[5])
        lo = elf.hdr[2]
        if elf.eh_frame and elf.eh_frame[1] >= load[2]:
            lo = min(lo, elf.eh_frame[1])
        segment = data[lo:load[2] + load[5]][:LARGEST - 6]
        at = elf.hdr[2] - lo
        # a little into the table's second function, by its distance from here
        pc = struct.unpack_from("<i", segment, at + 20)[0] + at + 5 if len(segment) >= at + 24 else 0
        yield name, struct.pack("<Hi", at, max(-2**31, min(pc, 2**31 - 1))) + segment


class Space:
    """An address space, as fuzz_input.h reads it."""

    def __init__(self):
        self.maps, self.regions = [], []

    def map(self, start, end, off, ident, flags):
        self.maps.append(struct.pack("<QQQBB", start, end, off, ident, flags))

    def region(self, addr, data):
        self.regions.append((addr, data))

    def pack(self):
        return (bytes([len(self.maps), len(self.regions)]) + b"".join(self.maps) +
                b"".join(struct.pack("<QH", a, len(d)) for a, d in self.regions) +
                b"".join(d for _, d in self.regions))


def page_down(n):
    return n & ~0xFFF


def page_up(n):
    return (n + 0xFFF) & ~0xFFF


def elf_seed(elf, with_header=True):
    bias = 0x555555554000 if elf.loads[0][3] == 0 else 0
    space = Space()
    # the executable mapping first: its section is looked for
    for s in sorted(elf.loads, key=lambda s: not s[1] & 1):
        space.map(page_down(bias + s[3]), page_up(bias + s[3] + s[5]), page_down(s[2]) + (not with_header) * 0x1000,
                  1, FILE | PRISTINE | (EXEC if s[1] & 1 else 0))
    if with_header:
        space.region(bias + elf.loads[0][3], elf.data[:elf.headers_end])
    parts = [(elf.hdr[3], elf.hdr[2], elf.hdr[5])] if elf.hdr else []
    parts += [elf.eh_frame] if elf.eh_frame else []
    for vaddr, off, size in parts:
        space.region(bias + vaddr, elf.data[off:off + min(size, 2500)])
    return space.pack()


def elf_seeds(named_files):
    for name, data in named_files:
        elf = Elf(data)
        yield name, elf_seed(elf)
        if name == "overlapping-fdes":
            yield "no-elf-header", elf_seed(elf, False)
        if name == "true":
            elf.hdr = None
            for i in range(len(elf.segments)):
                if elf.segments[i][0] == PT_GNU_EH_FRAME:
                    at, = struct.unpack_from("<Q", data, 32)
                    elf.data = data[:at + 56 * i] + b"\0" * 4 + data[at + 56 * i + 4:]
            yield "no-phdr", elf_seed(elf)


# ---- stopped programs ----

PTRACE_GETREGS, PTRACE_ATTACH, PTRACE_DETACH = 12, 16, 17
# of struct user_regs_struct, in DWARF's order: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip
USER_REGS = [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16]


def ptrace(request, pid, data=None):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(request, pid, None, data) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def stopped_registers(pid):
    raw = ctypes.create_string_buffer(27 * 8)
    ptrace(PTRACE_ATTACH, pid)
    os.waitpid(pid, 0)
    ptrace(PTRACE_GETREGS, pid, raw)
    user = struct.unpack("<27Q", raw.raw)
    return [user[i] for i in USER_REGS]


def capture(pid, path):
    """Registers, the program's mappings with all their bytes, and some stack."""
    regs = stopped_registers(pid)
    space = Space()
    sp = regs[7]
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as mem:
        for line in open("/proc/%d/maps" % pid):
            fields = line.split()
            start, end = (int(x, 16) for x in fields[0].split("-"))
            is_program = fields[-1] == path
            if not is_program and not start <= sp < end:
                continue
            space.map(start, end, int(fields[2], 16), 1 if is_program else 0,
                      (FILE | PRISTINE if is_program else 0) | (EXEC if "x" in fields[1] else 0))
            mem.seek(start if is_program else sp)
            data = mem.read(min(end - start, 4000) if is_program else min(end - sp, 600))
            space.region(start if is_program else sp, data.rstrip(b"\0") + b"\0" * 8)
    entry_sp = int(open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[25])
    return struct.pack("<IQ17Q", 0x1FFFF, entry_sp, *regs) + space.pack()


def walk_seed(program):
    child = subprocess.Popen([program], stdout=subprocess.PIPE, env={})
    try:
        if child.stdout.readline() != b"READY\n":
            return None
        return capture(child.pid, program)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()


# ---- code without unwind data ----

CODE, STACK = 0x10000000, 0x7FFF00000000
BARE = {
    0x10: "e800000000 e800000000",  # calls; they return to 0x15 and 0x1a
    0x40: "554889e54883ec1031c0c9c3",  # with a frame pointer
    0x60: "534154 4883ec18 4885c0 7402 89fb 4883c418 415c 5b c3",  # followed to its return
    0x80: "48c7c00f0000000f05",  # the signal trampoline
    0xA0: "ff2500100000 6803000000 e9c0ffffff",  # PLT of lld
    0xC0: "f30f1efa 41bb03000000 ff2500100000",  # and of mold
    0xE0: "4881c4f0ffff7f 488b5c2410 c3",  # add $0x7ffffff0,%rsp; mov 16(%rsp),%rbx; ret
}


def bare_seed(pc, words, fp=0, rax=0, file=1):
    """A walk from pc in the code above; words of the stack by their offset."""
    code, stack = bytearray(b"\xcc" * 0x100), bytearray(0x200)
    for at, text in BARE.items():
        data = bytes.fromhex(text)
        code[at:at + len(data)] = data
    for at, word in words.items():
        struct.pack_into("<Q", stack, at, word)
    space = Space()
    space.map(CODE, CODE + 0x1000, 0, file, EXEC | (FILE | PRISTINE if file else 0))
    space.map(STACK, STACK + 0x1000, 0, 0, 0)
    space.region(CODE, bytes(code))
    space.region(STACK, bytes(stack))
    regs = [0x1000 + i for i in range(17)]
    regs[0], regs[6], regs[7], regs[16] = rax, fp, STACK + 0x40, CODE + pc
    return struct.pack("<IQ17Q", 0x1FFFF, STACK + 0x180, *regs) + space.pack()


def bare_seeds():
    ret1, ret2 = CODE + 0x15, CODE + 0x1A
    chain = {0x60: STACK + 0xA0, 0x68: ret1, 0xA8: ret2}
    yield "frame-pointer", bare_seed(0x48, chain, STACK + 0x60)
    yield "generated-code", bare_seed(0x48, chain, STACK + 0x60, file=0)
    yield "follow", bare_seed(0x60, {0x40: ret1}, rax=1)
    yield "plt-lld", bare_seed(0xAB, {0x48: ret1})
    yield "plt-mold", bare_seed(0xC4, {0x40: ret1})
    yield "signal", bare_seed(0x80, {0x40 + 160: STACK + 0x140, 0x40 + 168: CODE + 0x4B, 0x140: ret2})
    yield "overflow", bare_seed(0xE0, {0x40: ret1})
    yield "bad-call", bare_seed(-0x1000, {0x40: ret1})


# ---- .sframe ----

ABIS = {"x86_64": 0, "aarch64": 3, "s390x": 5}  # enum uc_abi_id


def sframe_facts(path):
    """(ABI, section's address, (start, end) of the code, functions' starts) of tests/sframe/NAME.rows."""
    words = [line.split() for line in open(path)]
    one = {w[0]: w[1:] for w in words if w[0] in ("abi", "section", "exec")}
    starts = [int(w[1], 16) for w in words if w[0] == "fde" and w[2] != "0"]
    return ABIS[one["abi"][0]], int(one["section"][0], 16), [int(x, 16) for x in one["exec"]], starts


def sframe_seeds():
    for path in sorted(glob.glob(os.path.join(SFRAME, "*.rows"))):
        if "plt-ibt" in path:
            continue  # little that plt does not have
        abi, section, (lo, hi), starts = sframe_facts(path)
        pc = starts[min(3, len(starts) // 2)]
        head = struct.pack("<BiiI", abi, lo - section, pc - section, hi - lo)
        yield os.path.basename(path)[:-5], head + open(path[:-5] + ".sframe", "rb").read()


# ---- maps ----

MAPS_LINES = """\
00400000-00401000 r-xp 00000000 08:01 5 /a b/c (deleted)
00401000-00402000 ---p 00000000 00:00 0
7f0000000000-7f0000001000 rwxp 00003000 fd:1f 18446744073709551615 /memfd:x (deleted)
00300000-00301000 r--p 00000000 08:01 5 /lower/again
7fffe000-7fffd000 r--p 00000000 00:00 0 backwards
7ffff000-80000000 r-xp 00000000 00:00 0 [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
no line at all
"""


def vmas_seeds():
    yield "lines", MAPS_LINES.encode()
    yield "self", open("/proc/self/maps", "rb").read()[:LARGEST]
    yield "long-path", b"1000-2000 r-xp 0 8:1 5 /" + b"x" * 600 + b"\n2000-3000 r--p 0 8:1 5 /y\n"
    yield "no-newline", b"1000-2000 r-xp 00000000 08:01 5 /x"


# ---- .debug_frame ----

FRAME_C = "".join("int f%d(int x) { return x ? f%d(x - 1) * %d : 1; }\n" % (i, i, i) for i in range(16))
FRAME_BUILDS = {
    "x86_64": "gcc {c} -shared -nostdlib -Wl,-z,noseparate-code -o prog prog.c",
    "x86_64-version-4": "gcc {c} -Wa,--gdwarf-cie-version=4 -shared -nostdlib -Wl,-z,noseparate-code -o prog prog.c",
    "i386": "gcc {c} -m32 -shared -nostdlib -Wl,-z,noseparate-code -o prog prog.c",
    "powerpc64": "clang-19 {c} --target=powerpc64-linux-gnu -c -o prog.o prog.c && ld.lld -shared -o prog prog.o",
    "dwarf64": "clang-19 {c} -gdwarf64 --target=x86_64-linux-gnu -c -o prog.o prog.c && ld.lld -shared -o prog prog.o",
}
FRAME_FLAGS = {"i386": 5, "powerpc64": 3}  # as fuzz_debugframe.c reads them
FRAME_PACKINGS = {
    "": "cp prog packed",
    "-zlib": "objcopy --compress-debug-sections=zlib prog packed",
    "-zdebug": "objcopy --compress-debug-sections=zlib-gnu prog packed",
    "-zstd": "objcopy --compress-debug-sections=zstd prog packed",
    "-debugdata": "xz -kf prog && strip -o bare prog && objcopy --add-section .gnu_debugdata=prog.xz bare packed",
}


def debugframe_seeds(tmp):
    def sh(command):
        subprocess.run(["sh", "-ec", command], cwd=tmp, check=True)

    def contents(name):
        return open(os.path.join(tmp, name), "rb").read()

    open(os.path.join(tmp, "prog.c"), "w").write(FRAME_C)
    for build, command in FRAME_BUILDS.items():
        sh(command.format(c="-g -O1 -fPIC -fno-asynchronous-unwind-tables -fno-unwind-tables"))
        sh("llvm-strip -g --keep-section=.debug_frame prog")
        for packing, pack in FRAME_PACKINGS.items():
            if build == "x86_64" or not packing and build in FRAME_FLAGS:
                sh(pack)
                yield build + packing, b"\0" + contents("packed")
        sh("llvm-objcopy --dump-section .debug_frame=frame prog")
        code = struct.pack("<QQ", 0, 0x80000000)
        yield build + "-section", bytes([FRAME_FLAGS.get(build, 1)]) + code + contents("frame")


# ---- whole files ----

ROWS_C = "int g(int, ...); int f(int x) { return g(x, x, x) + 1; } void h(int *p) { int a[*p]; g(1, a); }\n"
ROWS_BUILDS = {
    "i386": "gcc -m32 -O1 -shared -nostdlib -o prog prog.c",
    "aarch64": "clang-19 --target=aarch64-linux-gnu -O1 -c -o prog.o prog.c && ld.lld -shared --eh-frame-hdr -o prog prog.o",
    "s390x": "clang-19 --target=s390x-linux-gnu -O1 -c -o prog.o prog.c && s390x-linux-gnu-ld -shared --eh-frame-hdr -o prog prog.o",
    "sframe": "gcc -Wa,--gsframe -O1 -shared -nostdlib -o prog prog.c",
}


def rows_seeds(tmp, named):
    open(os.path.join(tmp, "prog.c"), "w").write(ROWS_C)
    for build, command in ROWS_BUILDS.items():
        subprocess.run(["sh", "-ec", command + " -Wl,-z,noseparate-code" * ("gcc" in command) +
                        " && llvm-strip prog"], cwd=tmp, check=True)
        yield build, open(os.path.join(tmp, "prog"), "rb").read()
    for name, data in named:
        path = os.path.join(tmp, "stripped")
        open(path, "wb").write(data)
        subprocess.run(["llvm-strip", path], check=True)
        yield name, open(path, "rb").read()


def exprtext_seeds():
    for name, text in EXPRESSIONS.items():
        yield name, bytes([0xF0]) + bytes.fromhex(text)


# ---- core files ----

def core_seeds():
    """Those that the unit test makes; and some whose mapped file is the core file itself, which
    fuzz_core opens as descriptor 100."""
    with tempfile.TemporaryDirectory() as tmp:
        test = os.path.join(HERE, "..", "build", "tests", "test_corefile")
        subprocess.run([test], env={**os.environ, "UNCOIL_KEEP_FILES": tmp}, check=True, stderr=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
        made = {open(os.path.join(tmp, f), "rb").read(): f for f in sorted(os.listdir(tmp), reverse=True)}
    for data, name in sorted(made.items(), key=lambda item: item[1]):
        yield name, data
        if b"/lib.so" not in data:
            continue
        data = data.replace(b"/lib.so", b"/.//100")
        yield name + "-self", data
        mapped = bytearray(data)  # the first PT_LOAD shows offset 0 of it
        struct.pack_into("<Q", mapped, 64 + 56 + 8, 0)
        yield name + "-self-mapped", bytes(mapped)


# ---- the rest ----

def write(target, seeds, most=MOST):
    """Replace all but found-*: what the fuzzer found stays."""
    folder = os.path.join(SEEDS, target)
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        if not name.startswith("found-"):
            os.unlink(os.path.join(folder, name))
    n = 0
    for name, data in seeds:
        if data and len(data) <= LARGEST and n < most:
            open(os.path.join(folder, name), "wb").write(data)
            n += 1
    print("%-6s %d seeds" % (target, n))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        programs_of = {}
        for case in RAW_CASES:
            out = os.path.join(tmp, case)
            subprocess.run(["sh", os.path.join(CASES, case, "build.sh"), out], check=True)
            programs_of[case] = os.path.join(out, "prog")
        named = [(case, open(path, "rb").read()) for case, path in programs_of.items()]
        real = [(os.path.basename(path), open(path, "rb").read()) for path in FILES if os.path.exists(path)]
        libraries = [open(path, "rb").read() for path in LIBRARIES if os.path.exists(path)]
        everything = libraries + [data for _, data in named]
        write("hdr", hdr_seeds(real[:3] + named))
        write("cfa", cfa_seeds(everything))
        write("expr", expr_seeds(everything))
        write("elf", elf_seeds(real[:2] + named[:8]))
        write("walk", list(bare_seeds()) + [(case, walk_seed(programs_of[case])) for case in WALK_CASES])
        write("vmas", vmas_seeds())
        write("core", core_seeds(), 100)
        write("debugframe", debugframe_seeds(tmp))
        write("sframe", sframe_seeds())
        files = list(rows_seeds(tmp, named))
        write("rows", files)
        write("check", files)
        write("exprtext", exprtext_seeds())


if __name__ == "__main__":
    main()
