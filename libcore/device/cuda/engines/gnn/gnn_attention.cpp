/// Graph attention on the device.
#include "libcore/device/cuda/engines/gnn/gnn_convs.h"

namespace frugal::cuda {
namespace {

/// h = x W of all sources first, whatever a block's shape: CPU and device differ in the order of
/// their sums.
class GatConv final : public GnnConv {
 public:
  GatConv(const GnnConvShape& shape, std::uint32_t heads, bool concatenates, const GnnParts& parts)
      : shape_(shape),
        heads_(heads),
        concatenates_(concatenates),
        weights_({shape.in, heads * shape.out, false, false}, parts.products,
                 parts.expected.sources[shape.block], parts.room),
        by_source_(width(), parts.room),
        by_target_(width(), parts.room),
        bias_(shape.bias ? num_outputs() : 0, parts.room) {
    weights_.prepare_training(parts.rule_of(shape.name), parts.room);
    weights_.name_apart(shape.name + ".lin.weight", "", parts.arrays);
    const auto prepare = [&](DeviceVector& vector, const char* name) {
      vector.prepare_training(parts.rule_of(shape.name), kSumParts, parts.room);
      vector.name_apart(shape.name + name, parts.arrays);
    };
    prepare(by_source_, ".att_src");
    prepare(by_target_, ".att_dst");
    if (shape.bias) prepare(bias_, ".bias");
  }
  std::uint32_t num_outputs() const override { return concatenates_ ? width() : shape_.out; }

  void lay_out(Workspace& room, const GnnSizes& sizes) override {
    const std::uint64_t targets = sizes.targets[shape_.block],
                        sources = sizes.sources[shape_.block];
    const std::uint64_t places = targets + sizes.edges[shape_.block];
    h_ = room.take<float>(sources * width());
    dh_ = room.take<float>(sources * width());
    sums_ = room.take<float>(targets * width());
    source_ = room.take<float>(sources * heads_);
    target_ = room.take<float>(targets * heads_);
    dsource_ = room.take<float>(sources * heads_);
    dtarget_ = room.take<float>(targets * heads_);
    alpha_ = room.take<float>(places * heads_);
    kept_ = room.take<float>(places * heads_);
    dlogits_ = room.take<float>(places * heads_);
    ends_ = room.take<std::uint32_t>(targets);
    neighbors_ = room.take<std::uint32_t>(places);
  }

  void forward(const GnnCall& call, float* out) override {
    const AttentionEdges edges = list(call);
    const GraphAttention a = attention(call);
    weights_.forward(call.rows(), {h_, width()}, call.of_sources(), 0, call.stream);
    launch(attention_scores, grid_of(edges.sources), block_of_rows(), call.stream, edges, a,
           by_source_.values(), by_target_.values());
    launch(graph_attention_forward, grid_of(edges.targets), block_of_rows(), call.stream, edges, a,
           sums_);
    launch(join_heads, grid_for(std::uint64_t{edges.targets} * num_outputs()), dim3(kThreads),
           call.stream, edges.targets, heads_, shape_.out, concatenates_,
           static_cast<const float*>(sums_),
           static_cast<const float*>(shape_.bias ? bias_.values() : nullptr), out);
  }

  void backward(const GnnCall& call, const float* dy, float* dx) override {
    const AttentionEdges edges = list(call);
    const GraphAttention a = attention(call);
    if (shape_.bias) {
      sum_columns(call.targets, {dy, num_outputs()}, num_outputs(), nullptr, 1, kSumParts, 0,
                  bias_.part(0), call.stream);
    }
    // The sums are read no more: their gradients take their place.
    launch(split_heads, grid_for(std::uint64_t{edges.targets} * width()), dim3(kThreads),
           call.stream, edges.targets, heads_, shape_.out, concatenates_, dy, sums_);
    const AttentionSums g{sums_, dlogits_, dtarget_, dsource_};
    launch(attention_logit_gradients, grid_of(edges.targets), block_of_rows(), call.stream, edges,
           a, g);
    const EdgesBySource by = call.sorter->sort(edges.places, edges.sources, call.stream);
    launch(attention_source_gradients, grid_of(edges.sources), block_of_rows(), call.stream, edges,
           by, a, g, by_source_.values(), by_target_.values(), dh_);
    sum_columns(call.sources, {h_, width()}, width(), dsource_, shape_.out, kSumParts, 0,
                by_source_.part(0), call.stream);
    sum_columns(call.targets, {h_, width()}, width(), dtarget_, shape_.out, kSumParts, 0,
                by_target_.part(0), call.stream);
    const RowsIn gradient{dh_, width()};
    weights_.gradient(call.rows(), gradient, call.of_sources(), false, call.stream);
    if (dx == nullptr) return;
    weights_.backward(gradient, {dx, shape_.in}, call.of_sources(), {}, call.stream);
  }

  void step(const StepValues* values, StepList& list) override {
    weights_.step(values, list);
    by_source_.step(values, list);
    by_target_.step(values, list);
    if (shape_.bias) bias_.step(values, list);
  }

 private:
  std::uint32_t width() const { return heads_ * shape_.out; }
  dim3 grid_of(std::uint32_t rows) const { return grid_of_rows(std::uint64_t{rows} * heads_); }

  /// With a target's edge to itself; both passes list them, for layers share the sorter's arrays.
  AttentionEdges list(const GnnCall& call) const {
    const MessageBlock& b = call.block;
    const AttentionEdges edges{b.targets, b.sources, b.targets + b.edges,
                               b.offsets, ends_,     neighbors_};
    launch(list_attention_edges, grid_for(b.targets), dim3(kThreads), call.stream, b, edges,
           call.sorter->keys, call.sorter->numbers, call.sorter->owners);
    return edges;
  }
  GraphAttention attention(const GnnCall& call) const {
    return {heads_, shape_.out, h_, source_, target_, alpha_, kept_, call.attention};
  }

  GnnConvShape shape_;
  std::uint32_t heads_;
  bool concatenates_;
  LayerWeights weights_;
  DeviceVector by_source_, by_target_, bias_;
  float *h_ = nullptr, *dh_ = nullptr;           ///< [sources, heads, out]
  float* sums_ = nullptr;                        ///< [targets, heads, out]; then their gradients
  float *source_ = nullptr, *target_ = nullptr;  ///< [sources, heads], [targets, heads]
  float *dsource_ = nullptr, *dtarget_ = nullptr;
  float *alpha_ = nullptr, *kept_ = nullptr, *dlogits_ = nullptr;  ///< [places, heads]
  std::uint32_t *ends_ = nullptr, *neighbors_ = nullptr;
};

}  // namespace

std::unique_ptr<GnnConv> make_gat_conv(const GnnConvShape& shape, std::uint32_t heads,
                                       bool concatenates, const GnnParts& parts) {
  return std::make_unique<GatConv>(shape, heads, concatenates, parts);
}

}  // namespace frugal::cuda
