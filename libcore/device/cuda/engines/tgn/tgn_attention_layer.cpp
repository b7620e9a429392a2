/// Temporal graph attention on the device: see tgn-train's attention_layer.h, whose
/// products these are.
#include "libcore/device/cuda/engines/tgn/tgn_heads.h"

namespace frugal::cuda {
namespace {

class AttentionLayer final : public TgnLayer {
 public:
  AttentionLayer(const TgnParts& parts, std::uint32_t layer)
      : shape_(parts.shape),
        layer_(layer),
        query_dim_(shape_.dim + shape_.time_dim),
        heads_(shape_, query_dim_ / shape_.heads, layer),
        query_(make(parts, "query", {shape_.dim, query_dim_, true, false})),
        query_time_(make(parts, "query_time", {shape_.time_dim, query_dim_, false, false})),
        output_(make(parts, "output", {query_dim_, query_dim_, true, false})),
        // ReLU follows the sum of the first two; that of the own rows is made first.
        merge_first_(make(parts, "merger.fc1", {query_dim_, shape_.dim, true, true})),
        merge_own_(make(parts, "merger.own", {shape_.dim, shape_.dim, false, false})),
        merge_second_(make(parts, "merger.fc2", {shape_.dim, shape_.dim, true, false})),
        value_bias_(query_dim_, parts.room) {
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      const std::string head = "." + std::to_string(h);
      const std::uint32_t in = heads_.head_dim(), width = heads_.width();
      keys_.push_back(make(parts, "key" + head, {in, width, false, false}));
      values_.push_back(make(parts, "value" + head, {width, in, false, false}));
    }
    if (parts.rule != nullptr) value_bias_.prepare_training(*parts.rule, kLateParts, parts.room);
    value_bias_.name(prefix(layer) + "value_bias", parts.arrays);
  }

  void lay_out(Workspace& room, const PlanSizes& sizes) override {
    const std::uint64_t n = sizes.queries[layer_];
    heads_.lay_out(room, sizes);
    for (float** wide : {&queries_, &value_rows_, &attended_, &dqueries_, &dvalues_, &dattended_}) {
      *wide = room.take<float>(n * query_dim_);
    }
    for (float** narrow : {&own_, &hidden_, &dhidden_, &down_}) {
      *narrow = room.take<float>(n * shape_.dim);
    }
    dnow_ = room.take<float>(n * shape_.time_dim);
    now_ = room.take<float>(shape_.time_dim);
    now_query_ = room.take<float>(query_dim_);
  }

  void begin(const TgnLayerCall& call, StepBeginning& beginning) const override {
    heads_.begin(call, call.time, beginning);
    const TimeWeights time = call.time.weights();
    beginning.add({time, nullptr, nullptr, nullptr, 0, now_}, 1);
    beginning.add({time, nullptr, nullptr, query_time_.weights(), query_dim_, now_query_}, 1);
  }

  void forward(const TgnLayerCall& call, float* out) override {
    const cudaStream_t stream = call.step.stream;
    ProductGroup group(stream);
    const RowRange rows = call.queries(&group);
    gather_own_rows(call, shape_.dim, own(), {now_query_, query_dim_, queries_, query_dim_});
    query_.forward(own(), wide(queries_), rows, 1, stream);
    merge_own_.forward(own(), narrow(hidden_), rows, 0, stream);
    group.run();
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      keys_[h].forward(head(queries_, h), heads_.projected(h), rows, 0, stream);
    }
    group.run();
    heads_.attend(call, value_bias_, value_rows_);
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      values_[h].forward(heads_.sums(h), head(value_rows_, h), rows, 1, stream);
    }
    group.run();
    output_.forward(wide(value_rows_), wide(attended_), sociable(call), 0, stream);
    merge_first_.forward(wide(attended_), narrow(hidden_), call.queries(), 1, stream);
    merge_second_.forward(narrow(hidden_), {out, shape_.dim}, call.queries(), 0, stream);
  }

  void backward(const TgnLayerCall& call, float* dout, float* dbelow) override {
    const cudaStream_t stream = call.step.stream;
    LateGradients& late = *call.step.late;
    ProductGroup group(stream);
    const RowRange rows = call.queries(&group), later = call.queries(&late.products);
    merge_backward(call, {dout, shape_.dim});
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      values_[h].backward(head(dvalues_, h), heads_.dsums(h), rows, {}, stream);
      values_[h].gradient(heads_.sums(h), head(dvalues_, h), later, false, stream);
    }
    group.run();
    const std::uint32_t source = kTimeSourcesOfLayer * layer_;
    heads_.attend_backward(call, value_bias_, dvalues_, call.time, source);
    for (std::uint32_t h = 0; h < heads_.count(); ++h) {
      keys_[h].backward(heads_.dprojected(h), head(dqueries_, h), rows, {}, stream);
      keys_[h].gradient(head(queries_, h), heads_.dprojected(h), later, false, stream);
    }
    group.run();
    query_.gradient(own(), wide(dqueries_), later, false, stream);
    query_.backward(wide(dqueries_), narrow(down_), rows, {1, nullptr}, stream);
    // The encoding of now is in all queries.
    RowRange in_tiles = later;
    in_tiles.library = nullptr;  // which knows no matrix of equal rows
    query_time_.gradient({now_, 0}, wide(dqueries_), in_tiles, false, stream);
    query_time_.backward(wide(dqueries_), {dnow_, shape_.time_dim}, rows, {}, stream);
    group.run();
    call.time.add_gradient(source + 1, nullptr, rows.end, {dnow_, shape_.time_dim}, nullptr, late);
    add_to_below(call, shape_.dim, heads_.neighbor_gradients(call, value_bias_), narrow(down_),
                 dbelow);
  }

  void take_step(const StepValues* values, StepList& list) const override {
    for (const LayerWeights* layer :
         {&query_, &query_time_, &output_, &merge_first_, &merge_own_, &merge_second_}) {
      layer->step(values, list);
    }
    for (const LayerWeights& layer : keys_) layer.step(values, list);
    for (const LayerWeights& layer : values_) layer.step(values, list);
    value_bias_.step(values, list);
  }

 private:
  static std::string prefix(std::uint32_t layer) {
    return "embedding_module.attention_models." + std::to_string(layer) + ".";
  }
  LayerWeights make(const TgnParts& parts, const std::string& name, const LayerShape& shape) const {
    return parts.layer(prefix(layer_) + name, shape, parts.products, 3 * shape_.batch_size);
  }
  RowsOut wide(float* rows) const { return {rows, query_dim_}; }
  RowsOut narrow(float* rows) const { return {rows, shape_.dim}; }
  RowsOut own() const { return narrow(own_); }
  RowsOut head(float* rows, std::uint32_t h) const {
    return {rows + h * heads_.head_dim(), query_dim_};
  }
  /// The attended rows: zero for queries without neighbours.
  static RowRange sociable(const TgnLayerCall& call, ProductGroup* group = nullptr) {
    RowRange rows = call.queries(group);
    rows.lists = call.plan().offsets;
    return rows;
  }

  void merge_backward(const TgnLayerCall& call, const RowsIn& dout) {
    const cudaStream_t stream = call.step.stream;
    ProductGroup group(stream);
    const RowRange rows = call.queries(), later = call.queries(&call.step.late->products);
    merge_second_.gradient(narrow(hidden_), dout, later, false, stream);
    merge_second_.backward(dout, narrow(dhidden_), rows, {0, hidden_}, stream);
    merge_first_.gradient(wide(attended_), narrow(dhidden_), later, false, stream);
    merge_own_.gradient(own(), narrow(dhidden_), later, false, stream);
    merge_first_.backward(narrow(dhidden_), wide(dattended_), sociable(call, &group), {}, stream);
    merge_own_.backward(narrow(dhidden_), narrow(down_), call.queries(&group), {}, stream);
    group.run();
    output_.gradient(wide(value_rows_), wide(dattended_), later, false, stream);
    output_.backward(wide(dattended_), wide(dvalues_), rows, {}, stream);
  }

  const TgnShape shape_;
  std::uint32_t layer_, query_dim_;
  TgnHeads heads_;
  LayerWeights query_, query_time_, output_, merge_first_, merge_own_, merge_second_;
  std::vector<LayerWeights> keys_, values_;  ///< of each head
  DeviceVector value_bias_;
  float *queries_ = nullptr, *value_rows_ = nullptr, *attended_ = nullptr;
  float *dqueries_ = nullptr, *dvalues_ = nullptr, *dattended_ = nullptr;
  float *own_ = nullptr, *hidden_ = nullptr, *dhidden_ = nullptr, *down_ = nullptr;
  float *now_ = nullptr, *dnow_ = nullptr, *now_query_ = nullptr;
};

}  // namespace

std::unique_ptr<TgnLayer> make_attention_layer(const TgnParts& parts, std::uint32_t layer) {
  return std::make_unique<AttentionLayer>(parts, layer);
}

}  // namespace frugal::cuda
