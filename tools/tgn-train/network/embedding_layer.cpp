#include "tools/tgn-train/network/embedding_layer.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {

std::uint32_t dropout_key(const TgnPass& pass, std::size_t layer) {
  return static_cast<std::uint32_t>(hash_combine(hash_combine(mix64(pass.seed), pass.step), layer));
}

void draw_dropout(const TgnPass& pass, std::size_t layer, float share, std::size_t n,
                  std::vector<float>& keep) {
  keep.clear();
  if (!pass.training || share == 0) return;
  keep.assign(n, 1.0F);
  const auto threshold = static_cast<std::uint32_t>(static_cast<double>(share) * 0x1p32);
  kernels().dropout(keep.data(), n, dropout_key(pass, layer), threshold, 1 / (1 - share));
}

void copy_own_rows(const LayerInput& input, RowStore& rows) {
  const QueryRows& q = *input.queries;
  const std::size_t dim = input.below.cols;
  rows.resize(q.size(), dim + 1);
  for (std::size_t r = 0; r < q.size(); ++r) {
    std::copy_n(input.below.row(q.self[r]), dim, rows.view().row(r));
  }
  set_ones(rows.view());
}

void set_ones(MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) rows(r, rows.cols - 1) = 1;
}

void add_to_rows(MatrixView<const float> dx, const std::vector<std::uint32_t>& rows,
                 MatrixView<float> dbelow) {
  for (std::size_t r = 0; r < dx.rows; ++r) {
    if (rows[r] != kNoRow) kernels().axpy(1, dx.row(r), dbelow.row(rows[r]), dx.cols);
  }
}

namespace {

const std::string kLayerName = "embedding_module.embedding_layer";
const std::string kState = "embedding.time";

}  // namespace

MemoryLayer::MemoryLayer(const TgnOptions& options) : dim_(options.memory_dim) {
  if (options.embedding == EmbeddingKind::time) {
    projection_.emplace(DenseShape{1, dim_}, options.precision);
  }
}

/// Draws from a normal distribution with variance 1 / inputs, as JODIE's code.
void MemoryLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  if (!projection_) return;
  std::vector<float> drawn(2 * dim_);
  fill_normal({drawn.data(), 2 * dim_, 1}, 1, seed, stream);
  projection_->set({drawn.data(), dim_, 1}, {drawn.data() + dim_, dim_});
}

void MemoryLayer::forward(const LayerInput& input, const TgnPass&, MatrixView<float> out) {
  const QueryRows& q = *input.queries;
  for (std::size_t r = 0; r < q.size(); ++r) {
    std::copy_n(input.below.row(q.self[r]), dim_, out.row(r));
  }
  if (!projection_) return;
  since_.resize(q.size(), 2);
  factors_.resize(q.size(), dim_);
  for (std::size_t r = 0; r < q.size(); ++r) {
    since_.view()(r, 0) = static_cast<float>(q.since[r]);
    since_.view()(r, 1) = 1;
  }
  projection_->forward(since_.view(), factors_.view());
  for (std::size_t r = 0; r < q.size(); ++r) {
    float* row = out.row(r);
    const float* factors = factors_.view().row(r);
    for (std::size_t c = 0; c < dim_; ++c) row[c] *= 1 + factors[c];
  }
}

void MemoryLayer::backward(const LayerInput& input, MatrixView<float> dout,
                           MatrixView<float> dbelow, ParameterSteps& steps) {
  const QueryRows& q = *input.queries;
  if (projection_) {
    d_factors_.resize(q.size(), dim_);
    for (std::size_t r = 0; r < q.size(); ++r) {
      const float* own = input.below.row(q.self[r]);
      const float* factors = factors_.view().row(r);
      float* d = dout.row(r);
      float* d_factors = d_factors_.view().row(r);
      for (std::size_t c = 0; c < dim_; ++c) {
        d_factors[c] = d[c] * own[c];
        d[c] *= 1 + factors[c];
      }
    }
    steps.add(*projection_, since_.view(), d_factors_.view());
  }
  add_to_rows(dout, q.self_gradient, dbelow);
}

void MemoryLayer::visit_parameters(const ParameterVisit& each) {
  if (projection_) each.layer(kState, *projection_);
}
void MemoryLayer::save(Document& document) const {
  if (projection_) projection_->save(document, kLayerName);
}
void MemoryLayer::load(const Document& document, const std::string& path) {
  if (projection_) projection_->load(document, path, kLayerName);
}
namespace {

/// Neighbours that one thread gathers at a time.
constexpr std::size_t kRowsAtATime = 32;

}  // namespace

void NeighborRows::fill(const LayerInput& input) {
  const QueryRows& q = *input.queries;
  const std::size_t n = q.neighbors.size();
  edges_.resize(n, edge_dim_);
  times_.resize(n, time_dim_);
  const MatrixView<float> edges = edges_.view(), times = times_.view();
  parallel_blocks(n, kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    // Prefetches the row that is read kAhead iterations later.
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
