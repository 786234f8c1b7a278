/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <uncoil/stop.h>
#include <unistd.h>

#include "uc_regnames.h"

void uc_error(const char *fmt, ...)
{
	va_list ap;

	fputs("uncoil: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int uc_usage_error(const char *verb, const char *fmt, ...)
{
	va_list ap;

	fputs("uncoil: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'uncoil help%s%s'.\n", verb ? " " : "", verb ? verb : "");
	return UC_EXIT_USAGE;
}

int uc_option_error(const char *verb, int opt, char **argv)
{
	const char *why = opt == ':' ? "needs an argument" :
				       "no such option, or not with an argument";

	/* optopt is 0, or no character, for long options */
	if (optopt > 0 && optopt < 128 && strncmp(argv[optind - 1], "--", 2))
		return uc_usage_error(verb, "-%c: %s", optopt, why);
	return uc_usage_error(verb, "%s: %s", argv[optind - 1], why);
}

int uc_no_memory(void)
{
	uc_error("out of memory");
	return UC_EXIT_FAILURE;
}

int uc_finish_output(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return UC_EXIT_OK;
	uc_error("standard output: %s", errno ? strerror(errno) : "could not be written");
	return UC_EXIT_FAILURE;
}

/*
 * Length of the control character at @s, or 0. C1 controls (U+0080 to U+009F)
 * are two bytes in UTF-8; terminals take U+009B for the start of a command.
 */
static size_t control_length(const unsigned char *s)
{
	if (*s < 0x20 || *s == 0x7f)
		return 1;
	return s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f ? 2 : 0;
}

void uc_put_text(const char *text, FILE *out)
{
	const unsigned char *s = (const unsigned char *)text, *clean = s;
	size_t len;

	while (*s) {
		len = control_length(s);
		if (!len) {
			s++;
			continue;
		}
		fwrite(clean, 1, (size_t)(s - clean), out);
		fputc('?', out);
		s += len;
		clean = s;
	}
	fwrite(clean, 1, (size_t)(s - clean), out);
}

void uc_clean_text(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t len;

	for (; *s; s++) {
		len = control_length(s);
		if (len)
			memset(s, '?', len);
	}
}

/* Length of the UTF-8 character at @s, or 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, len = 0;
	uint32_t c;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >> 5 == 0x6)
		len = 2;
	else if (s[0] >> 4 == 0xe)
		len = 3;
	else if (s[0] >> 3 == 0x1e)
		len = 4;
	c = s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (!len || c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return len;
}

void uc_put_json_string(const char *text, FILE *out)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	fputc('"', out);
	for (; *s; s += len) {
		len = utf8_length(s);
		if (!len) {
			fputs("\\ufffd", out);
			len = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s);
		} else {
			fwrite(s, 1, len, out);
		}
	}
	fputc('"', out);
}

double uc_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *uc_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	/* "//anon" and directories are no paths to shorten */
	return path[0] == '/' && path[1] != '/' && slash[1] ? slash + 1 : path;
}

const char *uc_stop_word(int stop)
{
	if (stop == UNCOIL_STOP_NONE)
		return "unknown";
	switch (stop) {
#define WORD(name, number, word, sentence) \
	case number: \
		return word;
		UNCOIL_STOPS(WORD)
#undef WORD
	}
	return "new-stop";
}

const char *uc_stop_sentence(int stop)
{
	if (stop == UNCOIL_STOP_NONE)
		return "the recording does not say";
	switch (stop) {
#define SENTENCE(name, number, word, sentence) \
	case number: \
		return sentence;
		UNCOIL_STOPS(SENTENCE)
#undef SENTENCE
	}
	return "a reason that this version does not know";
}

/* "register unavailable: rbx" */
static const char *missing_register(int flaw)
{
	static char text[64];
	const char *name = uc_reg_name((enum uc_abi_id)(flaw >> 8 & 0x7f), flaw & 0xff);

	if (name)
		snprintf(text, sizeof(text), "register unavailable: %s", name);
	else
		snprintf(text, sizeof(text), "register unavailable: number %d", flaw & 0xff);
	return text;
}

const char *uc_flaw_sentence(int flaw)
{
	if (flaw & UNCOIL_FLAW_OF_REGISTER)
		return missing_register(flaw);
	switch (flaw) {
#define SENTENCE(name, number, sentence) \
	case number: \
		return sentence;
		UNCOIL_FLAWS(SENTENCE)
#undef SENTENCE
	}
	return "a flaw that this version does not know";
}
