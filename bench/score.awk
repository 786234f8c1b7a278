# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# awk -f score.awk -v exe=NAME:ENTRY -v loader=NAME:ENTRY
#
# Counts, from `perf script -F ip,sym,dso` or uncoil's, the samples whose user
# stack is complete: its outermost frame is the entry point of the program or of
# the dynamic loader (their names and ELF entry addresses), or where threads
# start. Symbols cannot tell: distributions strip _start. Files are mapped at
# whole pages, so the place in the page can.
#
# Prints: samples, complete ones, ones without any user frame, user frames, and
# samples whose stack is complete or has a function called main.

function hex(digits,    i, v)
{
	for (i = 1; i <= length(digits); i++)
		v = v * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
	return v
}

function in_page(address)
{
	return hex(substr("000" tolower(address), length(address) + 1))
}

function is_entry(file,    part)
{
	split(file, part, ":")
	return dso == part[1] && (in_page(ip) - in_page(part[2]) + 4096) % 4096 < 64
}

function end_sample()
{
	if (!lines)
		return
	samples++
	if (!user)
		without++
	else if (is_entry(exe) || is_entry(loader) || symbol ~ /^(__)?clone3?$|^start_thread$/)
		complete += to_main = 1
	mains += to_main
	lines = user = to_main = 0
}

/^[ \t]*$/ { end_sample(); next }

{
	lines++
	if (length($1) == 16 && $1 ~ /^ffff/) # the kernel's
		next
	user++
	frames++
	ip = $1
	symbol = $2
	if (symbol == "main")
		to_main = 1
	dso = $NF
	gsub(/^.*\/|[()]/, "", dso)
}

END { end_sample(); print samples + 0, complete + 0, without + 0, frames + 0, mains + 0 }
