#pragma once
/// The heads of an attention over neighbours (tools/tgn-train/network/attention_heads.h).
#include <cmath>

#include "libcore/device/cuda/engines/tgn_layers.h"

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
    dneighbors_ = room.take<float>(e * shape_.dim);
    weights_ = room.take<float>(e * count());
    kept_ = room.take<float>(e * count());
    dscores_ = room.take<float>(e * count());
    owner_ = room.take<std::uint32_t>(e);
    weight_sums_ = room.take<float>(n);
    dweight_sums_ = room.take<float>(n);
    projected_ = room.take<float>(n * width());
    sums_ = room.take<float>(n * width());
    dprojected_ = room.take<float>(n * width());
    dsums_ = room.take<float>(n * width());
  }

  /// Columns of head h from `column` on.
  RowsOut projected(std::uint32_t h, std::uint32_t column = 0) const {
    return part(projected_, h, column);
  }
  RowsOut sums(std::uint32_t h, std::uint32_t column = 0) const { return part(sums_, h, column); }
  RowsOut dprojected(std::uint32_t h, std::uint32_t column = 0) const {
    return part(dprojected_, h, column);
  }
  RowsOut dsums(std::uint32_t h, std::uint32_t column = 0) const { return part(dsums_, h, column); }

  /// Of what projected() has: sums().
  void attend(const TgnLayerCall& call, const DeviceTime& time) {
    time.encode(call.plan().dt, call.neighbors(), times_, call.step.stream);
    launch(attention_forward, grid(call), block_of_rows(), call.step.stream,
           neighbors_of(call, shape_, times_), rows(), keep(call));
  }
  /// Of dsums() and what bias_backward() left: dprojected(), the neighbours' and the times'.
  void attend_backward(const TgnLayerCall& call, const DeviceTime& time, std::uint32_t source) {
    const NeighborRows neighbors = neighbors_of(call, shape_, times_);
    const AttentionGradients gradients{dsums_, width(), dweight_sums_, dscores_, dprojected_};
    launch(attention_backward, grid(call), block_of_rows(), call.step.stream, neighbors, rows(),
           keep(call), gradients);
    launch(neighbor_gradients, grid_of_rows(call.neighbors().most), block_of_rows(),
           call.step.stream, neighbors, call.neighbors().end, rows(), gradients, dneighbors_,
           dtimes_);
    time.add_gradient(source, call.plan().dt, call.neighbors(), {dtimes_, shape_.time_dim},
                      call.step.stream);
  }
  const float* dneighbors() const { return dneighbors_; }

  /// values [queries, heads, head_dim] += bias times the sum of the weights.
  void add_bias(const TgnLayerCall& call, const DeviceVector& bias, float* values) const {
    launch(add_head_bias, grid_of_rows(call.queries().most), block_of_rows(), call.step.stream,
           call.queries().end, static_cast<const float*>(weight_sums_), bias.values(), count(),
           head_dim_, values);
  }
  void bias_backward(const TgnLayerCall& call, const DeviceVector& bias, const float* dvalues) {
    const RowRange rows = call.queries();
    sum_columns(rows.end, {dvalues, bias.size()}, bias.size(), weight_sums_, head_dim_, kSumParts,
                0, bias.part(0), call.step.stream);
    launch(head_bias_dots, grid_of_rows(rows.most), block_of_rows(), call.step.stream, rows.end,
           dvalues, bias.values(), count(), head_dim_, dweight_sums_);
  }

 private:
  RowsOut part(float* all, std::uint32_t h, std::uint32_t column) const {
    return {all + h * width() + column, count() * width()};
  }
  AttentionRows rows() const {
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_)));
    return {count(), scale, projected_, weights_, kept_, owner_, sums_, weight_sums_};
  }
  Keep keep(const TgnLayerCall& call) const {
    Keep keep = call.step.keep;
    keep.key = call.step.plan.counts->keys + layer_;
    return keep;
  }
  dim3 grid(const TgnLayerCall& call) const {
    return grid_of_rows(std::uint64_t{call.queries().most} * count());
  }

  const TgnShape shape_;
  std::uint32_t head_dim_, layer_;
  float *times_ = nullptr, *dtimes_ = nullptr, *dneighbors_ = nullptr;
  float *weights_ = nullptr, *kept_ = nullptr, *dscores_ = nullptr;
  std::uint32_t* owner_ = nullptr;
  float *weight_sums_ = nullptr, *dweight_sums_ = nullptr;
  float *projected_ = nullptr, *sums_ = nullptr, *dprojected_ = nullptr, *dsums_ = nullptr;
};

}  // namespace frugal::cuda
