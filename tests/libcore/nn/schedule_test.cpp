#include "libcore/nn/schedule.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"

using namespace frugal;

TEST_CASE("a linear schedule falls from the peak to zero") {
  const Schedule s{ScheduleKind::linear, 0.5, 0, 10};
  CHECK(s.rate(0) == 0.5);
  CHECK(s.rate(5) == doctest::Approx(0.25));
  CHECK(s.rate(9) == doctest::Approx(0.05));
  CHECK(s.rate(10) == 0);
  CHECK(s.rate(1000) == 0);
}

TEST_CASE("warm-up rises on a line and reaches the peak") {
  for (const ScheduleKind kind :
       {ScheduleKind::constant, ScheduleKind::linear, ScheduleKind::cosine}) {
    const Schedule s{kind, 1, 4, 12};
    CHECK(s.rate(0) == 0.25);
    CHECK(s.rate(3) == 1);
    CHECK(s.rate(4) == 1);
    CHECK(s.rate(8) == doctest::Approx(kind == ScheduleKind::constant ? 1 : 0.5));
  }
}

TEST_CASE("a schedule goes over steps of which a share is warm-up") {
  const Schedule s = Schedule{ScheduleKind::linear, 0.5}.over(12, 0.25);
  CHECK(s.peak == 0.5);
  CHECK(s.warmup_steps == 3);
  CHECK(s.total_steps == 12);
  CHECK(s.rate(11) == doctest::Approx(0.5 / 9));
}

TEST_CASE("a schedule that is all warm-up divides by nothing") {
  const Schedule s{ScheduleKind::cosine, 1, 20, 10};
  CHECK(s.rate(9) == 0.5);
  CHECK(s.rate(30) == doctest::Approx(0));
}

TEST_CASE("names of schedules are understood and others refused") {
  CHECK(schedule_from_name("cosine") == ScheduleKind::cosine);
  CHECK(schedule_name(ScheduleKind::linear) == "linear");
  CHECK_THROWS_AS(schedule_from_name("step"), Error);
}
