/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What check and survey make of foreign files: sums that add up, in bounded time. */
#include "uc_check.h"
#include "uc_survey.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct uc_image *img)
{
	struct uc_check c;
	u64 in_gaps = 0;
	size_t i;

	require(!uc_check(img, &c));
	require(c.verdict <= UC_CHECK_IMPOSSIBLE);
	require(!c.nr_flaws || c.verdict != UC_CHECK_FINE);
	for (i = 0; i < c.gap.nr; i++) {
		require(c.gap.range[i].start < c.gap.range[i].end);
		require(!i || c.gap.range[i - 1].end < c.gap.range[i].start);
		in_gaps += c.gap.range[i].end - c.gap.range[i].start;
	}
	require(in_gaps == c.uncovered && c.uncovered <= c.code);
	require(c.comparison.differing <= c.comparison.compared);
	require(c.comparison.nr <= c.comparison.places);
	for (i = 0; i < c.comparison.nr; i++)
		require(c.comparison.difference[i].start < c.comparison.difference[i].end);
	uc_check_fini(&c);
}

static void survey(const struct uc_image *img, enum uc_rows_source source)
{
	struct uc_survey s = { .abi = uc_image_abi(img) };
	u64 by_kind = 0;
	int i, rc = uc_survey_add(&s, img, source);

	require(rc != -12); /* -ENOMEM: more than such a file is worth */
	for (i = 0; i < UC_SURVEY_CFAS; i++)
		by_kind += s.cfa[i].rows;
	require(by_kind == s.all.rows);
	for (i = 1; i < UC_SURVEY_SUBSETS; i++)
		require(s.walkable[i].rows >= s.walkable[i - 1].rows ||
			i == UC_SURVEY_PRESERVED);
	require(s.walkable[UC_SURVEY_ALL].rows >= s.walkable[UC_SURVEY_PRESERVED].rows);
	require(s.packable.rows <= s.all.rows && s.outermost.rows <= s.all.rows);
	uc_survey_sort(&s);
	uc_survey_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum uc_rows_source source;
	struct uc_image *img;
	char err[128];

	if (uc_image_open_memory(data, size, "input", &img, err, sizeof(err)))
		return 0;
	check(img);
	for (source = UC_ROWS_EHFRAME; source <= UC_ROWS_DEBUGFRAME; source++)
		survey(img, source);
	uc_image_free(img);
	return 0;
}
