/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers by their DWARF numbers: System V psABI for x86-64 (figure 3.36),
 * for i386 (table 2.14), Arm's aadwarf64 (4.1), ELF ABI s390x (table 1.8).
 */
#ifndef UC_REGNAMES_H
#define UC_REGNAMES_H

#include "uc_types.h"

/* A constant, or NULL: there is no such ABI, or it has no such register. */
const char *uc_reg_name(enum uc_abi_id abi, u32 number);
/* "x86-64", "aarch64-be" */
const char *uc_abi_name(enum uc_abi_id abi);

#endif
