#include "tools/sparse-train/lsh/retrieval.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Retrieved = std::vector<std::uint32_t>;

/// Four tables; the code 1 finds rows 0 and 1 in all, 2 in three, 3 in two and 4 in one.
HashTables example_tables() {
  HashTables tables({4, 1, 100, BucketPolicy::fifo, 1});
  for (std::uint32_t t = 0; t < 4; ++t) {
    tables.build(t, Retrieved{1, 1, t < 3, t < 2, t < 1, 0},
                 t == 0 ? Retrieved{5, 4, 3, 2, 1, 0} : Retrieved{0, 1, 2, 3, 4, 5});
  }
  return tables;
}

Retrieved found(const QueryOptions& options, std::uint64_t seed = 1) {
  static const HashTables tables = example_tables();
  Retriever retriever(6);
  const Retrieved codes = {1, 9, 1, 9, 1, 9, 1, 9};
  Retrieved out = {77};
  retriever.retrieve(tables, codes.data(), 2, options, Rng(seed), out);
  Retrieved again;
  retriever.retrieve(tables, codes.data(), 2, options, Rng(seed), again);
  CHECK(out == again);  // nothing is left behind
  return out;
}

Retrieved sorted(Retrieved rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

TEST_CASE("without a limit every row of the buckets is found once") {
  CHECK(sorted(found({QueryMode::vanilla, 0, 0})) == Retrieved{0, 1, 2, 3, 4});
  CHECK(sorted(found({QueryMode::top_k, 0, 0})) == Retrieved{0, 1, 2, 3, 4});
}

TEST_CASE("vanilla takes tables in random order until there are enough rows") {
  std::set<Retrieved> results;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Retrieved rows = found({QueryMode::vanilla, 3, 0}, seed);
    CHECK(rows.size() == 3);
    results.insert(sorted(rows));
  }
  CHECK(results.size() > 1);
}

TEST_CASE("top-k takes the rows that are in most tables") {
  CHECK(sorted(found({QueryMode::top_k, 2, 0})) == Retrieved{0, 1});
  CHECK(sorted(found({QueryMode::top_k, 3, 0})) == Retrieved{0, 1, 2});
  CHECK(sorted(found({QueryMode::top_k, 4, 0})) == Retrieved{0, 1, 2, 3});
  CHECK(found({QueryMode::top_k, 1, 0}).size() == 1);
}

TEST_CASE("threshold takes the rows that are in enough tables") {
  CHECK(sorted(found({QueryMode::threshold, 0, 1})) == Retrieved{0, 1, 2, 3, 4});
  CHECK(sorted(found({QueryMode::threshold, 0, 3})) == Retrieved{0, 1, 2});
  CHECK(found({QueryMode::threshold, 0, 5}).empty());
}

TEST_CASE("unknown query modes are refused") {
  CHECK(query_mode_from_name("top-k") == QueryMode::top_k);
  CHECK(error_of([] { query_mode_from_name("best"); }) ==
        "2 unknown mode 'best', expected vanilla, top-k, threshold or agreement");
}
