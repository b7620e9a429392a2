#include "libcore/device/cuda/engines/tgn/tgn_layers.h"

namespace frugal::cuda {

void gather_own_rows(const TgnLayerCall& call, std::uint32_t dim, const RowsOut& own,
                     const ConstantRow& constant) {
  const RowRange rows = call.queries();
  launch(gather_own, grid_of_blocks(rows.most), block_of_rows(), call.step.stream, rows.end,
         call.plan().queries, call.below, dim, own.data, own.stride, constant);
}

NeighborRows neighbors_of(const TgnLayerCall& call, const TgnShape& shape, const float* times) {
  return {call.queries().end,
          call.plan().offsets,
          call.plan().neighbors,
          call.below,
          shape.dim,
          call.step.edges,
          times,
          shape.time_dim};
}

void add_to_below(const TgnLayerCall& call, std::uint32_t dim, const NeighborGradients& neighbors,
                  const RowsIn& of_queries, float* dbelow) {
  const PlanArrays::Layer& plan = call.plan();
  const std::uint32_t most = call.step.room.below[call.layer];
  const std::uint32_t times = neighbors.dtimes == nullptr ? 0 : call.neighbors().most;
  launch(
      gradients_below, grid_of_blocks(most + grid_of_rows(times).x), block_of_rows(),
      call.step.stream,
      GradientLists{call.step.plan.counts->below + call.layer, call.neighbors().end,
                    plan.gradients_begin, plan.gradients_from, of_queries.data, of_queries.stride,
                    dim, most, call.layer == 0 ? 0 : zero_rows(call.step.queries(call.layer - 1))},
      neighbors.neighbors, neighbors.rows, neighbors.gradients, dbelow, neighbors.dtimes);
}

namespace {

/// A node's own row, or that projected in time (JODIE).
class MemoryLayer final : public TgnLayer {
 public:
  MemoryLayer(const TgnParts& parts, bool projects) : dim_(parts.shape.dim), projects_(projects) {
    if (!projects) return;
    projection_.push_back(parts.layer("embedding.time", {1, dim_, true, false}, parts.products,
                                      3 * parts.shape.batch_size));
  }

  void lay_out(Workspace& room, const PlanSizes& sizes) override {
    if (!projects_) return;
    const std::uint64_t numbers = std::uint64_t{sizes.queries[0]} * dim_;
    own_ = room.take<float>(numbers);
    factors_ = room.take<float>(numbers);
    dfactors_ = room.take<float>(numbers);
  }
  void forward(const TgnLayerCall& call, float* out) override {
    gather_own_rows(call, dim_, {projects_ ? own_ : out, dim_});
    if (!projects_) return;
    const RowRange rows = call.queries();
    projection_[0].forward({call.plan().since, 1}, {factors_, dim_}, rows, 0, call.step.stream);
    launch(project, grid(rows), dim3(kThreads), call.step.stream, rows.end, dim_,
           static_cast<const float*>(own_), static_cast<const float*>(factors_), out);
  }
  void backward(const TgnLayerCall& call, float* dout, float* dbelow) override {
    if (projects_) {
      const RowRange rows = call.queries();
      launch(project_backward, grid(rows), dim3(kThreads), call.step.stream, rows.end, dim_,
             static_cast<const float*>(own_), static_cast<const float*>(factors_), dout, dfactors_);
      projection_[0].gradient({call.plan().since, 1}, {dfactors_, dim_},
                              call.queries(&call.step.late->products), false, call.step.stream);
    }
    add_to_below(call, dim_, {}, {dout, dim_}, dbelow);
  }
  void take_step(const StepValues* values, StepList& list) const override {
    for (const LayerWeights& layer : projection_) layer.step(values, list);
  }

 private:
  dim3 grid(const RowRange& rows) const { return grid_for(std::uint64_t{rows.most} * dim_); }

  std::uint32_t dim_;
  bool projects_;
  std::vector<LayerWeights> projection_;  ///< none or one
  float *own_ = nullptr, *factors_ = nullptr, *dfactors_ = nullptr;
};

/// The sum of the neighbours (tgn-train's sum_layer.h).
class SumLayer final : public TgnLayer {
 public:
  SumLayer(const TgnParts& parts, std::uint32_t layer)
      : shape_(parts.shape),
        width_(shape_.dim + shape_.edge_dim + shape_.time_dim),
        merged_dim_(2 * shape_.dim + shape_.time_dim),
        // The number of neighbours is what the bias is multiplied with.
        first_(parts.layer("embedding_module.linear_1." + std::to_string(layer),
                           {width_ + 1, shape_.dim, false, true}, parts.products,
                           3 * shape_.batch_size)),
        second_(parts.layer("embedding_module.linear_2." + std::to_string(layer),
                            {merged_dim_, shape_.dim, true, false}, parts.products,
                            3 * shape_.batch_size)),
        layer_(layer) {}

  void lay_out(Workspace& room, const PlanSizes& sizes) override {
    const std::uint64_t n = sizes.queries[layer_], e = sizes.neighbors[layer_];
    times_ = room.take<float>(e * shape_.time_dim);
    dtimes_ = room.take<float>(e * shape_.time_dim);
    kept_ = room.take<float>(e);
    owner_ = room.take<std::uint32_t>(e);
    sums_ = room.take<float>(n * (width_ + 1));
    dsums_ = room.take<float>(n * (width_ + 1));
    merged_ = room.take<float>(n * merged_dim_);
    dmerged_ = room.take<float>(n * merged_dim_);
    now_ = room.take<float>(shape_.time_dim);
  }

  void begin(const TgnLayerCall& call, StepBeginning& beginning) const override {
    const TimeWeights time = call.time.weights();
    const RowRange neighbors = call.neighbors();
    beginning.add({time, neighbors.end, call.plan().dt, nullptr, 0, times_}, neighbors.most);
    beginning.add({time, nullptr, nullptr, nullptr, 0, now_}, 1);
  }

  void forward(const TgnLayerCall& call, float* out) override {
    const RowRange rows = call.queries();
    const cudaStream_t stream = call.step.stream;
    launch(neighbor_sums, grid_of_blocks(rows.most), block_of_rows(), stream,
           neighbors_of(call, shape_, times_), heads());
    first_.forward(sums(), merged(0), rows, 0, stream);
    gather_own_rows(call, shape_.dim, merged(shape_.dim),
                    {now_, shape_.time_dim, merged_ + 2 * shape_.dim, merged_dim_});
    second_.forward(merged(0), {out, shape_.dim}, rows, 0, stream);
  }

  void backward(const TgnLayerCall& call, float* dout, float* dbelow) override {
    const RowRange rows = call.queries();
    const RowRange later = call.queries(&call.step.late->products);
    const cudaStream_t stream = call.step.stream;
    second_.gradient(merged(0), {dout, shape_.dim}, later, false, stream);
    second_.backward({dout, shape_.dim}, {dmerged_, merged_dim_}, rows, {}, stream);
    launch(mask_columns, grid_of_rows(rows.most), block_of_rows(), stream, rows.end, shape_.dim,
           merged_dim_, static_cast<const float*>(merged_), dmerged_);
    const RowsIn dfirst{dmerged_, merged_dim_};
    first_.gradient(sums(), dfirst, later, false, stream);
    first_.backward(dfirst, {dsums_, width_ + 1}, rows, {}, stream);
    const std::uint32_t source = kTimeSourcesOfLayer * layer_;
    call.time.add_gradient(source, call.plan().dt, call.neighbors().end, {dtimes_, shape_.time_dim},
                           nullptr, *call.step.late);
    call.time.add_gradient(source + 1, nullptr, rows.end, {dmerged_ + 2 * shape_.dim, merged_dim_},
                           nullptr, *call.step.late);
    add_to_below(call, shape_.dim,
                 {neighbors_of(call, shape_, times_), heads(),
                  AttentionGradients{dsums_, width_ + 1, nullptr, nullptr, nullptr}, dtimes_},
                 {dmerged_ + shape_.dim, merged_dim_}, dbelow);
  }
  void take_step(const StepValues* values, StepList& list) const override {
    first_.step(values, list);
    second_.step(values, list);
  }

 private:
  RowsIn sums() const { return {sums_, width_ + 1}; }
  RowsOut merged(std::uint32_t column) const { return {merged_ + column, merged_dim_}; }
  AttentionRows heads() const {
    return {1, 1, nullptr, nullptr, kept_, owner_, sums_, nullptr, nullptr, 0, nullptr};
  }

  const TgnShape shape_;
  std::uint32_t width_, merged_dim_;
  LayerWeights first_, second_;
  std::uint32_t layer_;
  float *times_ = nullptr, *dtimes_ = nullptr, *kept_ = nullptr;
  std::uint32_t* owner_ = nullptr;
  float *sums_ = nullptr, *dsums_ = nullptr, *merged_ = nullptr, *dmerged_ = nullptr;
  float* now_ = nullptr;
};

}  // namespace

std::unique_ptr<TgnLayer> make_tgn_layer(const std::string& embedding, const TgnParts& parts,
                                         std::uint32_t layer) {
  if (embedding == "identity") return std::make_unique<MemoryLayer>(parts, false);
  if (embedding == "time") return std::make_unique<MemoryLayer>(parts, true);
  if (embedding == "sum") return std::make_unique<SumLayer>(parts, layer);
  if (embedding == "attention") return make_attention_layer(parts, layer);
  if (embedding == "transformer") return make_transformer_layer(parts);
  throw Failure(FRUGAL_UNSUPPORTED, "it has no embedding " + embedding);
}

}  // namespace frugal::cuda
