#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: build.sh OUTDIR
here=$(dirname "$0")
out=$1
mkdir -p "$out"
gcc -c -I"$here" -o "$out/case.o" "$here/case.S"
ld -z noexecstack --no-ld-generated-unwind-info --no-warn-rwx-segments -T "$here/raw.ld" -o "$out/prog" "$out/case.o"
objcopy --rename-section .ehraw=.eh_frame --rename-section .ehhdr=.eh_frame_hdr "$out/prog"
rm "$out/case.o"
