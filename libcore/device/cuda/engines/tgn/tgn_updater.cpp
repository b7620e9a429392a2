#include "libcore/device/cuda/engines/tgn/tgn_updater.h"

namespace frugal::cuda {

LayerWeights TgnParts::layer(const std::string& name, const LayerShape& layer, Products of,
                             std::uint32_t most) const {
  LayerWeights weights(layer, of, most, room);
  if (rule != nullptr) weights.prepare_training(*rule, room);
  weights.name(name, arrays);
  return weights;
}

namespace {

/// Parts of the sums of a level's products. Most levels have few rows: one part of 700 inputs would
/// leave most of a GPU idle and take as long as 22 turns of loads.
constexpr std::uint32_t kCellParts = 4;

}  // namespace

TgnUpdater::TgnUpdater(const TgnParts& parts)
    : dim_(parts.shape.dim),
      edge_dim_(parts.shape.edge_dim),
      time_dim_(parts.shape.time_dim),
      x_dim_(parts.shape.mlp ? parts.shape.message_dim : dim_ + edge_dim_ + time_dim_),
      gru_(parts.shape.gru),
      mlp_(parts.shape.mlp),
      to_bf16_(parts.rule == nullptr && parts.shape.bf16_memory),
      products_(parts.products) {
  const std::uint32_t most = 2 * parts.shape.batch_size;
  const auto add = [&](std::vector<LayerWeights>& to, const char* name, const LayerShape& shape) {
    to.push_back(parts.layer(name, shape, parts.products, most));
  };
  if (mlp_) {
    add(message_, "message.first", {raw_dim(), raw_dim() / 2, true, true});
    add(message_, "message.second", {raw_dim() / 2, x_dim_, true, false});
  }
  columns_ = x_begin() + x_dim_;
  add(cell_, "updater.gates", {columns_, gru_ ? 2 * dim_ : dim_, false, false});
  if (!gru_) return;
  const std::uint32_t x_columns = x_dim_ + (mlp_ ? 1 : dim_ + 1);
  columns_ += dim_ + 1 + (mlp_ ? 1 : 0);
  add(cell_, "updater.candidate", {x_columns, dim_, false, false});
  add(cell_, "updater.hidden", {dim_ + 1, dim_, false, false});
}

void TgnUpdater::lay_out(Workspace& room, const PlanSizes& sizes, bool training) {
  const std::uint64_t n = sizes.updates;
  inputs_ = room.take<float>(n * columns_);
  raw_ = mlp_ ? room.take<float>(n * raw_dim()) : nullptr;
  message_hidden_ = mlp_ ? room.take<float>(n * (raw_dim() / 2)) : nullptr;
  rows_ = n;
  gates_ = room.take<float>(kCellParts * n * (gru_ ? 2 : 1) * dim_);
  nx_ = room.take<float>(gru_ ? kCellParts * n * dim_ : 0);
  nh_ = room.take<float>(gru_ ? kCellParts * n * dim_ : 0);
  made_ = room.take<float>(n * dim_);
  if (!training) return;
  dinputs_ = room.take<float>(n * columns_);
  dcandidates_ = room.take<float>(gru_ && !mlp_ ? n * columns_ : 0);
  dmessage_hidden_ = room.take<float>(mlp_ ? n * (raw_dim() / 2) : 0);
  draw_ = room.take<float>(mlp_ ? n * raw_dim() : 0);
}

CellRows TgnUpdater::cell(const TgnStep& step, const RowRange& rows, float* slots) const {
  const RowsOut own = inputs(gru_ ? own_begin() : 0);
  return {rows.first, rows.end, step.plan.updates, dim_,       gates_, nx_,   nh_,
          kCellParts, rows_,    own.data,          own.stride, made_,  slots, to_bf16_};
}

/// sums [kCellParts, rows_, out] of x W.
void TgnUpdater::add_sums(const LayerWeights& layer, const RowsIn& x, const RowRange& rows,
                          float* sums, ProductGroup& group) const {
  constexpr std::uint32_t kWhole = kMmaDepth * kCellParts;
  const LayerShape& shape = layer.shape();
  Product p{};
  p.a = {x.data, x.stride, shape.in, false};
  p.b = {layer.weights(), shape.out, shape.out, false};
  p.c = sums;
  p.c_stride = p.n = shape.out;
  p.m = rows.most;
  p.k = shape.in;
  p.first = rows.first;
  p.rows = rows.end;
  p.depth = (p.k + kWhole - 1) / kWhole * kMmaDepth;
  p.part_size = rows_ * shape.out;
  group.add(p, false, false, products_, kCellParts);
}

void TgnUpdater::forward(const TgnStep& step, const DeviceTime& time, std::uint32_t levels,
                         const float* kept, float* slots) {
  const PlanArrays& plan = step.plan;
  for (std::uint32_t l = 0; l < levels; ++l) {
    const RowRange rows{plan.levels + l, plan.levels + l + 1,
                        l == 0 ? step.room.updates : step.room.later};
    launch(fill_updates, grid_of_blocks(rows.most), block_of_rows(), step.stream,
           MessageRows{rows.first, rows.end, plan.updates, plan.updates_dt, slots, kept, step.edges,
                       time.weights(), dim_, x_dim_, inputs_, columns_, raw_, gru_});
    if (mlp_) {
      const std::uint32_t half = raw_dim() / 2;
      message_[0].forward({raw_, raw_dim()}, {message_hidden_, half}, rows, 0, step.stream);
      message_[1].forward({message_hidden_, half}, inputs(x_begin()), rows, 0, step.stream);
    }
    ProductGroup group(step.stream);
    add_sums(cell_[0], inputs(0), rows, gates_, group);
    if (gru_) {
      add_sums(cell_[1], inputs(x_begin()), rows, nx_, group);
      add_sums(cell_[2], inputs(own_begin()), rows, nh_, group);
    }
    group.run();
    launch(gru_ ? gru_forward : rnn_forward, grid_for(std::uint64_t{rows.most} * dim_),
           dim3(kThreads), step.stream, cell(step, rows, slots));
  }
}

void TgnUpdater::backward(const TgnStep& step, const float* dout, const DeviceTime* time,
                          std::uint32_t source) {
  const RowRange all = step.updates(), later = step.updates(&step.late->products);
  const RowsIn dgates{gates_, cell_[0].shape().out};
  launch(gru_ ? gru_backward : rnn_backward, grid_for(std::uint64_t{all.most} * dim_),
         dim3(kThreads), step.stream, cell(step, all, nullptr), dout, zero_rows(all));
  cell_[0].gradient(inputs(0), dgates, later, false, step.stream);
  if (gru_) {
    cell_[1].gradient(inputs(x_begin()), {nx_, dim_}, later, false, step.stream);
    cell_[2].gradient(inputs(own_begin()), {nh_, dim_}, later, false, step.stream);
  }
  if (!mlp_ && time == nullptr) return;
  // Gradient of the input columns [own | 1 | x | ...]; only the columns of x are complete.
  ProductGroup group(step.stream);
  const RowRange grouped = step.updates(&group);
  cell_[0].backward(dgates, {dinputs_, columns_}, grouped, {}, step.stream);
  if (mlp_) group.run();
  if (gru_) {
    cell_[1].backward({nx_, dim_}, {(mlp_ ? dinputs_ : dcandidates_) + x_begin(), columns_},
                      grouped, {mlp_ ? 1.0F : 0.0F, nullptr, x_dim_}, step.stream);
  }
  group.run();
  if (mlp_) message_backward(step);
  if (time == nullptr) return;
  const std::uint32_t begin = 2 * dim_ + edge_dim_;
  const RowsIn by_time =
      mlp_ ? RowsIn{draw_ + begin, raw_dim()} : RowsIn{dinputs_ + begin + 1, columns_};
  time->add_gradient(source, step.plan.updates_dt, all.end, by_time,
                     gru_ && !mlp_ ? dcandidates_ + begin + 1 : nullptr, *step.late);
}

void TgnUpdater::message_backward(const TgnStep& step) {
  const RowRange all = step.updates(), later = step.updates(&step.late->products);
  const std::uint32_t half = raw_dim() / 2;
  const RowsIn dx{dinputs_ + x_begin(), columns_};
  message_[1].gradient({message_hidden_, half}, dx, later, false, step.stream);
  message_[1].backward(dx, {dmessage_hidden_, half}, all, {0, message_hidden_}, step.stream);
  message_[0].gradient({raw_, raw_dim()}, {dmessage_hidden_, half}, later, false, step.stream);
  message_[0].backward({dmessage_hidden_, half}, {draw_, raw_dim()}, all, {}, step.stream);
}

void TgnUpdater::take_step(const StepValues* values, StepList& list) const {
  for (const LayerWeights& layer : message_) layer.step(values, list);
  for (const LayerWeights& layer : cell_) layer.step(values, list);
}

}  // namespace frugal::cuda
