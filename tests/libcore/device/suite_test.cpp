// The kernels for CUDA, run on this CPU in several orders of their threads, against libcore's own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/device/engine.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_engine.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/embedding/parameter_array.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer_rules.h"
#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/suite_runner.h"

using namespace frugal;
using namespace frugal::device_test;

namespace {

/// Of steps. Which products the compiler fuses in the CPU's kernels is known of gcc with
/// optimisation (SAME_FUSED_BITS); another one rounds some of them otherwise.
bool same_steps(std::span<const float> a, std::span<const float> b) {
  if (SAME_FUSED_BITS) return same_bits(a, b);
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) {
    same = std::abs(a[i] - b[i]) <= 1e-5F * std::max(1.0F, std::abs(b[i]));
  }
  return same;
}

TableSet some_tables() { return {{{"a", 3000}, {"b", 5}, {"c", 777}}, 12}; }

/// Every way to place rows that engines know.
std::vector<EmbeddingOptions> every_kind() {
  std::vector<EmbeddingOptions> kinds;
  for (const std::size_t block : {1, 5, 12}) {
    for (const auto family :
         {HashFamily::golden, HashFamily::paper, HashFamily::robe2021, HashFamily::robe2022}) {
      EmbeddingOptions o;
      o.compression = 5;
      o.hash = {.family = family, .block = block, .sign = block == 5};
      kinds.push_back(o);
    }
  }
  for (const char* method : {"robe-hot", "hash", "multi", "full"}) {
    EmbeddingOptions o;
    o.method = method;
    o.compression = o.method == "full" ? 1 : 5;
    o.hash.block = 6;
    kinds.push_back(o);
  }
  EmbeddingOptions aligned;  // but for the hot rows
  aligned.method = "robe-hot";
  aligned.compression = 5;
  aligned.hash.block = 8;
  aligned.hash.aligned = true;
  kinds.push_back(aligned);
  return kinds;
}

/// Counts that make the hot rows runs at the tables' beginnings, or not.
RowCounts some_counts(const TableSet& tables, bool runs) {
  RowCounts counts;
  for (const TableShape& table : tables.tables()) {
    counts.emplace_back();
    for (std::uint64_t x = 0; x < table.rows; ++x) {
      const std::uint64_t rank = runs ? x : (x * 7 + 3) % table.rows;
      counts.back().push_back(static_cast<std::uint32_t>(x == 0 ? 0 : 10000 / (rank + 1)));
    }
  }
  return counts;
}

std::vector<std::uint32_t> some_rows(const TableSet& tables, std::size_t samples) {
  std::vector<std::uint32_t> rows;
  Rng rng(5);
  for (std::size_t i = 0; i < samples * tables.size(); ++i) {
    const std::uint64_t n = tables.table(i % tables.size()).rows;
    rows.push_back(
        static_cast<std::uint32_t>(rng.below(i % 4 == 0 ? std::min<std::uint64_t>(n, 4) : n)));
  }
  return rows;
}

std::string kind_name(const EmbeddingOptions& o) {
  return o.method + " " + std::string(hash_family_name(o.hash.family)) + " " +
         std::to_string(o.hash.block);
}

}  // namespace

TEST_CASE("copies of every size come back") {
  const Suite suite;
  for (const std::size_t n : kSizes) {
    std::vector<float> x = random_floats(n, 1), y(n);
    suite.run("copy", {}, {array("in", x)}, {array("out", y)});
    CHECK(same_bits(x, y));
  }
}

TEST_CASE("look-ups are the CPU's to the bit: every hash, storage, hot rows") {
  const Suite suite;
  const TableSet tables = some_tables();
  constexpr std::size_t kSamples = 33;
  for (const EmbeddingOptions& options : every_kind()) {
    for (const bool runs : {true, false}) {
      if (!runs && options.method != "robe-hot") continue;
      auto embedding = make_embedding(tables, options, some_counts(tables, runs));
      for (const char* storage : {"f32", "bf16", "int8", "int4"}) {
        CAPTURE(kind_name(options));
        CAPTURE(storage);
        static_cast<ArrayEmbedding&>(*embedding).array().store_as(storage_from_name(storage));
        std::vector<std::uint32_t> rows = some_rows(tables, kSamples);
        const std::size_t width = tables.size() * tables.dim();
        std::vector<float> expected(kSamples * width);
        embedding->lookup({rows.data(), kSamples, tables.size()},
                          {expected.data(), kSamples, width});
        const EngineEmbedding engine(*embedding, false);
        EngineSettings settings = engine.settings();
        settings.emplace_back("samples", std::to_string(kSamples));
        settings.emplace_back("rate", "0");
        std::vector<EngineArray> in = engine.arrays();
        in.push_back(array("rows", rows));
        in_every_order([&] {
          std::vector<float> got(expected.size());
          suite.run("look_up", settings, in, {array("out", got)});
          CHECK(same_bits(got, expected));
        });
      }
    }
  }
}

/// Two steps of the array on the device are the CPU's.
void check_steps(const TableSet& tables, const EmbeddingOptions& options,
                 const OptimizerOptions& rule, std::size_t samples,
                 const std::vector<std::uint32_t>& all_rows) {
  CAPTURE(kind_name(options));
  CAPTURE(optimizer_name(rule.kind));
  CAPTURE(rule.sums_blocks);
  const Suite suite;
  const std::size_t width = tables.size() * tables.dim();
  in_every_order([&] {
    auto device = make_embedding(tables, options, some_counts(tables, true));
    device->prepare_training(rule);
    auto expected = make_embedding(tables, options, some_counts(tables, true));
    expected->prepare_training(rule);
    for (int step = 0; step < 2; ++step) {
      std::vector<std::uint32_t> rows = all_rows;
      std::vector<float> gradient = random_floats(samples * width, 7 + step);
      const float rate = 0.1F;
      expected->step({rows.data(), samples, tables.size()}, {gradient.data(), samples, width}, rate,
                     {});
      const EngineEmbedding engine(*device, true);
      EngineSettings settings = engine.settings();
      for (const auto& [name, value] :
           EngineSettings{{"samples", std::to_string(samples)},
                          {"rate", "0.1"},
                          {"optimizer", std::string(optimizer_name(rule.kind))},
                          {"epsilon", "1e-8"},
                          {"beta1", "0.9"},
                          {"beta2", "0.999"},
                          {"weight_decay", "0"}}) {
        settings.emplace_back(name, value);
      }
      std::vector<EngineArray> in{array("rows", rows), array("gradient", gradient)}, out;
      for (const EngineArray& a : engine.arrays()) {
        const bool trained = a.name == "embedding.array" || a.name.starts_with("embedding.state");
        (trained ? out : in).push_back(a);
      }
      suite.run("page_step", settings, in, out);
    }
    ParameterArray& a = static_cast<ArrayEmbedding&>(*device).array();
    ParameterArray& b = static_cast<ArrayEmbedding&>(*expected).array();
    CHECK(same_steps(a.values(), b.values()));
    const auto state = [](float* data, std::uint64_t size) {
      return std::span<const float>(data, data == nullptr ? 0 : size);
    };
    CHECK(same_steps(state(a.first_state(), a.size()), state(b.first_state(), b.size())));
    CHECK(same_steps(state(a.second_state(), a.size()), state(b.second_state(), b.size())));
  });
}

/// Every optimiser, each occurrence of a number by itself or their sum.
std::vector<OptimizerOptions> every_rule() {
  return {{.kind = OptimizerKind::sgd},
          {.kind = OptimizerKind::sgd, .sums_blocks = true},
          {.kind = OptimizerKind::adagrad},
          {.kind = OptimizerKind::adagrad, .sums_blocks = true},
          {.kind = OptimizerKind::adam}};
}

TEST_CASE(
    "steps of the array are the CPU's to the bit: every hash and optimiser, blocks that "
    "overlap, several steps") {
  if (!use_fused_kernels()) return;
  const TableSet tables = some_tables();
  constexpr std::size_t kSamples = 40;
  for (const EmbeddingOptions& options : every_kind()) {
    for (const OptimizerOptions& rule : every_rule()) {
      check_steps(tables, options, rule, kSamples, some_rows(tables, kSamples));
    }
  }
  set_simd("auto");
}

TEST_CASE("steps of blocks of several lines that go round the end of a small array") {
  if (!use_fused_kernels()) return;
  const TableSet tables({{"a", 40}, {"b", 3}}, 40);
  constexpr std::size_t kSamples = 9;
  for (const std::size_t block : {17, 33, 40}) {
    for (const auto family : {HashFamily::paper, HashFamily::golden}) {
      // Numbers of the array: odd, whole lines, and hardly more than a block.
      for (const std::uint64_t numbers : {75, 80, 45}) {
        EmbeddingOptions options;
        options.bytes = numbers * sizeof(float);
        options.hash = {.family = family, .block = block};
        options.hash.aligned = family == HashFamily::golden && numbers == 80;
        for (const OptimizerOptions& rule : every_rule()) {
          check_steps(tables, options, rule, kSamples, some_rows(tables, kSamples));
        }
      }
    }
  }
  set_simd("auto");
}

TEST_CASE("steps of a row that most samples have, whose entries several blocks of threads read") {
  if (!use_fused_kernels()) return;
  const TableSet tables({{"a", 300}, {"b", 1}}, 12);
  constexpr std::size_t kSamples = kSanitized ? 280 : 700;
  for (const char* method : {"robe", "full"}) {
    EmbeddingOptions options;
    options.method = method;
    options.compression = options.method == "full" ? 1 : 5;
    options.hash.block = 6;
    options.hash.sign = options.method == "robe";
    for (const OptimizerOptions& rule : every_rule()) {
      check_steps(tables, options, rule, kSamples, some_rows(tables, kSamples));
    }
  }
  set_simd("auto");
}

TEST_CASE("pairs are sorted by key, equal keys in their order") {
  const Suite suite;
  for (const std::size_t n : kSizes) {
    if (n == 0) continue;
    Rng rng(3);
    std::vector<std::uint32_t> keys(n), values(n), sorted_keys(n), sorted_values(n);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(rng.below(7));
    std::iota(values.begin(), values.end(), 0U);
    suite.run("sort_pairs", {}, {array("keys", keys), array("values", values)},
              {array("sorted_keys", sorted_keys), array("sorted_values", sorted_values)});
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(sorted_keys[i] == keys[sorted_values[i]]);
      if (i == 0) continue;
      CHECK((sorted_keys[i - 1] < sorted_keys[i] ||
             (sorted_keys[i - 1] == sorted_keys[i] && sorted_values[i - 1] < sorted_values[i])));
    }
  }
}

TEST_CASE("dropout and stochastic rounding are the CPU's to the bit") {
  const Suite suite;
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    std::vector<float> x = random_floats(n, 9);
    if (n > 30) x[3] = std::nanf("");
    std::vector<float> expected = x;
    kernels().dropout(expected.data(), n, 77, 0x80000000U, 2);
    std::vector<BFloat16> rounded(n);
    kernels().to_bf16_at_random(x.data(), rounded.data(), n, 78);
    in_every_order([&] {
      std::vector<float> dropped = x;
      suite.run("dropout", {{"key", "77"}, {"threshold", "2147483648"}, {"scale", "2"}}, {},
                {array("x", dropped)});
      CHECK(same_bits(dropped, expected));
      std::vector<BFloat16> got(n);
      suite.run("to_bf16_at_random", {{"key", "78"}}, {array("x", x)}, {array("y", got)});
      for (std::size_t i = 0; i < n; ++i) CHECK(got[i].bits == rounded[i].bits);
    });
  }
}

TEST_CASE("an engine refuses what it cannot take, in words, and goes on") {
  const Suite suite;
  const TableSet tables = some_tables();
  auto embedding = make_embedding(tables, every_kind()[0], {});
  const EngineEmbedding described(*embedding, false);
  EngineRequest request{"cuda", "demo predict", "robe.predict", described.settings(), 8};
  for (const auto& [name, value] : EngineSettings{{"numbers", "2"},
                                                  {"batch_size", "8"},
                                                  {"precision", "f32"},
                                                  {"network.bottom", "4"},
                                                  {"network.top", "4"},
                                                  {"network.cross_rank", "0"},
                                                  {"network.diagonal", "0"},
                                                  {"network.cross_layers", "0"}}) {
    request.settings.emplace_back(name, value);
  }
  const auto words_of = [](const auto& body) -> std::string {
    try {
      body();
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.status())) + " " + error.what();
    }
    return "no error";
  };
  CHECK(words_of([&] { open_engine(request); }) ==
        "69 --device cuda: no setting 'network.architecture'");
  request.settings.emplace_back("network.architecture", "transformer");
  CHECK(words_of([&] { open_engine(request); }) ==
        "69 --device cuda: it has no architecture transformer");
  request.settings.back().second = "dlrm";
  const auto engine = open_engine(request);
  REQUIRE(engine != nullptr);
  described.set(*engine);
  std::vector<float> values(3);
  const std::vector<EngineArray> unknown{array("embedding.arrays", values)},
      short_one{array("embedding.array", values)};
  CHECK(words_of([&] { engine->set(unknown); }).find("no array 'embedding.arrays'") !=
        std::string::npos);
  CHECK(words_of([&] { engine->set(short_one); }).find("has 3 numbers of type 7, expected") !=
        std::string::npos);
  std::vector<std::uint32_t> rows(9 * 3);
  std::vector<float> numbers(9 * 2), logits(9);
  const auto run = [&](std::uint64_t samples) {
    const std::vector<EngineArray> in{{"rows", FRUGAL_U32, {samples, 3}, rows.data()},
                                      {"numbers", FRUGAL_F32, {samples, 2}, numbers.data()}},
        out{{"logits", FRUGAL_F32, {samples}, logits.data()}};
    engine->run(in, out);
  };
  CHECK(words_of([&] { run(9); }).find("expected an array 'rows' of 1 to 8 samples") !=
        std::string::npos);
  const std::vector<double> rates{1, 1};
  CHECK(words_of([&] { engine->submit(rates, {}); }).starts_with("70 "));
  CHECK(words_of([&] { run(8); }) == "no error");
}
