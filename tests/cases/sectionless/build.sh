#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: build.sh OUTDIR
here=$(dirname "$0")
out=$1
mkdir -p "$out"
gcc -c -I"$here" -o "$out/case.o" "$here/case.S"
ld -z noexecstack --no-ld-generated-unwind-info --no-warn-rwx-segments -T "$here/raw.ld" -o "$out/prog" "$out/case.o"
objcopy --rename-section .ehraw=.eh_frame --rename-section .ehhdr=.eh_frame_hdr "$out/prog"
cp "$out/prog" "$out/prog.syms"
# no section headers: zero e_shoff and, at 60, e_shnum and e_shstrndx
dd if=/dev/zero of="$out/prog" bs=1 seek=40 count=8 conv=notrunc 2>/dev/null
dd if=/dev/zero of="$out/prog" bs=1 seek=60 count=4 conv=notrunc 2>/dev/null
rm "$out/case.o"
