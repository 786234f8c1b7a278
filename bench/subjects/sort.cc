/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* sort TIMES: std::sort whose comparison calls the one of the level below. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using strings = std::vector<std::string>;
using less_fn = std::function<bool(const std::string &, const std::string &)>;

__attribute__((noinline)) static size_t level(size_t n, strings v, const less_fn &less)
{
	std::sort(v.begin(), v.end(), less);
	if (!n)
		return v.size();
	return v[0].size() + level(n - 1, v, [&](const std::string &a, const std::string &b) {
		size_t x = a.size() % (n + 1), y = b.size() % (n + 1);

		return x != y ? x < y : less(a, b);
	});
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 3;
	unsigned int x = 1;
	size_t sum = 0;
	strings v;

	for (int i = 0; i < 9000; i++) {
		x = x * 1664525u + 1013904223u;
		v.push_back(std::string(x >> 26, 'a' + (x >> 20) % 26) + std::to_string(x));
	}
	for (int i = 0; i < times; i++)
		sum += level(20, v, std::less<std::string>());
	printf("%zu\n", sum);
	return 0;
}
