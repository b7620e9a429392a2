#include "tools/robe-compress/search/blended_model.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "libcore/embedding/full_embedding.h"
#include "tools/robe-compress/network/architecture.h"

namespace frugal::robe {
namespace {

/// Weight of each model's logit in the mean.
constexpr float kHalf = 0.5F;

std::span<const float> numbers_of(const TrialModel& model) {
  return std::as_const(dynamic_cast<FullEmbedding&>(*model.embedding).array()).values();
}

double root_mean_square(std::span<const float> values) {
  double sum = 0;
  for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, values.size())));
}

/// Rows of the first with a number of the second times `scale` behind each.
std::unique_ptr<FullEmbedding> append_column(const TrialModel& rows, const TrialModel& last,
                                             float scale) {
  const TableSet& tables = rows.embedding->tables();
  const std::size_t dim = tables.dim();
  auto all = std::make_unique<FullEmbedding>(TableSet(tables.tables(), dim + 1));
  const std::span<const float> from = numbers_of(rows), ends = numbers_of(last);
  float* to = all->array().values().data();
  for (std::size_t r = 0; r < tables.num_rows(); ++r) {
    to = std::copy_n(&from[r * dim], dim, to);
    *to++ = scale * ends[r];
  }
  return all;
}

/// A layer's weights, [out, in], and biases.
struct Weights {
  std::size_t in, out;
  std::vector<float> weights, bias;

  explicit Weights(const DenseShape& shape)
      : in(shape.in), out(shape.out), weights(in * out), bias(out) {}
  explicit Weights(const DenseLayer& layer) : Weights(layer.shape()) {
    layer.get({weights.data(), out, in}, bias);
  }
  void put(DenseLayer& layer) const { layer.set({weights.data(), out, in}, bias); }

  void scale(float factor) {
    for (float& w : weights) w *= factor;
    for (float& b : bias) b *= factor;
  }
};

/// Copies a layer, whose input i becomes input place(i) and others are ignored, as further outputs
/// are 0.
template <class Place>
Weights widened(const Weights& from, const DenseShape& shape, Place place) {
  Weights to(shape);
  for (std::size_t o = 0; o < from.out; ++o) {
    to.bias[o] = from.bias[o];
    for (std::size_t i = 0; i < from.in; ++i) {
      to.weights[o * to.in + place(i)] = from.weights[o * from.in + i];
    }
  }
  return to;
}

/// The layer over the sum of weights, which were multiplied by `scale`, and the numbers.
Weights wide_layer(const TrialModel& linear, float scale) {
  const Weights numbers(*linear.network->layers().front().layer);
  Weights layer =
      widened(numbers, {1 + numbers.in, 1}, [](std::size_t number) { return 1 + number; });
  layer.weights[0] = 1 / scale;
  layer.scale(kHalf);
  return layer;
}

}  // namespace

TrialModel blend(const TrialModel& dlrm, const TrialModel& linear, NetworkOptions options) {
  const double rows = root_mean_square(numbers_of(dlrm));
  const double weights = root_mean_square(numbers_of(linear));
  // Rounding takes a row's numbers by their largest: weights as large as the others.
  const float scale = weights > 0 ? static_cast<float>(rows / weights) : 1;
  NetworkShape shape = dlrm.network->shape();
  const std::size_t dim = shape.dim++;
  const std::size_t passed = shape.num_numbers != 0 ? 1 : shape.num_fields;
  options.architecture = "wide-dlrm";
  TrialModel both{append_column(dlrm, linear, scale), make_network(options, shape, 0)};

  const std::vector<Network::NamedLayer> from = dlrm.network->layers();
  for (const Network::NamedLayer& to : both.network->layers()) {
    const auto same = std::ranges::find(from, to.name, &Network::NamedLayer::name);
    if (same == from.end()) {
      wide_layer(linear, scale).put(*to.layer);
      continue;
    }
    const bool is_first = to.name == "network.top.0";
    Weights layer = widened(Weights(*same->layer), to.layer->shape(), [&](std::size_t i) {
      // Vectors that are features as they are have become longer.
      return is_first ? i + std::min(i / dim, passed) : i;
    });
    if (same + 1 == from.end()) layer.scale(kHalf);
    layer.put(*to.layer);
  }
  return both;
}

}  // namespace frugal::robe
