#include "tools/sparse-train/network/network.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"

namespace frugal::sparse {
namespace {

// Random streams of the tables.
constexpr std::uint64_t kFeatureStream = 1;
constexpr std::uint64_t kLabelStream = 2;
constexpr std::uint64_t kLayerStream = 1000;  ///< and the following ones

// Measured on the text sets: bounds of 0.3 to 1 and of 0.02 to 0.2 give the same accuracy within
// 0.3 points.
constexpr double kLabelCodeBound = 0.5;
constexpr double kLinearFeatureBound = 0.05;
// Initial value of Adagrad's sum of squares for a feature, so that the first examples of a rare
// feature move it by little. Measured against 0: IMDB +0.5, Debian sections +0.7, AG News and 20
// Newsgroups +0.1 points; values from 0.01 to 0.3 are equivalent.
constexpr float kFirstSum = 0.1F;
// Measured on held-out tenths against 0.05 and 0.01, P@1: bibtex +0.6, stackex_cs +0.5, citeulike-t
// +1.1, delicious -0.1 (P@3 +0.6), debian-depends -0.1, wordnet-hypernyms -0.2; 32,000 generated
// labels, 5 epochs, +1.1.
constexpr double kReluFeatureDeviation = 0.1;
constexpr double kReluLabelDeviation = 0.05;

constexpr std::size_t kFilledRows = 4096;  ///< rows filled at a time before they are rounded

/// Calls fill(rows, number of the first row) for all rows of a zero table, in place or block by
/// block. begin: number of the table's first row.
template <class Fill>
void fill_rows(RowTable& table, std::size_t begin, Fill fill) {
  if (table.half_columns() == 0) return fill(table.weights(), begin);
  Array<float> memory(kFilledRows * table.dim());
  for (std::size_t first = 0; first < table.rows(); first += kFilledRows) {
    const MatrixView<float> block(memory.data(), std::min(kFilledRows, table.rows() - first),
                                  table.dim());
    fill(block, begin + first);
    for (std::size_t r = 0; r < block.rows; ++r) {
      table.write(first + r, block.row(r), static_cast<std::uint32_t>(begin + first + r));
    }
  }
}

}  // namespace

Activation activation_from_name(std::string_view name) {
  const auto found = std::find(kActivationNames.begin(), kActivationNames.end(), name);
  if (found != kActivationNames.end())
    return static_cast<Activation>(found - kActivationNames.begin());
  fail(ExitStatus::usage, "unknown activation '", name, "', expected linear or relu");
}

std::string_view activation_name(Activation activation) {
  return kActivationNames[static_cast<std::size_t>(activation)];
}

Network::Network(const NetworkShape& shape_, OptimizerKind optimizer, LabelRange held)
    : shape(shape_),
      features(shape.num_features, shape.hidden, row_state_size(optimizer, shape.hidden)),
      labels(held.size(), shape.width() + 1, biased_row_state_size(optimizer, shape.width() + 1),
             shape.half_labels ? shape.width() : 0),
      first_label(held.begin) {
  std::size_t inputs = shape.hidden;
  for (const std::uint32_t units : shape.layers) {
    layers.emplace_back(units, inputs + 1, biased_row_state_size(optimizer, inputs + 1));
    inputs = units;
  }
}

std::uint64_t Network::num_bytes(const NetworkShape& shape, OptimizerKind optimizer) {
  const auto bytes_of = [&](std::uint64_t rows, std::uint64_t dim, std::size_t state) {
    return rows * (dim + state) * sizeof(float);
  };
  const std::size_t outputs = shape.width() + 1;
  std::uint64_t bytes =
      bytes_of(shape.num_features, shape.hidden, row_state_size(optimizer, shape.hidden)) +
      bytes_of(shape.num_labels, outputs, biased_row_state_size(optimizer, outputs));
  if (shape.half_labels) bytes -= std::uint64_t{shape.num_labels} * shape.width() * 2;
  std::size_t inputs = shape.hidden;
  for (const std::uint32_t units : shape.layers) {
    bytes += bytes_of(units, inputs + 1, biased_row_state_size(optimizer, inputs + 1));
    inputs = units;
  }
  return bytes;
}

void Network::initialize(std::uint64_t seed) {
  const bool linear = shape.activation == Activation::linear;
  const bool codes = linear && shape.num_labels <= shape.width() + 1;
  if (!linear) {
    fill_normal(features.weights(), kReluFeatureDeviation, seed, kFeatureStream);
  } else if (!codes) {
    fill_uniform(features.weights(), kLinearFeatureBound, seed, kFeatureStream);
  }
  if (features.state_size() == 1) {
    for (std::size_t f = 0; f < features.rows(); ++f) *features.state(f) = kFirstSum;
  }
  // One-vs-all begins with every label as improbable as it is on average.
  const float bias =
      shape.loss == LossKind::one_vs_all ? -std::log(static_cast<float>(shape.num_labels)) : 0.0F;
  fill_rows(labels, first_label, [&](MatrixView<float> w, std::size_t first) {
    const MatrixView<float> without_bias(w.data, w.rows, shape.width(), w.stride);
    if (codes) fill_uniform(without_bias, kLabelCodeBound, seed, kLabelStream, first);
    if (!linear) fill_normal(without_bias, kReluLabelDeviation, seed, kLabelStream, first);
    for (std::size_t l = 0; l < w.rows; ++l) w(l, shape.width()) = bias;
  });
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const MatrixView<float> all = layers[i].weights();
    // Keeps the size of what rectified units pass on (He, Zhang, Ren, Sun, ICCV 2015, equation 10).
    fill_normal({all.data, all.rows, all.cols - 1, all.stride},
                std::sqrt(2 / static_cast<double>(all.cols - 1)), seed, kLayerStream + i);
  }
}

void Network::hidden_units(const Bag& bag, float* h) const {
  thread_local Array<float> memory;
  std::size_t room = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) room += unit_stride(i);
  if (memory.size() < room) memory = Array<float>(room, uninitialized);
  float* next = memory.data();
  const float* before = nullptr;
  for (std::size_t i = 0; i < num_layers(); ++i) {
    float* units = i == layers.size() ? h : next;
    if (i == 0) {
      std::fill(units, units + unit_stride(0), 0.0F);
      embedding_bag_forward(features, bag, units);
    } else {
      const RowTable& w = layers[i - 1];
      for (std::size_t r = 0; r < w.rows(); ++r) {
        units[r] = kernels().dot(w.row(r), before, w.dim());
      }
    }
    activate(i, {units, 1, num_units(i)});
    before = units;
    next += unit_stride(i);
  }
}

std::size_t Network::unit_stride(std::size_t layer) const {
  return RowTable(0, num_units(layer) + 1, 0).stride();
}

void Network::activate(std::size_t layer, MatrixView<float> units) const {
  const std::size_t n = num_units(layer);
  for (std::size_t r = 0; r < units.rows; ++r) {
    if (shape.activation == Activation::relu) kernels().relu(units.row(r), n);
    units.row(r)[n] = 1;
  }
}

}  // namespace frugal::sparse
