/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil report --json: the summary as one object, for scripts. */
#include "cli.h"
#include "summary.h"

#include <inttypes.h>
#include <string.h>

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

/* JSON text is UTF-8; what is not becomes the replacement character. */
static void put_string(const char *text, FILE *out)
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

static void put_member(const char *name, uint64_t value, const char **separator, FILE *out)
{
	fputs(*separator, out);
	put_string(name, out);
	fprintf(out, ": %" PRIu64, value);
	*separator = ", ";
}

static void put_stops(const struct uc_summary *s, FILE *out)
{
	const char *separator = "";
	int i;

	fputs("  \"stops\": {", out);
	for (i = 0; i < UNCOIL_STOP_COUNT; i++)
		if (s->stop[i])
			put_member(uc_stop_word(i), s->stop[i], &separator, out);
	fputs("},\n", out);
}

/* A name twice would be no member of its own. */
static void put_losses(const struct uc_summary *s, FILE *out)
{
	const char *separator = "";
	uint64_t sum;
	size_t i, j;

	fputs("  \"lost\": {", out);
	for (i = 0; i < s->nr_losses; i++) {
		for (j = 0; j < i && strcmp(s->loss[j].name, s->loss[i].name); j++)
			;
		if (j < i)
			continue;
		for (sum = 0; j < s->nr_losses; j++)
			if (!strcmp(s->loss[j].name, s->loss[i].name))
				sum += s->loss[j].count;
		put_member(s->loss[i].name, sum, &separator, out);
	}
	fputs("},\n", out);
}

void uc_print_json(const struct uc_summary *s, FILE *out)
{
	fprintf(out, "{\n  \"samples\": %" PRIu64 ",\n", s->samples);
	fprintf(out, "  \"user_stacks\": %" PRIu64 ",\n", s->user_stacks);
	fprintf(out, "  \"complete\": %" PRIu64 ",\n", s->stop[UNCOIL_STOP_OUTERMOST]);
	put_stops(s, out);
	put_losses(s, out);
	fprintf(out, "  \"bytes_per_sample\": %.1f,\n  \"engine\": ", s->bytes_per_sample);
	if (s->engine)
		put_string(s->engine, out);
	else
		fputs("null", out);
	fputs("\n}\n", out);
}
