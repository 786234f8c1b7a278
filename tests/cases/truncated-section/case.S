/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	FDE_START f0, c
	FDE	f1, c, outer, 32
	FDE	f3, c, leaf, 64
	# mid's FDE is last, says it is 64 bytes long, and the section ends after 17
	.balign	4
f2:	.long	64
	.long	. - c
	.long	mid - .
	.long	mid_end - mid
	.uleb128 0
	HDR_BEGIN 4
	ROW	_start, f0
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
