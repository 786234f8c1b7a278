/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Work for the compiler. */
#include <functional>
#include <map>
#include <string>

int main(int argc, char **argv)
{
	std::map<std::string, std::function<int(int)>> m;

	m["x"] = [&](int k) { return k + argc; };
	m[argv[0]] = m["x"];
	return m["x"](3);
}
