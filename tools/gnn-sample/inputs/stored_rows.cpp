#include "tools/gnn-sample/inputs/stored_rows.h"

#include <algorithm>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/node_lookup.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kStoredRowsAtOnce = 256;
constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
constexpr char kReason[] = "one for each row of the embedding";

/// The mean of all rows; zeros if there are none.
std::vector<float> mean_row(MatrixView<const float> rows) {
  std::vector<double> sums(rows.cols);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t c = 0; c < rows.cols; ++c) sums[c] += static_cast<double>(rows(r, c));
  }
  std::vector<float> mean;
  for (const double sum : sums) {
    mean.push_back(static_cast<float>(sum / std::max(1.0, static_cast<double>(rows.rows))));
  }
  return mean;
}

/// Writes the mean of the rows of v's in-neighbours that have one; false if none has.
bool write_mean(const CsrView& graph, NodeId v, const std::vector<std::uint32_t>& row_of,
                MatrixView<const float> rows, float* to) {
  std::fill_n(to, rows.cols, 0.0F);
  std::size_t known = 0;
  for (const NodeId u : graph.row(v)) {
    if (row_of[u] == kUnknown) continue;
    kernels().axpy(1, rows.row(row_of[u]), to, rows.cols);
    ++known;
  }
  if (known > 1) kernels().scale(1 / static_cast<float>(known), to, rows.cols);
  return known != 0;
}

}  // namespace

StoredRows::StoredRows(const Document& document, const std::string& path, std::size_t size,
                       std::string prefix)
    : prefix_(std::move(prefix)) {
  const std::string name = prefix_ + kEmbeddingTensor;
  const Tensor* const rows = document.find(name);
  if (rows == nullptr || rows->shape.size() != 2 || rows->shape[0] >= kUnknown) {
    fail(ExitStatus::bad_input, path, ": tensor '", printable(name), "' ",
         rows == nullptr ? "is missing" : "has no rows", ", expected one row for each node");
  }
  shaped_tensor(document, path, name, {rows->shape[0], size});
  Document own;
  for (const Tensor& tensor : document.tensors) {
    if (!tensor.name.starts_with(prefix_)) continue;
    own.tensors.push_back(Tensor::make(tensor.name, tensor.dtype, tensor.shape));
    const std::span<const std::byte> from = tensor.content();
    std::copy(from.begin(), from.end(), own.tensors.back().bytes.data());
  }
  document_ = std::move(own);
  nodes_.size = rows->shape[0];
  view_identities(path);
}

void StoredRows::view_identities(const std::string& path) {
  const std::string ids_name = prefix_ + "ids", names_name = prefix_ + "names";
  const std::string offsets_name = names_name + ".offsets";
  if (const Tensor* const ids = document_.find(ids_name)) {
    // The bits of an id are the same in both types.
    const Dtype type = ids->dtype == Dtype::i64 ? Dtype::i64 : Dtype::u64;
    shaped_tensor(document_, path, ids_name, {nodes_.size}, type, kReason);
    nodes_.ids = {reinterpret_cast<const std::uint64_t*>(ids->content().data()), nodes_.size};
  }
  if (document_.find(offsets_name) == nullptr) return;
  const Shape shape = {nodes_.size + 1};
  nodes_.name_offsets =
      shaped_tensor(document_, path, offsets_name, shape, Dtype::u64, kReason).as<std::uint64_t>();
  const auto& offsets = nodes_.name_offsets;
  const Tensor& names =
      shaped_tensor(document_, path, names_name, {offsets.back()}, Dtype::u8, "as the offsets say");
  nodes_.names = names.as<std::uint8_t>();
  if (offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end())) return;
  fail(ExitStatus::bad_input, path, ": tensor '", printable(offsets_name),
       "' does not ascend from 0");
}

MatrixView<const float> StoredRows::rows() const {
  const Tensor& tensor = document_.at(prefix_ + kEmbeddingTensor);
  return {tensor.as<float>().data(), tensor.shape[0], tensor.shape[1]};
}

std::uint64_t StoredRows::write(const NodeSet& nodes, const CsrView* edges,
                                MatrixView<float> out) const {
  const NodeLookup lookup(nodes_);
  std::vector<std::uint32_t> row_of(nodes.size);
  parallel_for(nodes.size, kStoredRowsAtOnce, [&](std::size_t v) {
    row_of[v] = lookup.find(node_text(nodes, v)).value_or(kUnknown);
  });
  const std::vector<float> mean = mean_row(rows());
  parallel_for(nodes.size, kStoredRowsAtOnce, [&](std::size_t v) {
    if (row_of[v] != kUnknown) {
      std::copy_n(rows().row(row_of[v]), out.cols, out.row(v));
    } else if (edges == nullptr ||
               !write_mean(*edges, static_cast<NodeId>(v), row_of, rows(), out.row(v))) {
      std::copy(mean.begin(), mean.end(), out.row(v));
    }
  });
  return static_cast<std::uint64_t>(std::count(row_of.begin(), row_of.end(), kUnknown));
}

}  // namespace frugal::gnn
