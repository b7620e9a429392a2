#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/feature_view.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kRows = 50, kFeatures = 7;

template <class T>
std::string complaint(Dtype dtype, const std::vector<T>& numbers, std::span<const float> scales) {
  FeatureView view{dtype, reinterpret_cast<const std::byte*>(numbers.data()), kRows, kFeatures,
                   scales};
  try {
    check_finite(view, "g");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

/// Sets numbers to something that is not finite and says what is found.
template <class T>
std::string complaint_with(Dtype dtype, T largest, T bad, std::vector<std::size_t> places) {
  std::vector<T> numbers(kRows * kFeatures, largest);
  for (const std::size_t place : places) numbers[place] = bad;
  return complaint(dtype, numbers, {});
}

}  // namespace

TEST_CASE("features that are not finite are found by their node, whatever their type") {
  for (const int threads : {1, 2, 8}) {
    set_num_threads(threads);
    const std::string first = "g: node 0 has a feature that is not finite, expected numbers";
    CHECK(complaint_with<float>(Dtype::f32, -std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::infinity(), {}) == "");
    CHECK(complaint_with<float>(Dtype::f32, 0, std::numeric_limits<float>::quiet_NaN(),
                                {0, kRows * kFeatures - 1}) == first);
    CHECK(complaint_with<std::uint16_t>(Dtype::f16, 0x7bff, 0xfc00, {}) == "");
    CHECK(complaint_with<std::uint16_t>(Dtype::f16, 0x7bff, 0xfc00, {kFeatures * 49 + 6}) ==
          "g: node 49 has a feature that is not finite, expected numbers");
    CHECK(complaint_with<std::uint16_t>(Dtype::bf16, 0x7f7f, 0x7f81, {}) == "");
    CHECK(complaint_with<std::uint16_t>(Dtype::bf16, 0x7f7f, 0x7f81, {kFeatures - 1, 3}) == first);
  }
  std::vector<float> scales(kRows, 1);
  const std::vector<std::int8_t> bytes(kRows * kFeatures, -1);
  CHECK(complaint(Dtype::i8, bytes, scales) == "");
  scales[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(complaint(Dtype::i8, bytes, scales) != "");
}

TEST_CASE("rows of a compressed array that are not finite are found by their node") {
  EmbeddingOptions options;
  options.method = "full";
  const auto array = make_embedding(TableSet({{"features", kRows}}, kFeatures), options, {});
  FeatureView view{Dtype::f32, nullptr, kRows, kFeatures, {}};
  view.array = array.get();
  CHECK_NOTHROW(check_finite(view, "g"));
  dynamic_cast<ArrayEmbedding&>(*array).array().values()[17 * kFeatures + kFeatures - 1] =
      std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH_AS(check_finite(view, "g"),
                       "g: node 17 has a feature that is not finite, expected numbers", Error);
}

TEST_CASE("sparse features that are not finite are found by their node") {
  const std::vector<std::uint64_t> offsets = {0, 1, 1, 3};
  std::vector<float> numbers = {1, 2, 3};
  FeatureView view;
  view.rows = 3;
  view.dim = kFeatures;
  view.offsets = offsets.data();
  CHECK_NOTHROW(check_finite(view, "g"));
  view.data = reinterpret_cast<const std::byte*>(numbers.data());
  CHECK_NOTHROW(check_finite(view, "g"));
  numbers[2] = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH_AS(check_finite(view, "g"),
                       "g: node 2 has a feature that is not finite, expected numbers", Error);
}
