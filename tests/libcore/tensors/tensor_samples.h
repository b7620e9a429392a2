#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/tensors/tensor_file.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/system/scratch_folder.h"
#include "tests/support/text_file.h"

/// Tensors and comparisons that the tests of the exchange format share.
namespace samples {

inline frugal::Tensor random_tensor(const std::string& name, frugal::Dtype dtype,
                                    const frugal::Shape& shape, std::uint64_t seed) {
  frugal::Tensor tensor = frugal::Tensor::make(name, dtype, shape);
  frugal::Rng rng(seed);
  for (std::byte& b : tensor.bytes) {
    const std::uint64_t value = rng.below(dtype == frugal::Dtype::boolean ? 2 : 256);
    b = static_cast<std::byte>(value);
  }
  return tensor;
}

/// Standard normal values: what weights look like to a compressor.
inline frugal::Tensor normal_tensor(const std::string& name, const frugal::Shape& shape,
                                    std::uint64_t seed) {
  std::vector<float> values(frugal::num_elements(shape));
  frugal::Rng rng(seed);
  for (float& x : values) x = static_cast<float>(rng.normal());
  return frugal::Tensor::copy_of<float>(name, shape, values);
}

inline frugal::Tensor sorted_tensor(const std::string& name, std::uint64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> values(n);
  frugal::Rng rng(seed);
  std::int64_t at = -5;
  for (auto& x : values) x = at += static_cast<std::int64_t>(rng.below(9));
  return frugal::Tensor::copy_of<std::int64_t>(name, {n}, values);
}

inline bool same(const frugal::Tensor& a, const frugal::Tensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
         a.bytes.size() == b.bytes.size() &&
         (a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0);
}

/// The same tensors, in any order, and the metadata of `expected` at least.
inline bool same(const frugal::Document& expected, const frugal::Document& read) {
  if (expected.tensors.size() != read.tensors.size()) return false;
  for (const auto& tensor : expected.tensors) {
    const frugal::Tensor* const other = read.find(tensor.name);
    if (other == nullptr || !same(tensor, *other)) return false;
  }
  for (const auto& [key, value] : expected.metadata) {
    const auto found = read.metadata.find(key);
    if (found == read.metadata.end() || found->second != value) return false;
  }
  return true;
}

/// A document of about 100 KiB times `scale`.
inline frugal::Document mixed_document(std::uint64_t scale, std::uint64_t seed = 1) {
  frugal::Document document;
  document.metadata["frugal.kind"] = "model";
  document.metadata["note"] = "Z\xc3\xbcrich, \"quoted\"\n";
  document.tensors.push_back(normal_tensor("weight", {64 * scale, 256}, seed));
  document.tensors.push_back(sorted_tensor("indptr", 2048 * scale, seed + 1));
  document.tensors.push_back(
      random_tensor("mask", frugal::Dtype::boolean, {3, 1000 * scale}, seed + 2));
  document.tensors.push_back(random_tensor("empty", frugal::Dtype::f32, {0, 256}, seed));
  document.tensors.push_back(random_tensor("step", frugal::Dtype::i64, {}, seed + 3));
  return document;
}

inline std::vector<frugal::Document> read_all(const std::string& path,
                                              const frugal::TensorReadOptions& options = {}) {
  frugal::TensorReader reader(path, options);
  std::vector<frugal::Document> documents;
  while (auto document = reader.next()) documents.push_back(std::move(*document));
  return documents;
}

/// Sets the number of threads for a scope.
struct Threads {
  explicit Threads(int n) : before(frugal::num_threads()) { frugal::set_num_threads(n); }
  ~Threads() { frugal::set_num_threads(before); }
  int before;
};

}  // namespace samples
