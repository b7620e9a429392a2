#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "tools/gnn-sample/formats/node_features.h"

namespace frugal::gnn {
namespace {

/// Largest share of numbers that are not 0 at which sparse features gain: where it is larger the
/// first layer's dense products are faster.
constexpr double kSparseShare = 0.2;

void normalize_row(std::span<float> row) {
  double sum = 0;
  for (const float x : row) sum += std::abs(double{x});
  // The reciprocal of a small sum is beyond floats.
  for (float& x : row) x = sum > 0 ? static_cast<float>(double{x} / sum) : 0;
}

void normalize_rows(NodeData& data) {
  SparseRows& sparse = data.sparse;
  const std::uint64_t rows = data.feature_rows(), dim = data.feature_dim();
  const std::span<float> dense = sparse.dim != 0 ? std::span<float>{} : data.features.as<float>();
  parallel_for(rows, 256, [&](std::size_t r) {
    const std::uint64_t begin = sparse.dim != 0 ? sparse.offsets[r] : r * dim;
    const std::uint64_t end = sparse.dim != 0 ? sparse.offsets[r + 1] : begin + dim;
    normalize_row((sparse.dim != 0 ? sparse.floats() : dense).subspan(begin, end - begin));
  });
}

void set_scales(const std::vector<double>& mean, const std::vector<double>& variance,
                FeatureColumns& columns) {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    FeatureColumn& column = columns.columns[i];
    column.mean = mean[i];
    if (variance[i] > 0) column.deviation = std::sqrt(variance[i]);
  }
}

/// Sums are those of fixed blocks of rows: the same for any number of threads.
/// Columns of a table get the scales.
void standardize_columns(NodeData& data) {
  const std::span<float> values = data.features.as<float>();
  const auto dim = static_cast<std::size_t>(data.feature_dim());
  constexpr std::size_t kBlockRows = 4096;
  const std::size_t rows = values.size() / dim, blocks = (rows + kBlockRows - 1) / kBlockRows;
  const auto sum_columns = [&](const std::vector<double>& mean, bool squared) {
    std::vector<std::vector<double>> partial(blocks, std::vector<double>(dim));
    parallel_for(blocks, 1, [&](std::size_t b) {
      for (std::size_t r = b * kBlockRows; r < std::min(rows, (b + 1) * kBlockRows); ++r) {
        for (std::size_t i = 0; i < dim; ++i) {
          const double x = values[r * dim + i] - mean[i];
          partial[b][i] += squared ? x * x : x;
        }
      }
    });
    std::vector<double> sums(dim);
    for (const auto& part : partial) {
      for (std::size_t i = 0; i < dim; ++i) sums[i] += part[i];
    }
    for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(rows, 1));
    return sums;
  };
  const std::vector<double> mean = sum_columns(std::vector<double>(dim), false);
  const std::vector<double> variance = sum_columns(mean, true);
  if (data.standardized_columns) set_scales(mean, variance, data.columns);
  parallel_for(rows, 256, [&](std::size_t r) {
    for (std::size_t i = 0; i < dim; ++i) {
      const double deviation = std::sqrt(variance[i]);
      const double centred = values[r * dim + i] - mean[i];
      values[r * dim + i] = static_cast<float>(deviation > 0 ? centred / deviation : 0);
    }
  });
}

template <class T, class Convert>
Array<std::byte> converted(std::span<const float> from, const Convert& convert) {
  Array<std::byte> bytes(from.size() * sizeof(T), uninitialized);
  T* const to = reinterpret_cast<T*>(bytes.data());
  parallel_ranges(from.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) to[i] = convert(from[i]);
  });
  return bytes;
}

/// Each row by its largest value: x = scale * byte.
void quantize(NodeData& data) {
  const std::size_t rows = data.features.shape[0], dim = data.features.shape[1];
  Tensor out = Tensor::make("features", Dtype::i8, data.features.shape);
  data.scales = Array<float>(rows, uninitialized);
  const float* const from = data.features.as<float>().data();
  std::int8_t* const to = out.as<std::int8_t>().data();
  parallel_for(rows, 256, [&](std::size_t r) {
    float largest = 0;
    for (std::size_t i = 0; i < dim; ++i) largest = std::max(largest, std::abs(from[r * dim + i]));
    const float scale = largest / 127;
    data.scales[r] = scale;
    for (std::size_t i = 0; i < dim; ++i) {
      const float x = scale > 0 ? std::nearbyint(from[r * dim + i] / scale) : 0;
      to[r * dim + i] = static_cast<std::int8_t>(std::clamp(x, -127.0F, 127.0F));
    }
  });
  data.features = std::move(out);
}

void check_range(const NodeData& data, std::span<const float> values, bool half,
                 const std::string& place) {
  const float largest = half ? to_float(Float16{0x7bff}) : to_float(BFloat16{0x7f7f});
  const auto beyond =
      std::find_if(values.begin(), values.end(), [=](float x) { return std::abs(x) > largest; });
  if (beyond == values.end()) return;
  const auto at = static_cast<std::uint64_t>(beyond - values.begin());
  const auto& offsets = data.sparse.offsets;
  const std::uint64_t node =
      data.sparse.dim == 0
          ? at / data.feature_dim()
          : static_cast<std::uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), at) -
                                       offsets.begin()) -
                1;
  fail(ExitStatus::bad_input, place, ": node ", node, " has ", format_number(double{*beyond}),
       ", --feature-type ", half ? "f16" : "bf16", " holds at most ",
       format_number(double{largest}), half ? "; use bf16" : "; use f32");
}

void make_dense(NodeData& data, const std::string& place) {
  if (data.sparse.dim == 0) return;
  data.features = to_dense(data.sparse, place);
  data.sparse = {};
}

void make_sparse(NodeData& data) {
  if (data.sparse.dim != 0) return;
  data.sparse = to_sparse(data.features);
  data.features = {};
}

/// Share of the numbers that are not 0.
double share_stored(const NodeData& data) {
  const double all =
      static_cast<double>(data.feature_rows()) * static_cast<double>(data.feature_dim());
  if (data.sparse.dim != 0) return static_cast<double>(data.sparse.columns.size()) / all;
  std::vector<std::uint64_t> zeros(static_cast<std::size_t>(num_threads()));
  const auto values = std::as_const(data.features).as<float>();
  parallel_ranges(values.size(), [&](std::size_t begin, std::size_t end, int thread) {
    zeros[static_cast<std::size_t>(thread)] =
        static_cast<std::uint64_t>(std::count(values.data() + begin, values.data() + end, 0.0F));
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t n : zeros) sum += n;
  return 1 - static_cast<double>(sum) / all;
}

void choose_layout(const FeatureOptions& options, NodeData& data, const std::string& place) {
  const bool sparse = options.layout == "auto"
                          ? options.type != "i8" && share_stored(data) <= kSparseShare
                          : options.layout == "sparse";
  if (sparse) {
    make_sparse(data);
  } else {
    make_dense(data, place);
  }
}

/// Numbers that are all 1 are not stored.
void drop_ones(SparseRows& sparse) {
  const auto values = sparse.floats();
  if (std::all_of(values.begin(), values.end(), [](float x) { return x == 1; })) sparse.values = {};
}

/// f16 or bf16.
void convert_halves(const FeatureOptions& options, NodeData& data, const std::string& place) {
  const bool sparse = data.sparse.dim != 0;
  const std::span<const float> values =
      sparse ? std::as_const(data.sparse).floats() : std::as_const(data.features).as<float>();
  const bool half = options.type == "f16";
  check_range(data, values, half, place);
  Array<std::byte> bytes =
      half ? converted<Float16>(values, [](float x) { return to_float16(x); })
           : converted<BFloat16>(values, [](float x) { return to_bfloat16(x); });
  const Dtype dtype = half ? Dtype::f16 : Dtype::bf16;
  if (sparse) {
    data.sparse.values.assign(bytes.begin(), bytes.end());
    if (!data.sparse.values.empty()) data.sparse.dtype = dtype;
  } else {
    data.features.bytes = std::move(bytes);
    data.features.dtype = dtype;
  }
}

bool says_nothing(const FeatureOptions& options) {
  return options.type == "f32" && options.layout == "auto" && options.normalize == "none";
}

}  // namespace

void check_nothing_to_convert(const FeatureOptions& options, const std::string& place) {
  if (says_nothing(options)) return;
  fail(ExitStatus::usage,
       "--feature-type, --feature-layout and --normalize-features go with features, and ", place,
       " has none");
}

void convert_features(const FeatureOptions& options, NodeData& data, const std::string& place) {
  if (data.array) {
    if (says_nothing(options)) return;
    fail(ExitStatus::usage,
         "--feature-type, --feature-layout and --normalize-features with features of "
         "robe-compress, expected none of them: robe-compress expand writes rows that can change");
  }
  if (options.layout == "sparse" && options.type == "i8") {
    fail(ExitStatus::usage,
         "--feature-layout sparse with --feature-type i8, expected f32, f16 or bf16");
  }
  if (data.feature_rows() == 0) return;
  if (options.normalize == "row") normalize_rows(data);
  if (options.normalize == "standardize") {
    make_dense(data, place);
    data.standardized_columns = data.columns.are_raw();
    standardize_columns(data);
  }
  choose_layout(options, data, place);
  if (data.sparse.dim != 0) drop_ones(data.sparse);
  if (options.type == "f16" || options.type == "bf16") convert_halves(options, data, place);
  if (options.type == "i8") quantize(data);
}

}  // namespace frugal::gnn
