#include "tools/gnn-sample/tasks/joined_rows.h"

#include <algorithm>

#include "libcore/embedding/embedding.h"
#include "libcore/kernels/kernels.h"
#include "tools/gnn-sample/layers/row_chunks.h"
#include "tools/gnn-sample/layers/source_rows.h"

namespace frugal::gnn {
namespace {

/// Columns that are stored of the blocks before the last one. A sum has those of all blocks.
std::size_t kept_columns(const GnnModel& model) {
  return model.sums_blocks() ? model.num_joined()
                             : model.joined_column(model.options().num_layers - 1);
}

std::vector<NodeId> ascending(std::span<const NodeId> nodes) {
  std::vector<NodeId> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace

JoinedRows::JoinedRows(const GnnModel& model, const FeatureView& features,
                       std::span<const NodeId> nodes)
    : model_(model),
      nodes_(ascending(nodes)),
      values_(nodes_.size() * kept_columns(model), uninitialized),
      kept_(values_.data(), nodes_.size(), kept_columns(model)) {
  if (!model.joins_features()) {
    set_zero(kept_);
    return;
  }
  for_each_chunk(nodes_.size(), [&](std::size_t begin, std::size_t end) {
    const MatrixView<float> chunk = kept_.rows_between(begin, end);
    const MatrixView<float> to(chunk.data, chunk.rows, model.num_features(), chunk.stride);
    if (features.array != nullptr) {
      features.array->lookup_table(0, nodes_.data() + begin, to.rows, to);
    } else {
      SourceRows(features, nodes_).copy(begin, end, to);
    }
  });
}

std::uint64_t JoinedRows::bytes(const GnnModel& model, std::uint64_t nodes) {
  return nodes * kept_columns(model) * sizeof(float);
}

std::size_t JoinedRows::kept_row(NodeId node) const {
  return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) -
                                  nodes_.begin());
}

void JoinedRows::store(std::size_t block, std::size_t first, MatrixView<const float> rows) {
  const std::size_t column = model_.joined_column(block);
  for (std::size_t i = kept_row(static_cast<NodeId>(first));
       i < nodes_.size() && nodes_[i] < first + rows.rows; ++i) {
    float* const to = kept_.row(i) + column;
    if (model_.sums_blocks()) {
      kernels().axpy(1, rows.row(nodes_[i] - first), to, rows.cols);
    } else {
      std::copy_n(rows.row(nodes_[i] - first), rows.cols, to);
    }
  }
}

MatrixView<const float> JoinedRows::complete(std::span<const NodeId> nodes,
                                             MatrixView<const float> rows) {
  complete_.resize(nodes.size(), model_.num_joined());
  const MatrixView<float> all = complete_.view();
  for_each_chunk(nodes.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* to = std::copy_n(kept_.row(kept_row(nodes[i])), kept_.cols, all.row(i));
      if (model_.sums_blocks()) {
        kernels().axpy(1, rows.row(i), all.row(i), rows.cols);
      } else {
        std::copy_n(rows.row(i), rows.cols, to);
      }
    }
  });
  return all;
}

}  // namespace frugal::gnn
