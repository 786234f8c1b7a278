/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Substitutions let a name of a hundred bytes stand for gigabytes of text, so
 * the text is bounded while it is produced. Real names beyond this exist only
 * in stress tests of compilers; they are shown mangled.
 */
#define DEMANGLED_MAX 16384
/* The demanglers need stack in proportion to this. */
#define MANGLED_MAX 16384

struct text {
	char *data; /* DEMANGLED_MAX + 1 bytes */
	size_t len;
	jmp_buf too_long;
};

/*
 * The demanglers offer no way to stop them, and the time they take grows with
 * the text: jump out. They hold no heap memory while they print C++ names;
 * with Rust's, one punycode identifier may leak.
 */
static void append(const char *s, size_t len, void *opaque)
{
	struct text *text = opaque;

	if (len > DEMANGLED_MAX - text->len)
		longjmp(text->too_long, 1);
	if (!len)
		return; /* @s may be NULL then */
	memcpy(text->data + text->len, s, len);
	text->len += len;
}

static bool demangle(const char *mangled, struct text *text)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(text->too_long))
		return false;
	text->len = 0;
	/* Rust first: its legacy names are well-formed C++ names, too. */
	if (rust_demangle_callback(mangled, options, append, text))
		return true;
	text->len = 0;
	return cplus_demangle_v3_callback(mangled, options, append, text);
}

char *uc_demangle(const char *mangled)
{
	struct text text;
	char *ret;

	/* "_Z" starts C++ and legacy Rust names, "_R" Rust's v0. */
	if (mangled[0] != '_' || (mangled[1] != 'Z' && mangled[1] != 'R'))
		return NULL;
	if (strnlen(mangled, MANGLED_MAX + 1) > MANGLED_MAX)
		return NULL;
	text.data = malloc(DEMANGLED_MAX + 1);
	if (!text.data)
		return NULL;
	if (!demangle(mangled, &text) || !text.len) {
		free(text.data);
		return NULL;
	}
	text.data[text.len] = '\0';
	ret = realloc(text.data, text.len + 1);
	return ret ? ret : text.data;
}
