#include "tools/tgn-train/network/neighbor_rows.h"

#include <algorithm>

#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Neighbours that are worth another thread.
constexpr std::size_t kRowsAtATime = 32;

}  // namespace

void NeighborRows::fill(const LayerInput& input) {
  const QueryRows& q = *input.queries;
  const std::size_t n = q.neighbors.size();
  edges_.resize(n, edge_dim_);
  times_.resize(n, time_dim_);
  const MatrixView<float> edges = edges_.view(), times = times_.view();
  parallel_blocks(n, kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    // The lines of a row that comes later arrive meanwhile.
    constexpr std::size_t kAhead = 3;
    for (std::size_t e = begin; edge_dim_ != 0 && e < end; ++e) {
      if (e + kAhead < end) input.edges->prefetch(q.events[e + kAhead]);
      input.edges->read(q.events[e], edges.row(e));
    }
    input.time->encode({q.dt.data() + begin, end - begin}, times.rows_between(begin, end));
  });
}

void NeighborRows::describe(const LayerInput& input, MatrixView<float> dbelow,
                            Attention& attention) {
  const QueryRows& q = *input.queries;
  const MatrixView<float> edges = edges_.view(), times = times_.view();
  attention.offsets = q.offsets.data();
  attention.num_queries = q.size();
  attention.num_parts = 3;
  attention.parts[0] = {.table = input.below.data,
                        .stride = input.below.stride,
                        .dim = below_dim_,
                        .rows = q.neighbors.data()};
  attention.parts[1] = {.table = edges.data, .stride = edges.stride, .dim = edge_dim_};
  attention.parts[2] = {.table = times.data, .stride = times.stride, .dim = time_dim_};
  if (dbelow.data == nullptr) return;
  attention.parts[0].gradient = dbelow.data;
  attention.parts[0].gradient_stride = dbelow.stride;
  attention.parts[0].gradient_rows = q.neighbor_gradient.data();
  d_times_.resize(q.neighbors.size(), time_dim_);
  const MatrixView<float> d_times = d_times_.view();
  for (std::size_t e = 0; e < d_times.rows; ++e) std::fill_n(d_times.row(e), time_dim_, 0.0F);
  attention.parts[2].gradient = d_times.data;
  attention.parts[2].gradient_stride = d_times.stride;
}

void NeighborRows::finish_backward(const LayerInput& input) {
  input.time->add_gradient(input.queries->dt, d_times_.view());
}

}  // namespace frugal::tgn
