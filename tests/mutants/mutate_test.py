#!/usr/bin/env python3
"""Each kind of mutant on a small file: both versions are there, behind the switch, on the lines where they were."""

import sys

import mutate

TEXT = """#include <algorithm>
int clamp(int x, bool strict) {
  constexpr int kMost = 7;
  if (x < 0) fail("x is ", x, ", expected 0 or more");
  if (strict && x > kMost) return std::min(x, kMost);
  int sum = 0;
  for (int i = 0; i < x; ++i) sum += i * 2;  // i < x in words
  log(sum);
  assert(sum >= 0);
  return sum + 1;
}
"""
EXPECTED = {
    "removed check\tif (x < 0)": "  if (!MUTANT(1) && bool(x < 0)) fail(",
    "logic\t&& -> || in: strict && x > kMost": "  if (MUTANT(1) ? bool(strict || x > kMost) : bool(strict && x > kMost)) return",
    "min/max\tmin -> max in: return std::min(x, kMost)":
        "{ if (MUTANT(1)) { return std::max(x, kMost); } return std::min(x, kMost); }",
    "comparison\t< -> <= in: i < x": "for (int i = 0; MUTANT(1) ? bool(i <= x) : bool(i < x); ++i)",
    "arithmetic\t* -> / in: sum += i * 2": "{ if (MUTANT(1)) { sum += i / 2; } else { sum += i * 2; } }",
    "dropped statement\tlog(sum)": "{ if (!MUTANT(1)) { log(sum); } }",
    "constant\t7 -> 8 in: constexpr int kMost = 7;": "  const int kMost = (MUTANT(1) ? 8 : 7);",
    "arithmetic\t+ -> - in: return sum + 1": "{ if (MUTANT(1)) { return sum - 1; } return sum + 1; }",
}


def main():
    code = mutate.Code(TEXT)
    made = [mutate.make(code, "a/b/c.cpp", site) for site in mutate.sites(code)]
    by_name = {f"{m.kind}\t{m.description}": m for m in made if m}
    for name, text in EXPECTED.items():
        if name not in by_name:
            sys.exit(f"no mutant '{name}' among {sorted(by_name)}")
        by_name[name].id = 1
        changed = mutate.mutated(TEXT, [by_name[name]])
        if text not in changed or changed.count("\n") != TEXT.count("\n"):
            sys.exit(f"{name}:\n{changed}\nexpected '{text}' and as many lines")
    if any("assert" in name or "words" in name for name in by_name):
        sys.exit("an assertion or a comment was changed")
    # The draw depends on the text around a place, not on its line.
    before = [m.name for m in mutate.draw({"a/b/c.cpp": TEXT}, 1, 5)]
    after = [m.name for m in mutate.draw({"a/b/c.cpp": "// more\n\n" + TEXT}, 1, 5)]
    if before != after or len(before) != 5:
        sys.exit(f"{before} became {after} by two lines above")


if __name__ == "__main__":
    main()
