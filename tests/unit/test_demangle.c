/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_demangled(const char *mangled, const char *expected)
{
	char *got = uc_demangle(mangled);

	if (expected) {
		assert_non_null(got);
		assert_string_equal(got, expected);
	} else {
		assert_null(got);
	}
	free(got);
}

static void test_demangle__cplusplus_has_parameters(void **state)
{
	(void)state;
	/* Itanium C++ ABI, section 5.1 */
	assert_demangled("_ZN3foo3barEi", "foo::bar(int)");
	assert_demangled("_Z3fooPKcRKSs", "foo(char const*, std::string const&)");
	assert_demangled("_ZNK3Vec4sizeEv", "Vec::size() const");
	assert_demangled("_ZN1AC1Ev", "A::A()");
	assert_demangled("_ZplRK1AS1_", "operator+(A const&, A const&)");
}

static void test_demangle__clones_keep_their_suffix(void **state)
{
	(void)state;
	assert_demangled("_ZN3foo3barEi.cold", "foo::bar(int) [clone .cold]");
}

static void test_demangle__rust_legacy_loses_its_hash(void **state)
{
	(void)state;
	assert_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
			 "core::fmt::Write::write_fmt");
	assert_demangled(
		"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
		"3bar17h930b740aa94f1d3aE",
		"<Test + 'static as foo::Bar<Test>>::bar");
}

static void test_demangle__rust_v0(void **state)
{
	(void)state;
	/* Rust RFC 2603 and its appendix */
	assert_demangled("_RNvC6_123foo3bar", "123foo::bar");
	assert_demangled("_RNvNtNtCs1234_7mycrate3foo3bar3baz", "mycrate::foo::bar::baz");
}

static void test_demangle__leaves_plain_names_alone(void **state)
{
	static const char *const plain[] = { "",         "main",   "_",    "_Z",           "_R",
					     "_start",   "_ZN",    "_ZZ",  "_Zebra",       "_Rx",
					     "__Z3foov", "Z3foov", "_RNv", "_ZN3fooE.\xff" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		char *got = uc_demangle(plain[i]);

		/* a malformed name may still be one to libiberty; it must not grow wild */
		if (got)
			assert_true(strlen(got) < 64);
		free(got);
	}
	assert_demangled("main", NULL);
	assert_demangled("_start", NULL);
	assert_demangled("__Z3foov", NULL);
}

/* "S_", "S0_", ..., base 36 */
static int put_substitution(char *s, int index)
{
	if (!index)
		return sprintf(s, "S_");
	index--;
	if (index < 36)
		return sprintf(s, "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index]);
	return sprintf(s, "S%c%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index / 36],
		       "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index % 36]);
}

/* f(A<int, int>, A<that, that>, A<that, that>...): twice the text each time */
static void test_demangle__bounds_names_that_explode(void **state)
{
	char name[2048], *got;
	int n, i;

	(void)state;
	n = sprintf(name, "_Z1f1AIiiE");
	for (i = 1; i < 60; i++) {
		n += sprintf(name + n, "S_I");
		n += put_substitution(name + n, i);
		n += put_substitution(name + n, i);
		n += sprintf(name + n, "E");
	}
	alarm(20);
	got = uc_demangle(name);
	alarm(0);
	assert_null(got);
}

static void test_demangle__survives_depth_and_length(void **state)
{
	static const char *const units[] = { "P", "1a", "I", "N", "Nv", "T", "F", "S_", "X", "St" };
	static const char *const starts[] = { "_Z1f", "_ZN", "_R", "_RNv", "_RI", "_ZZ" };
	size_t i, j, k, len;
	char *name = malloc(200001);

	(void)state;
	assert_non_null(name);
	alarm(60);
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
			len = strlen(units[j]);
			strcpy(name, starts[i]);
			for (k = strlen(name); k + len < 16000; k += len)
				memcpy(name + k, units[j], len + 1);
			free(uc_demangle(name));
			for (; k + len < 200000; k += len)
				memcpy(name + k, units[j], len + 1);
			free(uc_demangle(name));
		}
	}
	alarm(0);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle__cplusplus_has_parameters),
		cmocka_unit_test(test_demangle__clones_keep_their_suffix),
		cmocka_unit_test(test_demangle__rust_legacy_loses_its_hash),
		cmocka_unit_test(test_demangle__rust_v0),
		cmocka_unit_test(test_demangle__leaves_plain_names_alone),
		cmocka_unit_test(test_demangle__bounds_names_that_explode),
		cmocka_unit_test(test_demangle__survives_depth_and_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
