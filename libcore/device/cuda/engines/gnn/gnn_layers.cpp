#include "libcore/device/cuda/engines/gnn/gnn_layers.h"

#include <algorithm>

namespace frugal::cuda {
namespace {

dim3 sum_grid(std::uint32_t columns) {
  return dim3((columns + kSumColumns - 1) / kSumColumns, kSumParts);
}

}  // namespace

DeviceNorm::DeviceNorm(const std::string& name, std::uint32_t dim, const GnnParts& parts)
    : dim_(dim), gamma_(dim, parts.room), beta_(dim, parts.room) {
  gamma_.prepare_training(parts.rule_of(name), kSumParts, parts.room);
  beta_.prepare_training(parts.rule_of(name), kSumParts, parts.room);
  running_mean_ = parts.room.take<float>(dim);
  running_variance_ = parts.room.take<float>(dim);
  parts_ = parts.room.take<double>(std::uint64_t{kSumParts} * dim);
  exact_ = parts.room.take<double>(2 * std::uint64_t{dim});
  factors_ = parts.room.take<float>(6 * std::uint64_t{dim});
  gamma_.name_apart(name + ".weight", parts.arrays);
  beta_.name_apart(name + ".bias", parts.arrays);
  parts.arrays.add(name + ".running_mean", running_mean_);
  parts.arrays.add(name + ".running_var", running_variance_);
}

NormMoments DeviceNorm::moments() const {
  float* f = factors_.data();
  const std::uint64_t d = dim_;
  return {exact_.data(), exact_.data() + d, f, f + d, f + 2 * d, f + 3 * d, f + 4 * d, f + 5 * d};
}
NormWeights DeviceNorm::weights() const {
  return {gamma_.values(), beta_.values(), running_mean_.data(), running_variance_.data()};
}

void DeviceNorm::mean_of(std::uint32_t rows, const float* x, const double* mean, double* out,
                         const Stream& stream) const {
  launch(norm_sums, sum_grid(dim_), dim3(kSumColumns * kSumRows), stream, rows, x, dim_, mean,
         parts_.data());
  launch(norm_means, grid_for(dim_), dim3(kThreads), stream, rows, dim_,
         static_cast<const double*>(parts_.data()), kSumParts, out);
}

/// Two passes: a difference of large squares would lose the variance.
void DeviceNorm::forward(std::uint32_t rows, const float* x, float* y, const Stream& stream) const {
  const NormMoments m = moments();
  mean_of(rows, x, nullptr, m.mean, stream);
  mean_of(rows, x, m.mean, m.variance, stream);
  launch(norm_factors, grid_for(dim_), dim3(kThreads), stream, dim_, weights(), m);
  launch(normalize_rows, grid_for(std::uint64_t{rows} * dim_), dim3(kThreads), stream, rows, dim_,
         m, x, y);
}

void DeviceNorm::backward(std::uint32_t rows, const float* x, float* dy,
                          const Stream& stream) const {
  const NormMoments m = moments();
  launch(norm_gradients, sum_grid(dim_), dim3(kSumColumns * kSumRows), stream, rows, dim_, m, x,
         static_cast<const float*>(dy), gamma_.part(0), beta_.part(0));
  launch(norm_slopes, grid_for(dim_), dim3(kThreads), stream, rows, dim_, m, weights(),
         static_cast<const float*>(gamma_.part(0)), static_cast<const float*>(beta_.part(0)),
         kSumParts);
  launch(norm_input_gradients, grid_for(std::uint64_t{rows} * dim_), dim3(kThreads), stream, rows,
         dim_, m, x, static_cast<const float*>(dy), dy);
}

void DeviceNorm::step(const StepValues* values, StepList& list) const {
  gamma_.step(values, list);
  beta_.step(values, list);
}

DropoutRate::DropoutRate(float rate) {
  if (rate <= 0) return;
  threshold = static_cast<std::uint32_t>(std::min(static_cast<double>(rate) * 0x1p32, 0x1p32 - 1));
  scale = 1 / (1 - rate);
}

GnnLayer::GnnLayer(const GnnLayerShape& shape, std::unique_ptr<GnnConv> conv, const GnnParts& parts)
    : shape_(shape), dropout_(shape.dropout), conv_(std::move(conv)) {
  if (!shape.norm.empty()) norm_ = std::make_unique<DeviceNorm>(shape.norm, width(), parts);
  if (shape.shortcut.empty()) return;
  shortcut_ =
      std::make_unique<LayerWeights>(LayerShape{shape.in, width(), true, false}, parts.products,
                                     parts.expected.targets[shape.block], parts.room);
  shortcut_->prepare_training(parts.rule_of(shape.shortcut), parts.room);
  shortcut_->name_apart(shape.shortcut + ".weight", shape.shortcut + ".bias", parts.arrays);
}

void GnnLayer::lay_out(Workspace& room, const GnnSizes& sizes) {
  const std::uint64_t numbers = std::uint64_t{sizes.targets[shape_.block]} * width();
  conv_->lay_out(room, sizes);
  sums_ = room.take<float>(norm_ ? numbers : 0);
  outputs_ = room.take<float>(numbers);
  states_ = room.take<float>(shape_.residual ? numbers : 0);
  gradient_ = room.take<float>(numbers);
  dsums_ = shape_.residual ? room.take<float>(numbers) : gradient_;
}

void GnnLayer::forward(const GnnCall& call, std::uint64_t key) const {
  const std::uint32_t rows = call.block.targets;
  conv_->forward(call, norm_ ? sums_ : outputs_);
  if (norm_) norm_->forward(rows, sums_, outputs_, call.stream);
  if (shape_.activation == RowActivation::none) return;
  launch(activate_rows, grid_of_rows(rows), block_of_rows(), call.stream, units(call, key),
         static_cast<const float*>(outputs_), outputs_);
  if (!shape_.residual) return;
  const auto move = [&](bool adds, const float* from, std::uint32_t stride) {
    launch(move_rows, grid_of_rows(rows), block_of_rows(), call.stream, rows, width(), adds, from,
           stride, states_, width());
  };
  if (shortcut_) {
    shortcut_->forward(call.rows(), {states_, width()}, call.of_targets(), 0, call.stream);
  } else {
    move(false, call.x.data, call.x.stride);
  }
  move(true, outputs_, width());
}

void GnnLayer::backward(const GnnCall& call, std::uint64_t key, float* dx) const {
  const std::uint32_t rows = call.block.targets;
  if (shape_.activation != RowActivation::none) {
    launch(activation_gradients, grid_of_rows(rows), block_of_rows(), call.stream, units(call, key),
           static_cast<const float*>(outputs_), static_cast<const float*>(gradient_), dsums_);
  }
  if (norm_) norm_->backward(rows, sums_, dsums_, call.stream);
  conv_->backward(call, dsums_, dx);
  if (!shape_.residual) return;
  const RowsIn dstates{gradient_, width()};
  if (shortcut_) {
    // Only the first layer has a shortcut, and the gradient of features is not needed.
    return shortcut_->gradient(call.rows(), dstates, call.of_targets(), false, call.stream);
  }
  if (dx == nullptr) return;
  launch(move_rows, grid_of_rows(rows), block_of_rows(), call.stream, rows, width(), true,
         static_cast<const float*>(gradient_), width(), dx, shape_.in);
}

void GnnLayer::step(const StepValues* values, StepList& list) const {
  conv_->step(values, list);
  if (norm_) norm_->step(values, list);
  if (shortcut_) shortcut_->step(values, list);
}

namespace {

/// Makes the layers of GnnModel, in its order and with its names.
class LayerMaker {
 public:
  LayerMaker(const Settings& settings, const GnnParts& parts)
      : s_(settings),
        parts_(parts),
        kind_(settings.text("architecture")),
        features_(number("features")),
        hidden_(number("hidden")),
        outputs_(number("outputs")),
        blocks_(number("layers")),
        heads_(number("head_layers")) {}

  std::vector<GnnLayer> make() {
    if (kind_ == "sage-ri") {
      add_inception();
    } else {
      add_chain();
    }
    return std::move(layers_);
  }

 private:
  std::uint32_t number(const char* name) const {
    return static_cast<std::uint32_t>(s_.number(name));
  }

  RowActivation activation() const {
    const std::string name = s_.text("activation");
    if (name == "relu") return RowActivation::relu;
    if (name == "leaky-relu") return RowActivation::leaky_relu;
    if (name == "elu") return RowActivation::elu;
    throw Failure(FRUGAL_UNSUPPORTED, "it has no activation " + name);
  }

  void add(GnnLayerShape shape, std::unique_ptr<GnnConv> conv, const std::string& norm, bool last) {
    shape.activation = last ? RowActivation::none : activation();
    if (last || without_dropout_) shape.dropout = 0;
    if (s_.flag("batch_norm") && !last) shape.norm = norm;
    layers_.emplace_back(shape, std::move(conv), parts_);
  }

  GnnLayerShape layer_of(const GnnConvShape& conv) const {
    GnnLayerShape shape;
    shape.in = conv.in;
    shape.block = conv.block;
    shape.dropout = s_.real("dropout");
    return shape;
  }

  void add_dense(const GnnConvShape& conv, const std::string& norm, bool last,
                 bool joined = false) {
    GnnLayerShape shape = layer_of(conv);
    shape.dense = true;
    shape.reads_joined = joined;
    add(shape, make_dense_conv(conv, parts_), norm, last);
  }

  void add_chain() {
    std::uint32_t in = features_;
    for (std::uint32_t k = 0; k < blocks_; ++k) {
      const bool last = k + 1 == blocks_ && heads_ == 0;
      add_conv(k, in, last ? outputs_ : hidden_, last);
      in = layers_.back().width();
    }
    for (std::uint32_t k = 0; k < heads_; ++k) {
      const bool last = k + 1 == heads_;
      const std::string id = std::to_string(k);
      add_dense({"lins." + id, blocks_ - 1, in, last ? outputs_ : hidden_},
                kind_ == "gin" ? "" : "lin_bns." + id, last);
      in = layers_.back().width();
    }
  }

  void add_conv(std::uint32_t k, std::uint32_t in, std::uint32_t out, bool last) {
    const std::string id = std::to_string(k);
    const GnnConvShape conv{"convs." + id, k, in, out, s_.flag("bias")};
    const std::string norm = "bns." + id;
    if (kind_ == "sage") {
      const bool largest = s_.text("aggregate") == "max";
      add(layer_of(conv), make_sage_conv(conv, largest, parts_), norm, last);
    } else if (kind_ == "gcn") {
      add(layer_of(conv), make_gcn_conv(conv, parts_), norm, last);
    } else if (kind_ == "gat") {
      const std::uint32_t heads = number(last ? "output_heads" : "heads");
      add(layer_of(conv), make_gat_conv(conv, heads, !last, parts_), norm, last);
    } else if (kind_ == "gin") {
      add_gin(conv, last);
    } else {
      throw Failure(FRUGAL_UNSUPPORTED, "it has no architecture " + kind_);
    }
  }

  void add_gin(GnnConvShape conv, bool last) {
    const std::uint32_t out = conv.out;
    conv.out = hidden_;
    without_dropout_ = true;
    add(layer_of(conv), make_gin_conv(conv, s_.flag("train_epsilon"), parts_), conv.name + ".nn.1",
        false);
    without_dropout_ = heads_ > 0;
    add_dense({conv.name + ".nn.3", conv.block, hidden_, out}, "", last);
    without_dropout_ = false;
  }

  void add_inception() {
    std::uint32_t in = features_;
    for (std::uint32_t k = 0; k < blocks_; ++k) {
      const std::string id = std::to_string(k);
      const GnnConvShape conv{"convs." + id, k, in, hidden_, s_.flag("bias")};
      GnnLayerShape shape = layer_of(conv);
      shape.residual = true;
      if (in != hidden_) shape.shortcut = "res_linears." + id;
      const bool largest = s_.text("aggregate") == "max";
      add(shape, make_sage_conv(conv, largest, parts_), "bns." + id, false);
      in = hidden_;
    }
    const std::uint32_t joined = features_ + blocks_ * hidden_;
    add_dense({"mlp.lins.0", blocks_ - 1, joined, 2 * outputs_}, "", true, true);
    add_dense({"mlp.lins.1", blocks_ - 1, 2 * outputs_, outputs_}, "", true);
  }

  const Settings& s_;
  const GnnParts& parts_;
  std::string kind_;
  std::uint32_t features_, hidden_, outputs_, blocks_, heads_;
  bool without_dropout_ = false;  ///< of the layer that comes next
  std::vector<GnnLayer> layers_;
};

}  // namespace

std::vector<GnnLayer> make_gnn_layers(const Settings& settings, const GnnParts& parts) {
  return LayerMaker(settings, parts).make();
}

}  // namespace frugal::cuda
