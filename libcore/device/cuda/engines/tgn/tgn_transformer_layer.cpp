/// Attention as PyTorch Geometric's TransformerConv on the device: see
/// tgn-train's transformer_layer.h, whose products these are.
#include "libcore/device/cuda/engines/tgn/tgn_heads.h"

namespace frugal::cuda {
namespace {

class TransformerLayer final : public TgnLayer {
 public:
  explicit TransformerLayer(const TgnParts& parts)
      : shape_(parts.shape),
        time_(shape_.time_dim, parts.room),
        heads_(shape_, shape_.dim / shape_.heads, 0),
        query_(make(parts, "query", {shape_.dim, shape_.dim, true, false})),
        skip_(make(parts, "skip", {shape_.dim, shape_.dim, true, false})),
        value_bias_(shape_.dim, parts.room) {
    const std::uint32_t head_dim = heads_.head_dim(), edge = heads_.width() - shape_.dim;
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      const std::string head = "." + std::to_string(h);
      keys_.push_back(make(parts, "key" + head, {head_dim, shape_.dim, false, false}));
      values_.push_back(make(parts, "value" + head, {shape_.dim, head_dim, false, false}));
      edges_.push_back(make(parts, "edge" + head, {edge, head_dim, false, false}));
    }
    if (parts.rule != nullptr) {
      value_bias_.prepare_training(*parts.rule, kLateParts, parts.room);
      time_.prepare_training(*parts.rule, 1, shape_.train_time, parts.room);
    }
    value_bias_.name("gnn.conv.value_bias", parts.arrays);
    time_.name("gnn.time_enc.lin", parts.arrays);
  }

  void lay_out(Workspace& room, const PlanSizes& sizes) override {
    heads_.lay_out(room, sizes);
    for (float** rows : {&own_, &queries_, &dqueries_, &down_}) {
      *rows = room.take<float>(std::uint64_t{sizes.queries[0]} * shape_.dim);
    }
  }

  void begin(const TgnLayerCall& call, StepBeginning& beginning) const override {
    heads_.begin(call, time_, beginning);
  }

  void forward(const TgnLayerCall& call, float* out) override {
    const cudaStream_t stream = call.step.stream;
    ProductGroup group(stream), further(stream);
    const RowRange rows = call.queries(&group);
    gather_own_rows(call, shape_.dim, all(own_));
    query_.forward(all(own_), all(queries_), call.queries(), 0, stream);
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      keys_[h].forward(head(queries_, h), heads_.projected(h), rows, 0, stream);
      edges_[h].backward(head(queries_, h), heads_.projected(h, shape_.dim), rows, {}, stream);
    }
    group.run();
    heads_.attend(call, value_bias_, out);
    skip_.forward(all(own_), all(out), call.queries(), 1, stream);
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      values_[h].forward(heads_.sums(h), head(out, h), rows, 1, stream);
      edges_[h].forward(heads_.sums(h, shape_.dim), head(out, h), call.queries(&further), 1,
                        stream);
    }
    group.run();
    further.run();
  }

  void backward(const TgnLayerCall& call, float* dout, float* dbelow) override {
    const cudaStream_t stream = call.step.stream;
    ProductGroup group(stream), further(stream);
    const RowRange rows = call.queries(&group), later = call.queries(&call.step.late->products);
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      const RowsIn dy = head(dout, h);
      values_[h].backward(dy, heads_.dsums(h), rows, {}, stream);
      edges_[h].backward(dy, heads_.dsums(h, shape_.dim), rows, {}, stream);
      values_[h].gradient(heads_.sums(h), dy, later, false, stream);
      edges_[h].gradient(heads_.sums(h, shape_.dim), dy, rows, false, stream);
    }
    group.run();
    heads_.attend_backward(call, value_bias_, dout, time_, 0);
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      const RowsOut dquery = head(dqueries_, h);
      keys_[h].backward(heads_.dprojected(h), dquery, rows, {}, stream);
      edges_[h].forward(heads_.dprojected(h, shape_.dim), dquery, call.queries(&further), 1,
                        stream);
      keys_[h].gradient(head(queries_, h), heads_.dprojected(h), later, false, stream);
      // The edges' weights are in keys and in values.
      edges_[h].gradient(heads_.dprojected(h, shape_.dim), head(queries_, h), later, true, stream);
    }
    skip_.backward(all(dout), all(down_), rows, {}, stream);
    group.run();
    further.run();
    query_.backward(all(dqueries_), all(down_), call.queries(), {1, nullptr}, stream);
    skip_.gradient(all(own_), all(dout), later, false, stream);
    query_.gradient(all(own_), all(dqueries_), later, false, stream);
    add_to_below(call, shape_.dim, heads_.neighbor_gradients(call, value_bias_), all(down_),
                 dbelow);
  }

  void take_step(const StepValues* values, StepList& list) const override {
    for (const LayerWeights* layer : {&query_, &skip_}) layer->step(values, list);
    for (const auto* layers : {&keys_, &values_, &edges_}) {
      for (const LayerWeights& layer : *layers) layer.step(values, list);
    }
    value_bias_.step(values, list);
    time_.step(values, list);
  }

 private:
  LayerWeights make(const TgnParts& parts, const std::string& name, const LayerShape& shape) const {
    return parts.layer("gnn.conv." + name, shape, parts.products, 3 * shape_.batch_size);
  }
  RowsOut all(float* rows) const { return {rows, shape_.dim}; }
  RowsOut head(float* rows, std::uint32_t h) const {
    return {rows + h * heads_.head_dim(), shape_.dim};
  }

  const TgnShape shape_;
  DeviceTime time_;
  TgnHeads heads_;
  LayerWeights query_, skip_;
  DeviceVector value_bias_;
  std::vector<LayerWeights> keys_, values_, edges_;  ///< of each head
  float *own_ = nullptr, *queries_ = nullptr, *dqueries_ = nullptr, *down_ = nullptr;
};

}  // namespace

std::unique_ptr<TgnLayer> make_transformer_layer(const TgnParts& parts) {
  return std::make_unique<TransformerLayer>(parts);
}

}  // namespace frugal::cuda
