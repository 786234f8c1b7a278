#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: build.sh OUTDIR
here=$(dirname "$0")
out=$1
mkdir -p "$out"
as --gsframe -o "$out/case.o" "$here/case.S"
ld -o "$out/prog" "$out/case.o" --eh-frame-hdr
objcopy -R .eh_frame -R .eh_frame_hdr "$out/prog" "$out/prog.sframe" 2>/dev/null
rm "$out/case.o"
