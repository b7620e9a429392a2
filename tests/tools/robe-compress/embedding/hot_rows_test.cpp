#include "tools/robe-compress/embedding/hot_rows.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"
#include "tools/robe-compress/embedding/hot_choice.h"

using namespace frugal;

TEST_CASE("the most frequent rows of all tables are the hot ones") {
  const std::vector<std::vector<std::uint32_t>> counts = {{9, 5, 5, 0}, {8, 5, 1}, {}};
  CHECK(most_frequent(counts, 0) == std::vector<std::uint32_t>{0, 0, 0});
  CHECK(most_frequent(counts, 1) == std::vector<std::uint32_t>{1, 0, 0});
  CHECK(most_frequent(counts, 3) == std::vector<std::uint32_t>{2, 1, 0});
  CHECK(most_frequent(counts, 5) == std::vector<std::uint32_t>{3, 2, 0});
  CHECK(most_frequent(counts, 100) == std::vector<std::uint32_t>{3, 3, 0});
}

TEST_CASE("hot rows have numbers, others none, as first rows and as listed ones") {
  const TableSet tables({{"a", 10}, {"b", 10}}, 4);
  const HotRows first = HotRows::first_rows({2, 1});
  const HotRows listed = HotRows::listed({{7, 3}, {9}});
  CHECK(first.size() == 3);
  CHECK(first.num_key_bytes() == 0);
  CHECK(first.find(0, 1) == 1);
  CHECK(first.find(0, 2) == HotRows::kNone);
  CHECK(first.find(1, 0) == 2);
  CHECK(listed.num_key_bytes() == 12);
  CHECK(listed.find(0, 3) == 1);
  CHECK(listed.find(1, 3) == HotRows::kNone);
  CHECK(listed.find(1, 9) == 2);
  for (const HotRows* hot : {&first, &listed}) {
    Document document;
    hot->save(document);
    const HotRows loaded = HotRows::load(document, "file", tables);
    for (std::size_t t = 0; t < 2; ++t) {
      for (std::uint32_t row = 0; row < 10; ++row) {
        CHECK(loaded.find(t, row) == hot->find(t, row));
      }
    }
  }
}

TEST_CASE("lists of hot rows with rows twice or beyond the table are refused") {
  const TableSet tables({{"a", 10}, {"b", 10}}, 4);
  for (const HotRows& hot : {HotRows::listed({{7, 7}, {9}}), HotRows::listed({{7}, {10}})}) {
    Document document;
    hot.save(document);
    CHECK_THROWS_AS(HotRows::load(document, "file", tables), Error);
  }
}
