#pragma once
/// The heads of an attention over neighbours (tgn-train's attention_heads.h).
#include <cmath>

#include "libcore/device/cuda/engines/tgn/tgn_layers.h"

namespace frugal::cuda {

class TgnHeads {
 public:
  TgnHeads(const TgnShape& shape, std::uint32_t head_dim, std::uint32_t layer)
      : shape_(shape), head_dim_(head_dim), layer_(layer) {}

  std::uint32_t count() const { return shape_.heads; }
  std::uint32_t head_dim() const { return head_dim_; }
  std::uint32_t width() const { return shape_.dim + shape_.edge_dim + shape_.time_dim; }

  void lay_out(Workspace& room, const PlanSizes& sizes) {
    const std::uint64_t n = std::uint64_t{sizes.queries[layer_]} * count();
    const std::uint64_t e = sizes.neighbors[layer_];
    times_ = room.take<float>(e * shape_.time_dim);
    dtimes_ = room.take<float>(e * shape_.time_dim);
    weights_ = room.take<float>(e * count());
    kept_ = room.take<float>(e * count());
    dscores_ = room.take<float>(e * count());
    owner_ = room.take<std::uint32_t>(e);
    weight_sums_ = room.take<float>(n);
    projected_ = room.take<float>(n * width());
    sums_ = room.take<float>(n * width());
    dprojected_ = room.take<float>(n * width());
    dsums_ = room.take<float>(n * width());
  }

  /// Columns of head h, from `column` on.
  RowsOut projected(std::uint32_t h, std::uint32_t column = 0) const {
    return part(projected_, h, column);
  }
  RowsOut sums(std::uint32_t h, std::uint32_t column = 0) const { return part(sums_, h, column); }
  RowsOut dprojected(std::uint32_t h, std::uint32_t column = 0) const {
    return part(dprojected_, h, column);
  }
  RowsOut dsums(std::uint32_t h, std::uint32_t column = 0) const { return part(dsums_, h, column); }

  void begin(const TgnLayerCall& call, const DeviceTime& time, StepBeginning& beginning) const {
    const RowRange neighbors = call.neighbors();
    beginning.add({time.weights(), neighbors.end, call.plan().dt, nullptr, 0, times_},
                  neighbors.most);
  }
  /// Computes sums() from projected(), and values [queries, heads, head_dim] = bias times the sums
  /// of the weights.
  void attend(const TgnLayerCall& call, const DeviceVector& bias, float* values) {
    launch(attention_forward, grid(call), block_of_rows(), call.step.stream,
           neighbors_of(call, shape_, times_), rows(bias, values), keep(call));
  }
  /// Computes dprojected() and the gradients of bias and times, from dsums() and dvalues.
  void attend_backward(const TgnLayerCall& call, const DeviceVector& bias, const float* dvalues,
                       const DeviceTime& time, std::uint32_t source) {
    launch(attention_backward, grid(call), block_of_rows(), call.step.stream,
           neighbors_of(call, shape_, times_), rows(bias, nullptr), keep(call), gradients(dvalues),
           zero_rows(call.queries()));
    call.step.late->add({call.queries().end,
                         dvalues,
                         nullptr,
                         bias.size(),
                         bias.size(),
                         weight_sums_,
                         head_dim_,
                         {},
                         nullptr,
                         bias.part(0),
                         nullptr});
    time.add_gradient(source, call.plan().dt, call.neighbors().end, {dtimes_, shape_.time_dim},
                      nullptr, *call.step.late);
  }
  /// Gradients of neighbours for add_to_below(). Call it after attend_backward().
  NeighborGradients neighbor_gradients(const TgnLayerCall& call, const DeviceVector& bias) const {
    return {neighbors_of(call, shape_, times_), rows(bias, nullptr), gradients(nullptr), dtimes_};
  }

 private:
  RowsOut part(float* all, std::uint32_t h, std::uint32_t column) const {
    return {all + h * width() + column, count() * width()};
  }
  AttentionRows rows(const DeviceVector& bias, float* values) const {
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_)));
    return {count(), scale,        projected_,    weights_,  kept_, owner_,
            sums_,   weight_sums_, bias.values(), head_dim_, values};
  }
  AttentionGradients gradients(const float* dvalues) const {
    return {dsums_, width(), dvalues, dscores_, dprojected_};
  }
  Keep keep(const TgnLayerCall& call) const {
    Keep keep = call.step.keep;
    keep.key = call.step.plan.counts->keys + layer_;
    return keep;
  }
  dim3 grid(const TgnLayerCall& call) const {
    return grid_of_blocks(std::uint64_t{call.queries().most} * count());
  }

  const TgnShape shape_;
  std::uint32_t head_dim_, layer_;
  float *times_ = nullptr, *dtimes_ = nullptr;
  float *weights_ = nullptr, *kept_ = nullptr, *dscores_ = nullptr;
  std::uint32_t* owner_ = nullptr;
  float* weight_sums_ = nullptr;
  float *projected_ = nullptr, *sums_ = nullptr, *dprojected_ = nullptr, *dsums_ = nullptr;
};

}  // namespace frugal::cuda
