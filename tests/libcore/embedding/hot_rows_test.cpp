#include "libcore/embedding/hot_rows.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "libcore/base/error.h"

using namespace frugal;

namespace {

using Rows = std::vector<std::uint64_t>;

HotRows loaded(const HotRows& hot, const TableSet& tables) {
  Document document;
  hot.save(document);
  return HotRows::load(document, tables);
}

}  // namespace

TEST_CASE("the most frequent rows of all tables are the hot ones, row 0 only where it is one") {
  const std::vector<std::vector<std::uint32_t>> counts = {{0, 9, 5, 5, 0}, {6, 8, 5, 1}, {0}};
  const auto heaviest = [&](std::uint64_t n) {
    return heaviest_rows(n, [&](const auto& use) {
      for (const auto& table : counts) std::for_each(table.begin(), table.end(), use);
    });
  };
  CHECK(heaviest(0) == Rows{});
  CHECK(heaviest(1) == Rows{1});
  CHECK(heaviest(2) == Rows{1, 6});
  CHECK(heaviest(4) == Rows{1, 2, 5, 6});
  CHECK(heaviest(5) == Rows{1, 2, 3, 5, 6});
  CHECK(heaviest(100) == Rows{1, 2, 3, 5, 6, 7, 8});
}

TEST_CASE("hot rows have numbers, others none, as runs and as listed ones") {
  const TableSet tables({{"a", 10}, {"b", 10}, {"c", 10}}, 4);
  const HotRows none = HotRows::of(tables, Rows{});
  const HotRows first = HotRows::of(tables, Rows{0, 1, 10});
  const HotRows run = HotRows::of(tables, Rows{1, 2, 20, 21});
  const HotRows listed = HotRows::of(tables, Rows{3, 7, 19});
  CHECK(first.size() == 3);
  CHECK(first.num_key_bytes() == 0);
  CHECK(first.find(0, 1) == 1);
  CHECK(first.find(0, 2) == HotRows::kNone);
  CHECK(first.find(1, 0) == 2);
  CHECK(run.num_key_bytes() == 0);
  CHECK(run.find(0, 0) == HotRows::kNone);
  CHECK(run.find(0, 2) == 1);
  CHECK(run.find(0, 3) == HotRows::kNone);
  CHECK(run.find(1, 0) == HotRows::kNone);
  CHECK(run.find(2, 1) == 3);
  CHECK(listed.num_key_bytes() == 12);
  CHECK(listed.find(0, 3) == 0);
  CHECK(listed.find(1, 3) == HotRows::kNone);
  CHECK(listed.find(1, 9) == 2);
  for (const HotRows* hot : {&none, &first, &run, &listed}) {
    const HotRows again = loaded(*hot, tables);
    CHECK(again.num_key_bytes() == hot->num_key_bytes());
    for (std::size_t t = 0; t < 3; ++t) {
      for (std::uint32_t row = 0; row < 10; ++row) {
        CHECK(again.find(t, row) == hot->find(t, row));
      }
    }
  }
}

TEST_CASE("hot rows that are there twice or beyond the table are refused") {
  const TableSet tables({{"a", 10}, {"b", 10}}, 4);
  const auto refused = [&](const HotRows& hot, const char* name, std::uint32_t second) {
    Document document;
    hot.save(document);
    for (Tensor& tensor : document.tensors) {
      if (tensor.name == name) tensor.as<std::uint32_t>()[1] = second;
    }
    CHECK_THROWS_AS(HotRows::load(document, tables), Error);
  };
  const HotRows run = HotRows::of(tables, Rows{1, 2, 11, 12});
  refused(run, "embedding.hot.counts", 11);
  refused(run, "embedding.hot.first", 9);
  refused(run, "embedding.hot.first", 0xffffffff);
  const HotRows listed = HotRows::of(tables, Rows{3, 7, 9, 19});
  refused(listed, "embedding.hot.rows", 3);
  refused(listed, "embedding.hot.rows", 10);
  refused(listed, "embedding.hot.counts", 2);
}
