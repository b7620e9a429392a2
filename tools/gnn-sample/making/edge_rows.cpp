#include "tools/gnn-sample/making/edge_rows.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/float_loss.h"
#include "libcore/base/text.h"
#include "libcore/graph/build_options.h"
#include "libcore/system/limits.h"
#include "libcore/tables/skipped_comments.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/formats/node_features.h"
#include "tools/gnn-sample/formats/text_table.h"

namespace frugal::gnn {
namespace {

Tensor make_rows(const std::string& path, std::uint64_t rows, std::uint64_t dim) {
  check_memory(path + ": features of " + format_count(rows, "edge"), rows * dim * sizeof(float));
  return Tensor::make("features", Dtype::f32, {rows, dim});
}

bool has_header(const TableHead& head) {
  return head.json ||
         (head.rows.size() > 1 && std::ranges::none_of(head.first(), [&](const std::string& field) {
            return is_missing_number(field) || parse_number_between<double>(field, head.separator);
          }));
}

struct EdgeNumber {
  float stored = 0;
  double exact = 0;
};

/// Unlike columns of nodes' features, those of edges have no types: all are numbers.
Tensor read_text_rows(const std::string& path, const BytesRead& progress) {
  PieceReader reader(path);
  TableColumns columns;
  columns.head = first_rows(reader, false);
  if (columns.head.empty()) {
    fail_without_rows(reader, "a row of numbers for each edge");
  }
  columns.has_header = has_header(columns.head);
  const std::size_t dim = columns.head.first().size();
  columns.wanted.resize(dim);
  std::iota(columns.wanted.begin(), columns.wanted.end(), 0);
  std::atomic<bool> settled = false;  // no further number can change what is said of losses
  const auto convert = [&settled, separator = columns.head.separator](std::string_view field) {
    if (const auto value = parse_number_between<float>(field, separator)) {
      return EdgeNumber{*value, settled ? *value : exact_number(field, separator, *value)};
    }
    fail(ExitStatus::bad_input, "found '", printable(field, 40),
         "', expected a finite number, as in all columns of features of edges");
  };
  std::vector<std::vector<float>> pieces;
  std::vector<FloatLoss> losses(dim);
  std::size_t size = 0;
  read_columns<EdgeNumber>(reader, columns, nullptr, convert, [&](std::vector<EdgeNumber>& values) {
    std::vector<float>& stored = pieces.emplace_back();
    stored.reserve(values.size());
    for (const EdgeNumber& value : values) stored.push_back(value.stored);
    for (std::size_t i = 0; !settled && i < values.size(); ++i) {
      losses[i % dim].add(values[i].exact, values[i].stored);
    }
    size += values.size();
    settled = std::ranges::all_of(losses, [](const FloatLoss& loss) { return loss.is_settled(); });
    if (progress) progress(reader.bytes_read());
  });
  warn_of_losses(losses, [&](std::size_t c) {
    return path + ": column " +
           (columns.has_header ? "'" + printable(columns.head.first()[c]) + "'"
                               : std::to_string(c + 1));
  });
  Tensor rows = make_rows(path, size / dim, dim);
  float* to = rows.as<float>().data();
  for (std::vector<float>& values : pieces) {
    to = std::copy(values.begin(), values.end(), to);
    values = {};
  }
  return rows;
}

bool is_array_file(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".safetensors") ||
         path.ends_with(".safetensors.zst");
}

}  // namespace

Tensor read_edge_rows(const std::string& path, const BytesRead& progress) {
  if (!is_array_file(path)) return read_text_rows(path, progress);
  NodeData data;
  read_features(path, {}, data, progress);
  if (data.array || data.sparse.dim != 0) {
    fail(ExitStatus::usage, path, ": is ", data.array ? "an array of robe-compress" : "sparse",
         ", expected a row of numbers for each edge, in text or *.npy");
  }
  return std::move(data.features);
}

Array<float> edge_rows_of(const Graph& graph, const Tensor& rows) {
  constexpr std::size_t kEdgesAtATime = 4096;
  const auto dim = static_cast<std::size_t>(rows.shape[1]);
  check_memory("the features of edges", graph.num_edges() * dim * sizeof(float));
  Array<float> all(graph.num_edges() * dim);
  const std::span<const float> values = rows.as<float>();
  parallel_for(graph.num_edges(), kEdgesAtATime, [&](std::size_t e) {
    const EdgeId number = graph.edge_ids[e];
    if (number == kAddedEdge) return;
    std::copy_n(values.data() + number * dim, dim, all.data() + e * dim);
  });
  return all;
}

}  // namespace frugal::gnn
