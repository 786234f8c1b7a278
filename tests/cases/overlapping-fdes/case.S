/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	# first in the section: one FDE over all four functions, return address undefined
	ENTRY	fw
	.long	. - c
	.long	_start - .
	.long	leaf_end - _start
	.uleb128 0
	.byte	0x07, 16
	DONE	fw
	FDE	f1, c, outer, 32
	FDE	f2, c, mid, 48
	FDE	f3, c, leaf, 64
	.long	0
	HDR_BEGIN 4
	ROW	_start, fw
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
