#include "libcore/embedding/embedding.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/block_embedding.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/embedding/qr_embedding.h"
#include "libcore/embedding/quantized_embedding.h"
#include "tests/support/worst.h"

using namespace frugal;

namespace {

constexpr std::size_t kSamples = 40;

TableSet some_tables(std::size_t dim = 12) { return {{{"a", 300}, {"b", 5}, {"c", 77}}, dim}; }

RowCounts some_counts(const TableSet& tables) {
  RowCounts counts;
  for (const TableShape& table : tables.tables()) {
    counts.emplace_back();
    for (std::uint64_t x = 0; x < table.rows; ++x) {
      counts.back().push_back(static_cast<std::uint32_t>(x == 0 ? 0 : 1000 / x));
    }
  }
  return counts;
}

std::vector<std::uint32_t> some_rows(const TableSet& tables, std::size_t samples = kSamples) {
  std::vector<std::uint32_t> rows;
  Rng rng(5);
  for (std::size_t i = 0; i < samples * tables.size(); ++i) {
    rows.push_back(static_cast<std::uint32_t>(rng.below(tables.table(i % tables.size()).rows)));
  }
  return rows;
}

std::vector<float> random_values(std::size_t n, std::uint64_t seed) {
  std::vector<float> values(n);
  Rng rng(seed);
  for (float& v : values) v = static_cast<float>(rng.uniform(-1, 1));
  return values;
}

EmbeddingOptions options_of(const std::string& method, double compression) {
  EmbeddingOptions options;
  options.method = method;
  options.compression = compression;
  return options;
}

/// Each way to keep tables, with blocks of different sizes, signs and hashes.
std::vector<EmbeddingOptions> every_kind() {
  std::vector<EmbeddingOptions> kinds;
  for (const std::size_t block : {1, 4, 5, 12}) {
    for (const auto family :
         {HashFamily::golden, HashFamily::paper, HashFamily::robe2021, HashFamily::robe2022}) {
      EmbeddingOptions o;
      o.hash = {.family = family, .block = block, .sign = block == 4};
      kinds.push_back(o);
    }
  }
  for (const char* method : {"robe-hot", "hash", "multi", "qr", "full"}) {
    EmbeddingOptions o;
    o.method = method;
    o.hash.block = 6;
    kinds.push_back(o);
  }
  for (EmbeddingOptions& o : kinds) o.compression = o.method == "full" ? 1 : 5;
  return kinds;
}

std::vector<float> all_rows(const Embedding& embedding) {
  const TableSet& tables = embedding.tables();
  std::vector<float> values(tables.num_values());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    std::vector<std::uint32_t> rows(tables.table(t).rows);
    for (std::size_t x = 0; x < rows.size(); ++x) rows[x] = static_cast<std::uint32_t>(x);
    embedding.lookup_table(
        t, rows.data(), rows.size(),
        {values.data() + tables.first_row(t) * tables.dim(), rows.size(), tables.dim()});
  }
  return values;
}

struct Batch {
  explicit Batch(const TableSet& tables)
      : rows(some_rows(tables)),
        gradient(random_values(kSamples * tables.size() * tables.dim(), 6)),
        fields(tables.size()),
        width(tables.size() * tables.dim()) {}
  MatrixView<const std::uint32_t> rows_view() const { return {rows.data(), kSamples, fields}; }
  MatrixView<const float> gradient_view() const { return {gradient.data(), kSamples, width}; }

  std::vector<std::uint32_t> rows;
  std::vector<float> gradient;
  std::size_t fields, width;
};

std::string name_of(const EmbeddingOptions& o) {
  return o.method + " " + std::string(hash_family_name(o.hash.family)) + " " +
         std::to_string(o.hash.block);
}

}  // namespace

TEST_CASE("looking up samples gives the rows of the tables, also into wider rows") {
  const TableSet tables = some_tables();
  const Batch batch(tables);
  for (const EmbeddingOptions& options : every_kind()) {
    CAPTURE(name_of(options));
    const auto embedding = make_embedding(tables, options, some_counts(tables));
    const std::vector<float> rows = all_rows(*embedding);
    for (const std::size_t more : {0, 3}) {
      std::vector<float> out(kSamples * (batch.width + more), 99);
      embedding->lookup(batch.rows_view(), {out.data(), kSamples, batch.width, batch.width + more});
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < kSamples; ++i) {
        for (std::size_t k = 0; k < batch.width; ++k) {
          const std::size_t t = k / tables.dim();
          const std::uint64_t row = tables.first_row(t) + batch.rows[i * batch.fields + t];
          wrong += out[i * (batch.width + more) + k] != rows[row * tables.dim() + k % tables.dim()];
        }
        for (std::size_t k = 0; k < more; ++k) {
          wrong += out[i * (batch.width + more) + batch.width + k] != 99;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("the gradient step is the transpose of the look-up") {
  // For linear look-ups: <lookup(w), g> before minus after a step of rate 1 is |P^T g|^2, and in
  // every direction v, <P v, g> = <v, P^T g>, where P^T g is what the step of sgd takes away.
  const TableSet tables = some_tables();
  const Batch batch(tables);
  for (const EmbeddingOptions& options : every_kind()) {
    if (options.method == "qr" || options.method == "full") continue;
    CAPTURE(name_of(options));
    const auto made = make_embedding(tables, options, some_counts(tables));
    auto& embedding = dynamic_cast<BlockEmbedding&>(*made);
    embedding.prepare_training({.kind = OptimizerKind::sgd});
    ParameterArray& array = embedding.array();
    std::fill(array.values().begin(), array.values().end(), 0.0F);
    embedding.step(batch.rows_view(), batch.gradient_view(), -1, {});
    const std::vector<float> transposed(array.values().begin(), array.values().end());
    const std::vector<float> v = random_values(array.size(), 7);
    std::copy(v.begin(), v.end(), array.values().begin());
    std::vector<float> out(kSamples * batch.width);
    embedding.lookup(batch.rows_view(), {out.data(), kSamples, batch.width});
    double forward = 0, backward = 0;
    for (std::size_t i = 0; i < out.size(); ++i) forward += double(out[i]) * batch.gradient[i];
    for (std::size_t i = 0; i < v.size(); ++i) backward += double(v[i]) * transposed[i];
    CHECK(forward == doctest::Approx(backward).epsilon(1e-4));
  }
}

TEST_CASE("a step of the products of quotients and remainders follows the gradient") {
  const TableSet tables({{"a", 100}}, 3);
  EmbeddingOptions options;
  options.method = "qr";
  options.compression = 3;
  const std::uint32_t row = 37;
  const float g[] = {0.5F, -1, 2};
  const auto value = [&](const Embedding& e) {
    float out[3];
    e.lookup_table(0, &row, 1, {out, 1, 3});
    return double(out[0]) * g[0] + double(out[1]) * g[1] + double(out[2]) * g[2];
  };
  const auto embedding = make_embedding(tables, options, {});
  embedding->prepare_training({.kind = OptimizerKind::sgd});
  // Remainders are the first rows of the array, quotients those behind them.
  const auto array = dynamic_cast<const QrEmbedding&>(*embedding).array().values();
  const std::uint64_t remainders = (100 + 3) / 4;  // divisor 4 is the first that is a third
  const float* r = &array[row % remainders * 3];
  const float* q = &array[(remainders + row / remainders) * 3];
  double squares = 0, product = 0;
  for (int i = 0; i < 3; ++i) {
    squares += g[i] * g[i] * (r[i] * r[i] + q[i] * q[i]);
    product += g[i] * r[i] * q[i];
  }
  const double before = value(*embedding);
  CHECK(before == doctest::Approx(product));
  embedding->step({&row, 1, 1}, {g, 1, 3}, 1e-3F, {});
  // d value = -rate |gradient|^2 to first order; the gradient is (g q, g r).
  CHECK(before - value(*embedding) == doctest::Approx(1e-3 * squares).epsilon(1e-2));
}

TEST_CASE("any number of parts gives the bits of one") {
  const TableSet tables({{"a", 4000}, {"b", 5}, {"c", 700}}, 12);
  const Batch batch(tables);
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    for (const EmbeddingOptions& options : every_kind()) {
      CAPTURE(name_of(options));
      std::vector<float> reference;
      for (const std::size_t parts : {1, 2, 3}) {
        const auto embedding = make_embedding(tables, options, some_counts(tables));
        embedding->prepare_training({.kind = kind});
        for (int repeat = 0; repeat < 2; ++repeat) {
          for (std::size_t p = 0; p < parts; ++p) {
            embedding->step(batch.rows_view(), batch.gradient_view(), 0.1F, {p, parts});
          }
        }
        const std::vector<float> rows = all_rows(*embedding);
        if (parts == 1) {
          reference = rows;
        } else {
          CHECK(rows == reference);
        }
      }
    }
  }
}

TEST_CASE("adagrad and adam step as their formulas say") {
  const TableSet tables({{"a", 2}}, 4);
  const std::uint32_t rows[] = {1, 1};
  const float g[] = {1, 2, 3, 4, 1, 0, -1, 2};
  for (const auto kind : {OptimizerKind::adagrad, OptimizerKind::adam}) {
    const auto embedding = make_embedding(tables, options_of("full", 1), {});
    const std::vector<float> before = all_rows(*embedding);
    embedding->prepare_training({.kind = kind});
    embedding->step({rows, 2, 1}, {g, 2, 4}, 0.1F, {});
    const std::vector<float> after = all_rows(*embedding);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(after[i] == before[i]);
      double w = before[4 + i];
      if (kind == OptimizerKind::adagrad) {
        double h = 0;
        for (const double x : {g[i], g[4 + i]}) {
          h += x * x;
          w -= 0.1 * x / (std::sqrt(h) + 1e-8);
        }
      } else {
        const double sum = double(g[i]) + g[4 + i];
        w -= 0.1 * (0.1 * sum) / (std::sqrt(0.001 * sum * sum) + 1e-8);
      }
      CHECK(after[4 + i] == doctest::Approx(w).epsilon(1e-5));
    }
  }
}

TEST_CASE("blocks of whole aligned rows without signs are the hashing trick on rows") {
  const TableSet tables = some_tables();
  EmbeddingOptions robe, rows;
  robe.compression = rows.compression = 10;
  robe.hash = {.block = tables.dim(), .aligned = true};
  rows.method = "hash";
  const auto a = make_embedding(tables, robe, {});
  const auto b = make_embedding(tables, rows, {});
  CHECK(all_rows(*a) == all_rows(*b));
  CHECK(a->num_parameters() == b->num_parameters());
}

TEST_CASE("no method takes more bytes than it is given, and hot rows have their own") {
  const TableSet tables = some_tables();
  for (EmbeddingOptions options : every_kind()) {
    CAPTURE(name_of(options));
    for (const Storage storage : {Storage::f32, Storage::bf16, Storage::int8, Storage::int4}) {
      options.storage = storage;
      const auto embedding = make_embedding(tables, options, some_counts(tables));
      if (auto* blocks = dynamic_cast<BlockEmbedding*>(embedding.get())) {
        blocks->array().store_as(storage);
      }
      if (storage == Storage::f32 || dynamic_cast<BlockEmbedding*>(embedding.get()) != nullptr) {
        CHECK(embedding->num_bytes() <= byte_budget(tables, options));
        CHECK(embedding->num_bytes() + 4 * tables.dim() * 40 > byte_budget(tables, options));
      }
    }
  }
  EmbeddingOptions hot;
  hot.method = "robe-hot";
  hot.compression = 4;
  const auto embedding = make_embedding(tables, hot, some_counts(tables));
  embedding->prepare_training({.kind = OptimizerKind::sgd});
  const HotRows& chosen = dynamic_cast<const BlockEmbedding&>(*embedding).settings().hot;
  CHECK(chosen.num_key_bytes() == 0);
  for (std::size_t t = 0; t < 3; ++t) CHECK(chosen.find(t, 0) == HotRows::kNone);  // counts 0
  const std::vector<float> before = all_rows(*embedding);
  const std::uint32_t rows[] = {1, 1, 1};
  const std::vector<float> gradient(36, 1.0F);
  embedding->step({rows, 1, 3}, {gradient.data(), 1, 36}, 1, {});
  const std::vector<float> after = all_rows(*embedding);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t row = i / 12;
    const bool first = row == 1 || row == 301 || row == 306;
    CHECK((after[i] != before[i]) == first);
  }
}

TEST_CASE("what no file may hold is not made") {
  std::vector<TableShape> many(kMaxTables, {"t", 1});
  const auto make = [&](std::size_t dim) {
    make_embedding({many, dim}, options_of("full", 1), {});
  };
  make(1);
  CHECK_THROWS_AS(make(kMaxDim + 1), Error);
  many.push_back({"t", 1});
  CHECK_THROWS_AS(make(1), Error);
}

TEST_CASE("saved embeddings come back to the bit, in every storage") {
  const TableSet tables = some_tables();
  for (EmbeddingOptions options : every_kind()) {
    CAPTURE(name_of(options));
    const auto embedding = make_embedding(tables, options, some_counts(tables));
    if (auto* blocks = dynamic_cast<BlockEmbedding*>(embedding.get())) {
      blocks->array().store_as(options.hash.block == 4 ? Storage::bf16 : Storage::int8);
    } else if (auto* numbers = dynamic_cast<ArrayEmbedding*>(embedding.get())) {
      numbers->array().store_as(Storage::int4);
    }
    Document document;
    embedding->save(document);
    const auto loaded = load_embedding(document, "file");
    CHECK(all_rows(*loaded) == all_rows(*embedding));
    CHECK(loaded->num_bytes() == embedding->num_bytes());
    CHECK(std::string(loaded->method()) == embedding->method());
    CHECK(loaded->tables().table(2).name == "c");
  }
}

TEST_CASE("as many numbers as fit are counted, and not one more") {
  for (const Storage storage : {Storage::f32, Storage::bf16, Storage::int8, Storage::int4}) {
    for (std::uint64_t bytes = 0; bytes < 300; ++bytes) {
      CHECK(stored_bytes(storage, numbers_in(storage, bytes)) <= bytes);
      CHECK(stored_bytes(storage, numbers_in(storage, bytes) + 1) > bytes);
    }
  }
}

TEST_CASE("the storage for a size") {
  const auto name = [](std::uint64_t numbers, std::uint64_t bytes, StorageUse use) {
    return storage_name(storage_for(numbers, bytes, use));
  };
  CHECK(name(1000, 4000, StorageUse::training) == "f32");
  CHECK(name(1000, 3999, StorageUse::training) == "int8");
  CHECK(name(1000, 137, StorageUse::training) == "int8");  // 125 numbers
  CHECK(name(1000, 100, StorageUse::training) == "int4");
  CHECK(name(1000, 1064, StorageUse::fitting) == "int8");  // all of them
  CHECK(name(1000, 1063, StorageUse::fitting) == "int4");
  const std::uint64_t tables = std::uint64_t{1} << 50;  // arrays have fewer than 2^32 numbers
  CHECK(name(tables, 2'400'000'000, StorageUse::training) == "int4");
  CHECK(name(tables, 2'500'000'000, StorageUse::training) == "int8");
  CHECK(name(tables, 8'000'000'000, StorageUse::training) == "bf16");
  CHECK(name(tables, 9'000'000'000, StorageUse::training) == "f32");
}

TEST_CASE("storing as bf16 and int8 rounds as far as they are exact") {
  const TableSet tables = some_tables();
  for (const auto& [storage, bound] : {std::pair{Storage::bf16, 1.0 / 256},
                                       {Storage::int8, 1.0 / 254},
                                       {Storage::int4, 1.0 / 13}}) {
    const auto embedding = make_embedding(tables, options_of("robe", 3), {});
    const std::vector<float> before = all_rows(*embedding);
    auto& array = dynamic_cast<BlockEmbedding&>(*embedding).array();
    array.store_as(storage);
    CHECK(array.storage() == storage);
    const std::vector<float> after = all_rows(*embedding);
    double worst = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      worst = worse(worst, std::abs(double(before[i]) - after[i]));
    }
    CHECK(worst > 0);
    CHECK(worst <= bound * 0.3);
  }
}

TEST_CASE("in training for int4, look-ups answer as the stored array will") {
  const TableSet tables = some_tables(5);
  EmbeddingOptions options = options_of("robe", 3);
  options.storage = Storage::int4;
  const auto embedding = make_embedding(tables, options, {});
  auto& array = dynamic_cast<BlockEmbedding&>(*embedding).array();
  embedding->prepare_training({.kind = OptimizerKind::sgd});
  CHECK(embedding->refresh_interval(1) == 1 + array.size() / (3 * tables.dim()));
  const std::uint32_t rows[] = {1, 2, 3};
  const std::vector<float> gradient(3 * tables.dim(), 0.01F);
  embedding->step({rows, 1, 3}, {gradient.data(), 1, gradient.size()}, 1, {});
  embedding->refresh();
  const std::vector<float> numbers(array.values().begin(), array.values().end());
  const std::vector<float> in_training = all_rows(*embedding);
  array.store_as(Storage::int4);
  CHECK(all_rows(*embedding) == in_training);
  CHECK(stored_bytes(Storage::int4, numbers.size()) == embedding->num_bytes());
  std::vector<float> stored(numbers.size());
  array.read({0, stored.size()}, stored.data());
  double squares = 0, of_levels = 0;  // no more than of levels that reach up to the largest number
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::size_t begin = i / kNibbleGroup * kNibbleGroup;
    double largest = 0;
    for (std::size_t j = begin; j < std::min(begin + kNibbleGroup, numbers.size()); ++j) {
      largest = worse(largest, std::abs(double(numbers[j])));
    }
    CHECK(std::abs(double(stored[i]) - numbers[i]) <= 0.5 * largest);
    squares += std::pow(double(stored[i]) - numbers[i], 2);
    of_levels += std::pow(largest / 7, 2) / 12;
  }
  CHECK(squares <= 1.05 * of_levels);
  // Trained further from what was stored, it is trained for the same.
  embedding->prepare_training({.kind = OptimizerKind::sgd});
  CHECK(array.needs_scales());
  const std::vector<float> trained_further = all_rows(*embedding);
  Document state;
  embedding->save_state(state);
  embedding->load_state(state, "file");
  CHECK(all_rows(*embedding) == trained_further);
}

TEST_CASE("rows of 8 and 4 bits are within half a level of what they were") {
  const TableSet tables = some_tables(7);
  const auto full = make_embedding(tables, options_of("full", 1), {});
  const std::vector<float> before = all_rows(*full);
  for (const int bits : {8, 4}) {
    const auto embedding = QuantizedEmbedding::make(*full, bits);
    const std::vector<float> after = all_rows(*embedding);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double bound = 1 / std::sqrt(double(tables.table(i < 2100   ? 0
                                                             : i < 2135 ? 1
                                                                        : 2)
                                                    .rows));
      CHECK(std::abs(double(before[i]) - after[i]) <= 1.01 * bound / (bits == 8 ? 255 : 15));
    }
    // Samples get the same rows, the first of each table too.
    const std::uint32_t samples[] = {0, 0, 0, 299, 4, 76};
    std::vector<float> out(2 * 21, 99);
    embedding->lookup({samples, 2, 3}, {out.data(), 2, 21});
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::uint64_t row = tables.first_row(k / 7 % 3) + samples[k / 7];
      CHECK(out[k] == after[row * 7 + k % 7]);
    }
    Document document;
    embedding->save(document);
    CHECK(all_rows(*load_embedding(document, "file")) == after);
    CHECK_THROWS_AS(embedding->prepare_training({}), Error);
  }
}

namespace {

using Change = std::function<void(Document&)>;

/// Loads what a method saves after a change; the error, "" where there is none.
std::string error_after(const std::string& method, const Change& change) {
  const TableSet tables = some_tables();
  const bool rounded = method == "int8";
  auto embedding =
      make_embedding(tables, options_of(rounded ? "full" : method, 4), some_counts(tables));
  if (rounded) embedding = QuantizedEmbedding::make(*embedding, 8);
  Document document;
  embedding->save(document);
  change(document);
  try {
    load_embedding(document, "file");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

Change set(const std::string& key, const std::string& value) {
  return [=](Document& d) { d.metadata[key] = value; };
}

Change without(const std::string& tensor) {
  return [=](Document& d) { std::erase_if(d.tensors, [&](auto& t) { return t.name == tensor; }); };
}

/// A tensor of another type.
Change retyped(const std::string& tensor) {
  return [=](Document& d) {
    for (Tensor& t : d.tensors) {
      if (t.name == tensor) t.dtype = t.dtype == Dtype::i32 ? Dtype::u32 : Dtype::i32;
    }
  };
}

}  // namespace

TEST_CASE("documents that contradict themselves are refused with the path and what was expected") {
  std::vector<std::pair<std::string, Change>> changes;
  for (const char* key : {"embedding.method", "embedding.tables", "embedding.dim", "embedding.hash",
                          "embedding.block", "embedding.sign", "embedding.copies", "embedding.seed",
                          "embedding.aligned"}) {
    changes.emplace_back("robe-hot", [=](Document& d) { d.metadata.erase(key); });
    changes.emplace_back("robe-hot", set(key, "?"));
  }
  for (const char* tensor : {"embedding.array", "embedding.hot.counts", "embedding.hot.first"}) {
    changes.emplace_back("robe-hot", retyped(tensor));
  }
  changes.insert(changes.end(),
                 {{"robe-hot", set("embedding.block", "13")},
                  {"robe-hot", set("embedding.dim", "99999999999")},
                  {"robe-hot", set("embedding.copies", "2")},
                  {"robe-hot", set("embedding.tables", R"([{"name":"a","rows":0}])")},
                  {"robe-hot", set("embedding.tables", R"([{"name":"a","rows":9}])")},
                  {"robe-hot", without("embedding.array")},
                  {"robe-hot", [](Document& d) { d.tensors[0].as<std::uint32_t>()[1] = 6; }},
                  {"hash", set("embedding.hash", "paper")},  // which has no aligned blocks
                  {"multi", set("embedding.copies", "65")},
                  {"robe",
                   [](Document& d) {
                     d.tensors[0] =
                         Tensor::copy_of<float>("embedding.array", {3}, std::vector<float>(3));
                   }},
                  {"full", set("embedding.tables", R"([{"name":"a","rows":4294967295},)"
                                                   R"({"name":"b","rows":4294967295}])")},
                  {"full", retyped("embedding.array")},
                  {"qr", set("embedding.divisor", "0")},
                  {"qr", set("embedding.divisor", "18446744073709551615")},
                  {"qr", set("embedding.divisor", "4294967296")},
                  {"int8", without("embedding.codes")},
                  {"int8", retyped("embedding.codes")},
                  {"int8", retyped("embedding.scales")}});
  for (const auto& [method, change] : changes) {
    const std::string error = method + ": " + error_after(method, change);
    CAPTURE(error);
    CHECK(error.starts_with(method + ": file: "));
  }
  CHECK(error_after("robe", set("embedding.hash", "md5")) ==
        "file: unknown hash 'md5', expected one of golden, paper, robe2021, robe2022");
}
