#include "tools/robe-compress/fit/array_fit.h"

#include <cmath>

#include "libcore/arrays/npy.h"
#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/threading/parallel.h"
#include "tests/tools/robe-compress/fit/fit_samples.h"
#include "tools/robe-compress/fit/fit_candidate.h"
#include "tools/robe-compress/fit/table_errors.h"

using namespace frugal;
using namespace frugal::robe;
using namespace fit_samples;

namespace {

/// All rows of all tables as an embedding gives them, one behind the other.
std::vector<float> expanded(const Embedding& embedding) {
  const TableSet& tables = embedding.tables();
  std::vector<float> values(tables.num_values());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::uint32_t row = 0; row < tables.table(t).rows; ++row) {
      float* const to = values.data() + (tables.first_row(t) + row) * tables.dim();
      embedding.lookup_table(t, &row, 1, {to, 1, tables.dim()});
    }
  }
  return values;
}

using Matrix = std::vector<std::vector<double>>;

/// Solves a symmetric positive semi-definite system by elimination with the largest pivots; what
/// they do not determine is 0.
std::vector<double> solved(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<double> x(n, 0.0);
  std::vector<bool> used(n);
  std::vector<std::size_t> pivots;
  for (;;) {
    std::size_t p = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!used[i] && a[i][i] > 1e-9 && (p == n || a[i][i] > a[p][p])) p = i;
    }
    if (p == n) break;
    used[p] = true;
    pivots.push_back(p);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p || a[i][p] == 0) continue;
      const double factor = a[i][p] / a[p][p];
      for (std::size_t j = 0; j < n; ++j) a[i][j] -= factor * a[p][j];
      b[i] -= factor * b[p];
    }
  }
  for (const std::size_t p : pivots) x[p] = b[p] / a[p][p];
  return x;
}

/// The smallest sum of squares that any array has, from the normal equations written out: column j
/// of P is what comes out of an array with 1 in slot j.
double least_squares(BlockEmbedding& embedding, const std::vector<float>& numbers,
                     const RowWeights& weights) {
  const std::size_t slots = embedding.array().size(), dim = embedding.tables().dim();
  const auto weight = [&](std::size_t i) { return static_cast<double>(weights[i / dim]); };
  std::vector<std::vector<float>> columns;
  for (std::size_t j = 0; j < slots; ++j) {
    std::fill(embedding.array().values().begin(), embedding.array().values().end(), 0.0F);
    embedding.array().values()[j] = 1;
    columns.push_back(expanded(embedding));
  }
  Matrix normal(slots, std::vector<double>(slots));
  std::vector<double> right(slots);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = 0; j < slots; ++j) {
      if (columns[j][i] == 0) continue;
      right[j] += weight(i) * columns[j][i] * numbers[i];
      for (std::size_t k = 0; k < slots; ++k) {
        normal[j][k] += weight(i) * columns[j][i] * columns[k][i];
      }
    }
  }
  const std::vector<double> best = solved(normal, right);
  double rest = 0, all = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    double fit = 0;
    for (std::size_t j = 0; j < slots; ++j) fit += columns[j][i] * best[j];
    rest += weight(i) * (numbers[i] - fit) * (numbers[i] - fit);
    all += weight(i) * numbers[i] * numbers[i];
  }
  return std::sqrt(rest / all);
}

double nothing_lost(const std::string& path, const Embedding& embedding) {
  TableFile file(path, {}, {});
  const RowWeights weights = counts_in(file);
  return table_errors(file, weights, embedding, [](double) {}).all;
}

}  // namespace

TEST_CASE("the array is the optimum of the normal equations, whatever the hash") {
  const ScratchFolder folder;
  const std::string path = folder.file("t.safetensors");
  const Document document = sample_tables({{"a", 40}, {"b", 25}}, 6);
  write_document(path, document);
  TableFile file(path, {}, {});
  const RowWeights weights = counts_in(file);
  std::vector<float> numbers;
  for (const char* name : {"a", "b"}) {
    for (const float x : document.at(name).as<float>()) numbers.push_back(x);
  }
  for (const HashFamily family :
       {HashFamily::golden, HashFamily::paper, HashFamily::robe2021, HashFamily::robe2022}) {
    for (const bool sign : {false, true}) {
      for (const double share : {0.0, 0.4}) {
        FitOptions options;
        options.compression = 9;
        options.hash.family = family;
        options.hash.sign = sign;
        options.hash.block = 4;  // the second block of a row is shorter
        options.hot_share = share;
        FitResult result = fit_file(path, options);
        const double reported = result.trials[0].relative_error;
        CHECK(result.embedding->num_bytes() <= numbers.size() * 4 / 9);
        const double error = table_errors(file, weights, *result.embedding, [](double) {}).all;
        const double optimum = least_squares(*result.embedding, numbers, weights);
        CHECK(error == doctest::Approx(optimum).epsilon(1e-5));
        CHECK(reported == doctest::Approx(optimum).epsilon(1e-5));
        CHECK(optimum > 0.2);
      }
    }
  }
}

TEST_CASE("tables that came out of an array go into it as they are") {
  const ScratchFolder folder;
  write_document(folder.file("a.safetensors"), sample_tables({{"a", 3000}, {"b", 50}}, 8));
  for (const char* family : {"golden", "paper"}) {
    FitOptions options;
    options.compression = 20;
    options.hash.family = hash_family_from_name(family);
    options.hash.block = 8;
    options.hot_share = 0.5;
    const FitResult first = fit_file(folder.file("a.safetensors"), options);
    Document again = sample_tables({{"a", 3000}, {"b", 50}}, 8);
    const std::vector<float> values = expanded(*first.embedding);
    std::copy_n(values.begin(), 3000 * 8, again.tensors[0].as<float>().begin());
    std::copy_n(values.begin() + 3000 * 8, 50 * 8, again.tensors[2].as<float>().begin());
    write_document(folder.file("b.safetensors"), again);
    const FitResult second = fit_file(folder.file("b.safetensors"), options);
    CHECK(second.trials[0].relative_error < 1e-6);
    CHECK(nothing_lost(folder.file("b.safetensors"), *second.embedding) < 1e-6);
    const std::vector<float> twice = expanded(*second.embedding);
    for (std::size_t i = 0; i < values.size(); ++i) {
      REQUIRE(twice[i] == doctest::Approx(values[i]).epsilon(1e-6));
    }
  }
}

TEST_CASE("the array does not depend on threads or on how many passes the memory asks for") {
  const ScratchFolder folder;
  const std::string path = folder.file("t.safetensors");
  write_document(path, sample_tables({{"a", 30000}, {"b", 20000}}, 16));
  std::vector<std::vector<float>> arrays;
  const int before = num_threads();
  for (const auto& [threads, memory] : {std::pair{1, 1 << 30}, {3, 1 << 30}, {2, 1 << 19}}) {
    set_num_threads(threads);
    FitOptions options;
    options.compression = 10;
    options.hot_share = 0.25;
    options.max_memory = static_cast<std::uint64_t>(memory);
    const FitResult result = fit_file(path, options);
    CHECK(result.passes == (memory == 1 << 19 ? 4 : 1));
    arrays.push_back(array_of(result));
  }
  set_num_threads(before);
  CHECK(arrays[0] == arrays[1]);
  CHECK(arrays[0] == arrays[2]);
}

TEST_CASE("the best of the hot shares is taken, and each is what it is alone") {
  const ScratchFolder folder;
  const std::string path = folder.file("t.safetensors");
  write_document(path, sample_tables({{"a", 5000}, {"b", 400}}, 16));
  FitOptions options;
  options.compression = 50;
  const FitResult all = fit_file(path, options);
  REQUIRE(all.trials.size() == 5);
  for (const FitTrial& trial : all.trials) {
    options.hot_share = trial.hot_share;
    const FitResult one = fit_file(path, options);
    CHECK(one.trials[0].relative_error == trial.relative_error);
    CHECK(one.trials[0].hot_rows == trial.hot_rows);
    CHECK(trial.relative_error >= all.trials[all.chosen].relative_error);
    CHECK(nothing_lost(path, *one.embedding) ==
          doctest::Approx(trial.relative_error).epsilon(1e-6));
    if (&trial == &all.trials[all.chosen]) CHECK(array_of(one) == array_of(all));
  }
}

TEST_CASE("with memory for one array the frequencies of the rows say which") {
  const ScratchFolder folder;
  for (const double compression : {10.0, 50.0, 400.0}) {
    const std::string path = folder.file("t.safetensors");
    write_document(path, sample_tables({{"a", 5000}, {"b", 400}}, 16));
    FitOptions options;
    options.compression = compression;
    const FitResult all = fit_file(path, options);
    options.max_memory = static_cast<std::uint64_t>(3 * 5400 * 64 / compression);
    const FitResult one = fit_file(path, options);
    REQUIRE(one.trials.size() == 1);
    const double best = all.trials[all.chosen].relative_error;
    CHECK(one.trials[0].relative_error < 1.02 * best);
    CHECK(nothing_lost(path, *one.embedding) ==
          doctest::Approx(one.trials[0].relative_error).epsilon(1e-6));
  }
}

TEST_CASE("what an array explains is known where hot rows are all that ever occur") {
  const TableSet tables({{"a", 6}}, 2);
  const std::vector<float> counts = {0, 5, 0, 0, 2, 0};
  const RowWeights weights(Array<float>::copy_of(counts), tables, "counts");
  CHECK(expected_explained({{1, 4}, 4}, weights, tables) == 7);
  CHECK(expected_explained({{1}, 4}, weights, tables) == doctest::Approx(5 + 4.0 / (2 + 1)));
}

TEST_CASE("rows that never occur decide only what no other row decides") {
  const ScratchFolder folder;
  const std::string path = folder.file("t.safetensors");
  Document document;
  document.tensors.push_back(normal_table("a", 6, 2, 1));
  const std::vector<std::uint8_t> counts = {0, 0, 0, 7, 0, 0};
  document.tensors.push_back(Tensor::copy_of<std::uint8_t>("a.counts", {6}, counts));
  write_document(path, document);
  FitOptions options;
  options.compression = 1;
  options.hot_share = 0;
  const FitResult result = fit_file(path, options);
  const std::vector<float> values = expanded(*result.embedding);
  CHECK(result.trials[0].relative_error < 1e-7);  // row 3 alone counts
  CHECK(values[6] == document.tensors[0].as<float>()[6]);
  for (const float value : values) CHECK(value != 0);
}

TEST_CASE("tables of every floating-point type are read, also as npy and npz") {
  const ScratchFolder folder;
  FitOptions options;
  options.compression = 10;
  const Tensor table = normal_table("t", 500, 8, 3);
  std::vector<BFloat16> bf16;
  std::vector<Float16> f16;
  std::vector<double> f64;
  for (const float x : table.as<float>()) {
    bf16.push_back(to_bfloat16(x));
    f16.push_back(to_float16(x));
    f64.push_back(x);
  }
  const auto fit_one = [&](Tensor tensor) {
    Document document;
    document.tensors.push_back(std::move(tensor));
    write_document(folder.file("x.safetensors"), document);
    return array_of(fit_file(folder.file("x.safetensors"), options));
  };
  const std::vector<float> exact = fit_one(table.clone());
  CHECK(fit_one(Tensor::copy_of<double>("t", {500, 8}, f64)) == exact);
  std::vector<std::vector<float>> rounded;
  rounded.push_back(fit_one(Tensor::copy_of<BFloat16>("t", {500, 8}, bf16)));
  rounded.push_back(fit_one(Tensor::copy_of<Float16>("t", {500, 8}, f16)));
  for (const std::vector<float>& array : rounded) {
    for (std::size_t i = 0; i < exact.size(); ++i) REQUIRE(std::abs(array[i] - exact[i]) < 0.005);
  }
  write_npy(folder.file("t.npy"), table);
  CHECK(array_of(fit_file(folder.file("t.npy"), options)) == exact);
}

TEST_CASE("what cannot be fitted says why") {
  const ScratchFolder folder;
  const std::string path = folder.file("t.safetensors");
  Document document;
  document.tensors.push_back(normal_table("t", 100, 8, 3));
  write_document(path, document);
  FitOptions options;
  options.compression = 90;
  CHECK(fit_file(path, options).embedding->num_parameters() == smallest_array(100, 8));
  options.hot_share = 0;
  CHECK(error_of([&] { fit_file(path, options); }).find("leaves 35 B for 1 table") !=
        std::string::npos);
  options.compression = 5;
  options.hot_share = 0.5;
  CHECK(error_of([&] { fit_file(path, options); }).find("2 --hot-share 0.5 needs to know") == 0);
}
