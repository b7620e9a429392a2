#pragma once
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tests/libcore/system/scratch_folder.h"
#include "tools/robe-compress/fit/array_fit.h"
#include "tools/robe-compress/fit/count_reader.h"

/// Tables and counts that the tests of fitting share.
namespace fit_samples {

using TablesAndRows = std::vector<std::pair<std::string, std::uint64_t>>;

inline frugal::Tensor normal_table(const std::string& name, std::uint64_t rows, std::uint64_t dim,
                                   std::uint64_t seed) {
  std::vector<float> values(rows * dim);
  frugal::Rng rng(seed);
  for (float& x : values) x = static_cast<float>(rng.uniform(-1, 1) + 0.2);
  return frugal::Tensor::copy_of<float>(name, {rows, dim}, values);
}

/// Few rows are frequent, a third never occurs.
inline frugal::Tensor zipf_counts(const std::string& name, std::uint64_t rows, std::uint64_t seed) {
  std::vector<std::int64_t> counts(rows);
  frugal::Rng rng(seed);
  for (auto& count : counts) {
    const double u = rng.uniform();
    count = rng.below(3) == 0 ? 0 : static_cast<std::int64_t>(1 / (u + 1e-4));
  }
  return frugal::Tensor::copy_of<std::int64_t>(name + ".counts", {rows}, counts);
}

/// Tables of normal numbers with counts.
inline frugal::Document sample_tables(const TablesAndRows& tables, std::uint64_t dim) {
  frugal::Document document;
  std::uint64_t seed = 1;
  for (const auto& [name, rows] : tables) {
    document.tensors.push_back(normal_table(name, rows, dim, seed++));
    document.tensors.push_back(zipf_counts(name, rows, seed++));
  }
  return document;
}

inline frugal::robe::FitResult fit_file(const std::string& path,
                                        const frugal::robe::FitOptions& options) {
  frugal::robe::TableFile file(path, {}, {});
  const frugal::robe::RowWeights weights = frugal::robe::counts_in(file);
  return frugal::robe::fit_array(file, weights, options, [](int, int, double) {});
}

inline std::vector<float> array_of(const frugal::robe::FitResult& result) {
  const auto values = result.embedding->array().values();
  return {values.begin(), values.end()};
}

/// The message of the Error that body throws, after its status; "" if it throws none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const frugal::Error& error) {
    return std::to_string(static_cast<int>(error.status())) + " " + error.what();
  }
  return "";
}

}  // namespace fit_samples
