#include "libcore/device/cuda/engines/gnn/gnn_convs.h"

#include "libcore/device/cuda/sort_pages.h"

namespace frugal::cuda {

void EdgeSorter::lay_out(Workspace& room, std::uint64_t edges, std::uint64_t sources) {
  keys = room.take<std::uint32_t>(edges);
  numbers = room.take<std::uint32_t>(edges);
  owners = room.take<std::uint32_t>(edges);
  sorted_keys_ = room.take<std::uint32_t>(edges);
  sorted_ = room.take<std::uint32_t>(edges);
  offsets_ = room.take<std::uint32_t>(sources + 1);
  room_bytes_ = sort_room(edges);
  room_ = room.take<char>(room_bytes_);
}

EdgesBySource EdgeSorter::sort(std::uint32_t edges, std::uint32_t sources,
                               const Stream& stream) const {
  if (edges != 0) {
    sort_pairs({keys, numbers, sorted_keys_, sorted_, edges, key_bits(sources)}, room_, room_bytes_,
               stream);
  }
  launch(source_offsets, grid_for(std::uint64_t{sources} + 1), dim3(kThreads), stream,
         static_cast<const std::uint32_t*>(sorted_keys_), edges, sources, offsets_);
  return {offsets_, sorted_, owners};
}

namespace {

EdgesBySource by_source(const GnnCall& call) {
  const EdgeSorter& sorter = *call.sorter;
  launch(list_edges, grid_of_rows(call.block.targets), block_of_rows(), call.stream, call.block,
         sorter.keys, sorter.numbers, sorter.owners);
  return sorter.sort(call.block.edges, call.block.sources, call.stream);
}

LayerWeights make_weights(const GnnConvShape& shape, std::uint32_t in, std::uint32_t rows,
                          const std::string& weight, const std::string& bias,
                          const GnnParts& parts) {
  LayerWeights weights({in, shape.out, shape.bias, false}, parts.products, rows, parts.room);
  weights.prepare_training(parts.rule_of(shape.name), parts.room);
  weights.name_apart(shape.name + weight, shape.name + bias, parts.arrays);
  return weights;
}

class DenseConv final : public GnnConv {
 public:
  DenseConv(const GnnConvShape& shape, const GnnParts& parts)
      : weights_(make_weights(shape, shape.in, parts.expected.targets[shape.block], ".weight",
                              ".bias", parts)) {}
  std::uint32_t num_outputs() const override { return weights_.shape().out; }
  void lay_out(Workspace&, const GnnSizes&) override {}
  void forward(const GnnCall& call, float* out) override {
    weights_.forward(call.rows(), {out, num_outputs()}, call.of_targets(), 0, call.stream);
  }
  void backward(const GnnCall& call, const float* dy, float* dx) override {
    const RowsIn gradient{dy, num_outputs()};
    weights_.gradient(call.rows(), gradient, call.of_targets(), false, call.stream);
    if (dx == nullptr) return;
    weights_.backward(gradient, {dx, weights_.shape().in}, call.of_targets(), {}, call.stream);
  }
  void step(const StepValues* values, StepList& list) override { weights_.step(values, list); }

 private:
  LayerWeights weights_;
};

class SageConv final : public GnnConv {
 public:
  SageConv(const GnnConvShape& shape, bool largest, const GnnParts& parts)
      : shape_(shape),
        takes_largest_(largest),
        weights_(make_weights(shape, 2 * shape.in, parts.expected.targets[shape.block],
                              ".lin_l.weight", ".lin_l.bias", parts)) {}
  std::uint32_t num_outputs() const override { return shape_.out; }
  void lay_out(Workspace& room, const GnnSizes& sizes) override {
    const std::uint64_t targets = sizes.targets[shape_.block];
    inputs_ = room.take<float>(targets * 2 * shape_.in);
    gradients_ = room.take<float>(targets * 2 * shape_.in);
    largest_ = room.take<std::uint32_t>(takes_largest_ ? targets * shape_.in : 0);
  }
  void forward(const GnnCall& call, float* out) override {
    const dim3 grid = grid_of_rows(call.block.targets);
    if (takes_largest_) {
      launch(largest_inputs, grid, block_of_rows(), call.stream, call.block, call.x, inputs_,
             largest_);
    } else {
      launch(mean_inputs, grid, block_of_rows(), call.stream, call.block, call.x, inputs_);
    }
    weights_.forward({inputs_, 2 * shape_.in}, {out, shape_.out}, call.of_targets(), 0,
                     call.stream);
  }
  void backward(const GnnCall& call, const float* dy, float* dx) override {
    const RowsIn gradient{dy, shape_.out};
    weights_.gradient({inputs_, 2 * shape_.in}, gradient, call.of_targets(), false, call.stream);
    if (dx == nullptr) return;
    weights_.backward(gradient, {gradients_, 2 * shape_.in}, call.of_targets(), {}, call.stream);
    const EdgesBySource by = by_source(call);
    launch(pair_input_gradients, grid_of_rows(call.block.sources), block_of_rows(), call.stream,
           call.block, by, static_cast<const float*>(gradients_), shape_.in,
           static_cast<const std::uint32_t*>(takes_largest_ ? largest_ : nullptr), dx);
  }
  void step(const StepValues* values, StepList& list) override { weights_.step(values, list); }

 private:
  GnnConvShape shape_;
  bool takes_largest_;
  LayerWeights weights_;
  float *inputs_ = nullptr, *gradients_ = nullptr;  ///< [targets, 2 in]
  std::uint32_t* largest_ = nullptr;                ///< [targets, in]
};

/// Graph convolution, or the sum of a graph isomorphism network.
class SumConv final : public GnnConv {
 public:
  /// epsilon: of such a network, trained or not.
  SumConv(const GnnConvShape& shape, bool isomorphism, bool train_epsilon, const GnnParts& parts)
      : shape_(shape),
        isomorphism_(isomorphism),
        train_epsilon_(train_epsilon),
        epsilon_(isomorphism ? 1 : 0, parts.room),
        weights_(make_weights(shape, shape.in, parts.expected.targets[shape.block],
                              isomorphism ? ".nn.0.weight" : ".lin.weight",
                              isomorphism ? ".nn.0.bias" : ".bias", parts)) {
    if (train_epsilon) epsilon_.prepare_training(parts.rule_of(shape.name), kSumParts, parts.room);
    if (isomorphism) epsilon_.name_apart(shape.name + ".eps", parts.arrays);
  }
  std::uint32_t num_outputs() const override { return shape_.out; }
  void lay_out(Workspace& room, const GnnSizes& sizes) override {
    const std::uint64_t targets = sizes.targets[shape_.block];
    sums_ = room.take<float>(targets * shape_.in);
    gradients_ = room.take<float>(targets * shape_.in);
    factors_.own = room.take<float>(targets);
    products_ = room.take<float>(train_epsilon_ ? targets : 0);
    if (isomorphism_) return;
    factors_.target = room.take<float>(targets);
    factors_.source = room.take<float>(sizes.sources[shape_.block]);
  }
  void forward(const GnnCall& call, float* out) override {
    if (isomorphism_) {
      launch(isomorphism_factors, grid_for(call.block.targets), dim3(kThreads), call.stream,
             call.block.targets, epsilon_.values(), factors_.own);
    } else {
      launch(symmetric_factors, grid_for(call.block.sources), dim3(kThreads), call.stream,
             call.block, call.degrees, factors_);
    }
    launch(sum_inputs, grid_of_rows(call.block.targets), block_of_rows(), call.stream, call.block,
           call.x, factors_, sums_);
    weights_.forward({sums_, shape_.in}, {out, shape_.out}, call.of_targets(), 0, call.stream);
  }
  void backward(const GnnCall& call, const float* dy, float* dx) override {
    const RowsIn gradient{dy, shape_.out};
    weights_.gradient({sums_, shape_.in}, gradient, call.of_targets(), false, call.stream);
    if (dx == nullptr && !train_epsilon_) return;
    weights_.backward(gradient, {gradients_, shape_.in}, call.of_targets(), {}, call.stream);
    if (train_epsilon_) {
      launch(row_products, grid_of_rows(call.block.targets), block_of_rows(), call.stream,
             call.block.targets, call.x, static_cast<const float*>(gradients_), products_);
      sum_columns(call.targets, {products_, 1}, 1, nullptr, 1, kSumParts, 0, epsilon_.part(0),
                  call.stream);
    }
    if (dx == nullptr) return;
    const EdgesBySource by = by_source(call);
    launch(sum_input_gradients, grid_of_rows(call.block.sources), block_of_rows(), call.stream,
           call.block, by, factors_, static_cast<const float*>(gradients_), shape_.in, dx);
  }
  void step(const StepValues* values, StepList& list) override {
    weights_.step(values, list);
    if (train_epsilon_) epsilon_.step(values, list);
  }

 private:
  GnnConvShape shape_;
  bool isomorphism_, train_epsilon_;
  DeviceVector epsilon_;
  LayerWeights weights_;
  SumFactors factors_{};
  float *sums_ = nullptr, *gradients_ = nullptr;  ///< [targets, in]
  float* products_ = nullptr;                     ///< [targets]
};

}  // namespace

std::unique_ptr<GnnConv> make_dense_conv(const GnnConvShape& shape, const GnnParts& parts) {
  return std::make_unique<DenseConv>(shape, parts);
}
std::unique_ptr<GnnConv> make_sage_conv(const GnnConvShape& shape, bool largest,
                                        const GnnParts& parts) {
  return std::make_unique<SageConv>(shape, largest, parts);
}
std::unique_ptr<GnnConv> make_gcn_conv(const GnnConvShape& shape, const GnnParts& parts) {
  return std::make_unique<SumConv>(shape, false, false, parts);
}
std::unique_ptr<GnnConv> make_gin_conv(const GnnConvShape& shape, bool train_epsilon,
                                       const GnnParts& parts) {
  return std::make_unique<SumConv>(shape, true, train_epsilon, parts);
}

}  // namespace frugal::cuda
