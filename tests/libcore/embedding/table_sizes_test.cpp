#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/embedding/embedding_methods.h"

using namespace frugal;

namespace {

EmbeddingOptions sized_options(const std::string& method, double compression) {
  EmbeddingOptions options;
  options.method = method;
  options.compression = compression;
  return options;
}

std::vector<float> rows_of(const Embedding& embedding, std::size_t table) {
  std::vector<std::uint32_t> rows(embedding.tables().table(table).rows);
  for (std::size_t x = 0; x < rows.size(); ++x) rows[x] = static_cast<std::uint32_t>(x);
  const std::size_t dim = embedding.tables().dim();
  std::vector<float> values(rows.size() * dim);
  embedding.lookup_table(table, rows.data(), rows.size(), {values.data(), rows.size(), dim});
  return values;
}

}  // namespace

TEST_CASE("adam sums what a batch adds to each of thousands of cache lines") {
  constexpr std::size_t kRows = 3000;  // a line each: its table of lines grows twice
  const TableSet tables({{"a", kRows}}, 16);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t x = 0; x < kRows; ++x) rows.push_back(x);
  rows.insert(rows.end(), rows.begin(), rows.begin() + kRows);
  std::vector<float> g(rows.size() * 16);
  Rng rng(8);
  for (float& x : g) x = static_cast<float>(rng.uniform(-1, 1));
  const auto embedding = make_embedding(tables, sized_options("full", 1), {});
  const std::vector<float> before = rows_of(*embedding, 0);
  embedding->prepare_training({.kind = OptimizerKind::adam});
  embedding->step({rows.data(), rows.size(), 1}, {g.data(), rows.size(), 16}, 0.1F, {});
  const std::vector<float> after = rows_of(*embedding, 0);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double sum = double(g[i]) + g[kRows * 16 + i];
    const double w = before[i] - 0.1 * (0.1 * sum) / (std::sqrt(0.001 * sum * sum) + 1e-8);
    wrong += std::abs(after[i] - w) > 1e-4;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a compression that leaves too little gives way to the smallest tables of use") {
  const TableSet tiny({{"a", 20}, {"b", 10}}, 16);
  for (const char* method : {"robe", "robe-hot", "hash", "multi", "qr", "full", "int8"}) {
    CAPTURE(method);
    const EmbeddingOptions asked = sized_options(method, 100);
    const EmbeddingOptions fitting = fitting_options(tiny, asked);
    const RowCounts counts{std::vector<std::uint32_t>(20, 1), std::vector<std::uint32_t>(10, 1)};
    const auto embedding = make_embedding(tiny, fitting, counts);
    const bool has_one_size = find_method(method).has_one_size();
    CHECK((fitting.bytes == 0) == has_one_size);
    if (has_one_size) continue;
    CHECK_THROWS_AS(make_embedding(tiny, asked, counts), Error);
    CHECK(embedding->num_bytes() <= fitting.bytes);
    CHECK(fitting.bytes < tiny.num_values() * sizeof(float));
    // Rows differ.
    const std::vector<float> rows = rows_of(*embedding, 0);
    CHECK(!std::equal(rows.begin(), rows.begin() + 16, rows.begin() + 16));
  }
  // What fits, and bytes that are asked for, stay as they are.
  CHECK(fitting_options(tiny, sized_options("robe", 2)).bytes == 0);
  EmbeddingOptions exact = sized_options("robe", 100);
  exact.bytes = 10;
  CHECK(fitting_options(tiny, exact).bytes == 10);
  EmbeddingOptions small = sized_options("robe", 100);
  small.storage = Storage::int8;
  CHECK(fitting_options(tiny, small).bytes == stored_bytes(Storage::int8, 32));
  CHECK(smallest_array(3, 16) == 19);
  CHECK(smallest_array(1000, 16) == 32);
}

TEST_CASE("the bytes of stored tables are known before they are rounded") {
  const TableSet tables({{"a", 20}, {"b", 10}}, 16);
  const RowCounts counts{std::vector<std::uint32_t>(20, 2), std::vector<std::uint32_t>(10, 1)};
  for (const char* method : {"robe", "robe-hot", "hash", "multi", "qr", "full", "int8", "int4"}) {
    for (const Storage storage : {Storage::f32, Storage::bf16, Storage::int8, Storage::int4}) {
      CAPTURE(method);
      EmbeddingOptions options = sized_options(method, 1.5);
      options.storage = storage;
      auto embedding = make_embedding(tables, options, counts);
      const std::uint64_t bytes = bytes_when_stored(*embedding, options);
      CHECK((bytes < embedding->num_bytes()) ==
            (storage != Storage::f32 || std::string(method).starts_with("int")));
      round_to_storage(embedding, options);
      CHECK(bytes == embedding->num_bytes());
    }
  }
}

TEST_CASE("models of numbers alone have no tables, in full form only") {
  const TableSet none({}, 4);
  const auto embedding = make_embedding(none, sized_options("full", 1), {});
  embedding->prepare_training({.kind = OptimizerKind::adam});
  embedding->step({nullptr, 5, 0}, {nullptr, 5, 0}, 0.1F, {});
  embedding->lookup({nullptr, 5, 0}, {nullptr, 5, 0});
  Document document;
  embedding->save(document);
  CHECK(load_embedding(document, "file")->num_bytes() == 0);
  Document other;
  embedding->save(other);
  other.metadata["embedding.method"] = "robe";
  CHECK_THROWS_WITH_AS(load_embedding(other, "file"), doctest::Contains("a list of 1 to"), Error);
}
