/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Work for the compiler. */
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>

int main(int argc, char **argv)
{
	std::map<std::string, std::function<int(int)>> m;
	std::regex r("a(b|c)*d");

	m["x"] = [&](int k) { return k + argc; };
	std::cout << std::regex_match(argv[0], r) << m["x"](3);
	return 0;
}
