#include "tools/robe-compress/network/cross_interaction.h"

#include <algorithm>

#include "libcore/kernels/kernels.h"

namespace frugal::robe {

/// x_0 to x_{L-1}, z_l = W x_l + b and their gradients; low rank: h_l = V x_l as well.
class CrossInteraction::Batch : public InteractionBatch {
 public:
  Batch(const CrossInteraction& of, std::size_t size, bool training) {
    const CrossOptions& o = of.options_;
    for (std::size_t l = 0; l < o.layers; ++l) {
      x.emplace_back(size, of.width_);
      z.emplace_back(size, of.width_);
      if (of.low_rank()) h.emplace_back(size, o.rank);
      if (!training) continue;
      dz.emplace_back(size, of.width_);
      if (of.low_rank()) dh.emplace_back(size, o.rank);
    }
    if (training) {
      dx = UnitRows(size, of.width_);
      dx0 = UnitRows(size, of.width_);
    }
  }

  std::vector<UnitRows> x, z, h, dz, dh;
  UnitRows dx, dx0;
};

CrossInteraction::CrossInteraction(const InteractionShape& shape, const CrossOptions& options,
                                   Precision precision)
    : width_(shape.num_vectors() * shape.dim), options_(options) {
  for (const NamedShape& layer : layer_shapes(shape, options)) {
    layers_.emplace_back(layer.shape, precision);
  }
}

std::vector<NamedShape> CrossInteraction::layer_shapes(const InteractionShape& shape,
                                                       const CrossOptions& options) {
  const std::size_t width = shape.num_vectors() * shape.dim;
  std::vector<NamedShape> layers;
  for (std::size_t l = 0; l < options.layers; ++l) {
    const std::string name = "cross." + std::to_string(l);
    if (options.rank == 0) {
      layers.push_back({name, {width, width}});
    } else {
      layers.push_back({name + ".v", {width, options.rank, false}});
      layers.push_back({name + ".u", {options.rank, width}});
    }
  }
  return layers;
}

std::unique_ptr<InteractionBatch> CrossInteraction::make_batch(std::size_t size,
                                                               bool training) const {
  return std::make_unique<Batch>(*this, size, training);
}

void CrossInteraction::forward(const InteractionInput& input, InteractionBatch& batch,
                               MatrixView<float> features, std::span<float>) const {
  auto& b = static_cast<Batch&>(batch);
  const std::size_t begin = input.begin, end = input.end;
  if (options_.layers == 0) return concatenate(input, features);
  concatenate(input, b.x[0].values());
  for (std::size_t l = 0; l < options_.layers; ++l) {
    const MatrixView<float> z = b.z[l].values().rows_between(begin, end);
    if (low_rank()) {
      layers_[2 * l].forward(b.x[l].values().rows_between(begin, end),
                             b.h[l].values().rows_between(begin, end));
      layers_[2 * l + 1].forward(b.h[l].with_ones().rows_between(begin, end), z);
    } else {
      layers_[l].forward(b.x[l].with_ones().rows_between(begin, end), z);
    }
    const MatrixView<float> next = l + 1 < options_.layers ? b.x[l + 1].values() : features;
    for (std::size_t r = begin; r < end; ++r) {
      const float *x0 = b.x[0].values().row(r), *x = b.x[l].values().row(r);
      const float* of_z = z.row(r - begin);
      float* to = next.row(r);
      for (std::size_t i = 0; i < width_; ++i) to[i] = x0[i] * of_z[i] + x[i];
    }
  }
}

void CrossInteraction::backward(const InteractionInput& input, InteractionBatch& batch,
                                MatrixView<const float> dfeatures, std::span<const float>,
                                const InteractionGradient& gradient) const {
  if (options_.layers == 0) return split_gradient(input, dfeatures, gradient);
  auto& b = static_cast<Batch&>(batch);
  const std::size_t begin = input.begin, end = input.end;
  const MatrixView<float> dx = b.dx.values(), dx0 = b.dx0.values();
  for (std::size_t r = begin; r < end; ++r) {
    std::copy_n(dfeatures.row(r), width_, dx.row(r));
    std::fill_n(dx0.row(r), width_, 0.0F);
  }
  for (std::size_t l = options_.layers; l-- > 0;) {
    for (std::size_t r = begin; r < end; ++r) {
      const float *x0 = b.x[0].values().row(r), *z = b.z[l].values().row(r), *d = dx.row(r);
      float *to_x0 = dx0.row(r), *dz = b.dz[l].values().row(r);
      for (std::size_t i = 0; i < width_; ++i) {
        to_x0[i] += d[i] * z[i];
        dz[i] = d[i] * x0[i];
      }
    }
    const MatrixView<float> dz = b.dz[l].values().rows_between(begin, end);
    const MatrixView<float> to = dx.rows_between(begin, end);
    if (low_rank()) {
      const MatrixView<float> dh = b.dh[l].values().rows_between(begin, end);
      layers_[2 * l + 1].backward(dz, dh);
      layers_[2 * l].backward(dh, to, 1);
    } else {
      layers_[l].backward(dz, to, 1);
    }
  }
  for (std::size_t r = begin; r < end; ++r) kernels().axpy(1, dx0.row(r), dx.row(r), width_);
  split_gradient(input, dx, gradient);
}

std::vector<DenseLayer*> CrossInteraction::layers() {
  std::vector<DenseLayer*> all;
  for (DenseLayer& layer : layers_) all.push_back(&layer);
  return all;
}

LayerRows CrossInteraction::rows_of(std::size_t layer, const InteractionBatch& batch,
                                    std::size_t end) const {
  const auto& b = static_cast<const Batch&>(batch);
  const std::size_t l = low_rank() ? layer / 2 : layer;
  const bool is_v = low_rank() && layer % 2 == 0, is_u = low_rank() && layer % 2 == 1;
  const MatrixView<const float> x = is_v   ? b.x[l].values()
                                    : is_u ? b.h[l].with_ones()
                                           : b.x[l].with_ones();
  const MatrixView<const float> dy = is_v ? b.dh[l].values() : b.dz[l].values();
  return {x.rows_between(0, end), dy.rows_between(0, end)};
}

}  // namespace frugal::robe
