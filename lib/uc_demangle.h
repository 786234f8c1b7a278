/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as programmers wrote them: C++ (Itanium ABI) and Rust (legacy and v0). */
#ifndef UC_DEMANGLE_H
#define UC_DEMANGLE_H

/**
 * uc_demangle() - demangle a symbol's name
 * @mangled: name from a symbol table; may be anything
 *
 * C++ names come with their parameters, Rust names without their hash.
 *
 * Return: a string for free(), or NULL if @mangled is not a mangled name, is
 * malformed, or would become unreasonably long.
 */
char *uc_demangle(const char *mangled);

#endif
