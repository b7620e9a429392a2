#include "libcore/system/clock.h"

#include <doctest/doctest.h>
#include <stdlib.h>

using namespace frugal;

TEST_CASE("the clocks never run backwards") {
  const double wall = wall_seconds();
  const double cpu = cpu_seconds();
  volatile unsigned work = 0;
  while (cpu_seconds() == cpu) work = work + 1;
  CHECK(wall_seconds() > wall);
  CHECK(cpu_seconds() > cpu);
}

TEST_CASE("SOURCE_DATE_EPOCH fixes the date, and is refused if it is no time") {
  setenv("SOURCE_DATE_EPOCH", "1234567890", 1);
  CHECK(unix_seconds() == 1234567890.0);
  setenv("SOURCE_DATE_EPOCH", "yesterday", 1);
  CHECK_THROWS_WITH(unix_seconds(), doctest::Contains("expected seconds since 1970"));
  unsetenv("SOURCE_DATE_EPOCH");
  CHECK(unix_seconds() > 1.7e9);
}
