#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tools/robe-compress/data/click_fit.h"
#include "tools/robe-compress/data/click_reader.h"

using namespace frugal;
using namespace frugal::robe;

TEST_CASE("ranges are numbers of samples, or shares that leave none out") {
  CHECK(SampleRange().is_all());
  const SampleRange numbers("5:10");
  CHECK(!numbers.needs_total());
  CHECK(numbers.begin(0) == 5);
  CHECK(numbers.end(0) == 10);
  CHECK(SampleRange(":7").begin(0) == 0);
  CHECK(SampleRange("7:").end(0) == ~std::uint64_t{0});
  const SampleRange days("0:6/7"), half("6/7:13/14"), rest("13/14:");
  for (const std::uint64_t total : {1ULL, 13ULL, 45840617ULL}) {
    CHECK(days.begin(total) == 0);
    CHECK(days.end(total) == half.begin(total));
    CHECK(half.end(total) == rest.begin(total));
    CHECK(rest.end(total) == total);
  }
  CHECK(SampleRange("0.25:1").begin(1000) == 250);
}

TEST_CASE("ranges that hold no sample are refused") {
  for (const char* text : {"5", "7:5", "5:5", "a:b", "1/0:1", "0:7/6", "0:1.5", "-1:4", ".:."}) {
    CHECK(error_of([&] { SampleRange range(text); }).starts_with("2 --lines is '"));
  }
}

TEST_CASE("held-out samples and training samples are all samples") {
  for (const HeldOut& held_out :
       {HeldOut(), HeldOut("every:2"), HeldOut("every:7"), HeldOut("last:0.3"),
        HeldOut("last:0.01"), HeldOut::one_of(2), HeldOut::one_of(7)}) {
    for (const std::uint64_t size : {0u, 1u, 6u, 7u, 100u}) {
      std::uint64_t training = 0, held = 0;
      for (std::uint64_t i = 0; i < size; ++i) {
        if (held_out.contains(i, size)) {
          CHECK(held_out.held_out_sample(held++, size) == i);
        } else {
          CHECK(held_out.training_sample(training++, size) == i);
        }
      }
      CHECK(held == held_out.count(size));
    }
  }
  std::uint64_t odd = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) odd += HeldOut::one_of(10).held_out_sample(i, 10000) % 2;
  CHECK(odd > 400);
  CHECK(odd < 600);
  for (const char* text : {"every:1", "every:", "last:1", "last:0", "first:3", "7"}) {
    CHECK(error_of([&] { HeldOut held_out(text); }).starts_with("2 --held-out is '"));
  }
}
