#include "tools/sparse-train/commands/pace_note.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// What is said, and when, of a training of `passes` that reports every half second from 100 on.
std::string said(int passes, double (*done)(double seconds), double seconds) {
  PaceNote note;
  note.begin(passes);
  std::string result;
  for (double s = 0; s <= seconds; s += 0.5) {
    const std::string text = note.text(done(s), 100 + s);
    if (!text.empty()) result += format_number(s) + ": " + text + "\n";
  }
  return result;
}

}  // namespace

TEST_CASE("a training of hours says how long it will take, once, after some seconds") {
  CHECK(said(
            4, [](double s) { return s / 1800; }, 60) ==
        "6.5: at this pace, training takes another 1 h 59 min\n");
}

TEST_CASE("what comes before the first steps, and slow first steps, are not the pace") {
  // 20 s of laying out a tree, which then takes 5 s.
  CHECK(said(
            1, [](double s) { return s < 20 ? (s > 1 ? 0.001 : 0) : (s - 19.9) / 5; }, 25)
            .empty());
  // Steps of 50 times the time for 3 s.
  CHECK(said(
            2, [](double s) { return s < 3 ? s / 50000 : (s - 2.94) / 1000; }, 60) ==
        "9.5: at this pace, training takes another 33 min 13 s\n");
}

TEST_CASE("a training of seconds says nothing") {
  CHECK(said(
            10, [](double s) { return s / 4; }, 40)
            .empty());
  CHECK(said(
            10, [](double s) { return s / 7; }, 40)
            .find("another 1 min") != std::string::npos);
}
