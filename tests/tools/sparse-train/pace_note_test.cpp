#include "tools/sparse-train/pace_note.h"

#include <doctest/doctest.h>

using namespace frugal;

TEST_CASE("a training of hours says how long it will take, once, after some seconds") {
  PaceNote note;
  note.begin(4, 100);
  CHECK(note.text(0, 104).empty());      // nothing is known before the first progress
  CHECK(note.text(0.001, 102).empty());  // too early to be measured
  CHECK(note.text(0.01, 118) == "at this pace, training takes another 1 h 59 min");
  CHECK(note.text(0.02, 136).empty());
}

TEST_CASE("a training of seconds says nothing") {
  PaceNote note;
  note.begin(10, 0);
  CHECK(note.text(1, 4).empty());
  CHECK(note.text(1.1, 50).empty());  // said or not, it was decided
  PaceNote minute;
  minute.begin(10, 0);
  CHECK_FALSE(minute.text(0.5, 4).empty());
}
