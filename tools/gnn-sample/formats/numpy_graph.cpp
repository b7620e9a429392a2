#include <algorithm>
#include <array>
#include <optional>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tensors/number_tensor.h"
#include "tools/gnn-sample/formats/graph_input.h"
#include "tools/gnn-sample/formats/node_features.h"
#include "tools/gnn-sample/formats/node_labels.h"
#include "tools/gnn-sample/formats/node_split.h"
#include "tools/gnn-sample/formats/numpy_arrays.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kChunkEdges = std::size_t{1} << 20;

/// Collects edges into chunks.
class EdgeCollector {
 public:
  EdgeCollector(std::uint64_t num_nodes, EdgeList& list) : num_nodes_(num_nodes), list_(list) {}

  void add(std::int64_t source, std::int64_t target, const std::string& place, std::size_t index) {
    for (const std::int64_t id : {source, target}) {
      if (id >= 0 && static_cast<std::uint64_t>(id) < num_nodes_) continue;
      fail(ExitStatus::bad_input, place, ": edge ", index, " has node ", id,
           ", expected ids from 0 to ", num_nodes_ - 1);
    }
    if (list_.chunks.empty() || list_.chunks.back().size() == kChunkEdges) {
      list_.chunks.emplace_back();
    }
    list_.chunks.back().sources.push_back(static_cast<NodeId>(source));
    list_.chunks.back().targets.push_back(static_cast<NodeId>(target));
    largest_ = std::max({largest_, source, target});
  }
  void add_weight(float weight) { list_.chunks.back().weights.push_back(weight); }
  void finish() {
    list_.num_nodes =
        num_nodes_ != kMostNodes ? num_nodes_ : static_cast<std::uint64_t>(largest_ + 1);
  }

 private:
  std::uint64_t num_nodes_;
  EdgeList& list_;
  std::int64_t largest_ = -1;
};

/// All weights 1 are none.
std::vector<float> read_weights(NumpyArrays& arrays, const std::string& name, std::size_t edges,
                                const GraphReadOptions& options) {
  if (name.empty() || options.text.weight_column == "none") return {};
  const Tensor tensor = to_floats(arrays.read(name), arrays.place(name));
  const auto values = tensor.as<float>();
  if (values.size() != edges) {
    fail(ExitStatus::bad_input, arrays.place(name), ": has ", values.size(), " weights for ", edges,
         " edges");
  }
  for (std::size_t i = 0; i < edges; ++i) {
    if (is_weight(values[i])) continue;
    fail(ExitStatus::bad_input, arrays.place(name), ": edge ", i, " has weight ",
         format_number(double{values[i]}), ", expected finite numbers, not negative");
  }
  if (std::all_of(values.begin(), values.end(), [](float w) { return w == 1; })) return {};
  return {values.begin(), values.end()};
}

/// Adjacency matrix: entry [i, j] is an edge from i to j.
void read_adjacency(NumpyArrays& arrays, const std::string& prefix, const GraphReadOptions& options,
                    GraphInput& input) {
  const SparseArrays csr = read_csr(arrays, prefix);
  if (csr.rows != csr.columns || csr.rows > kMostNodes) {
    fail(ExitStatus::bad_input, arrays.path(), ": adjacency matrix is [", csr.rows, ", ",
         csr.columns, "], expected a square one of at most ", kMostNodes, " rows");
  }
  const std::string data = arrays.first({(prefix + "data").c_str()});
  const auto weights = read_weights(arrays, data, csr.indices.size(), options);
  EdgeCollector edges(csr.rows, input.edges);
  const std::string place = arrays.place(prefix + "indices");
  for (std::size_t row = 0; row < csr.rows; ++row) {
    for (auto i = static_cast<std::size_t>(csr.offsets[row]);
         i < static_cast<std::size_t>(csr.offsets[row + 1]); ++i) {
      const auto own = static_cast<std::int64_t>(row);
      edges.add(csr.transposed ? csr.indices[i] : own, csr.transposed ? own : csr.indices[i], place,
                i);
      if (!weights.empty()) edges.add_weight(weights[i]);
    }
  }
  edges.finish();
}

/// The array of the weights of edges: a matrix of SciPy in COO has data beside its shape.
std::string weights_name(const NumpyArrays& arrays) {
  const bool matrix = !arrays.first({"shape"}).empty();
  return arrays.first({matrix ? "data" : "edge_weight", "edge_weights", "weight", "weights"});
}

/// How many edges an array [2, edges] or [edges, 2] has.
std::size_t num_edges_of(const Tensor& tensor, const std::string& place) {
  const Shape& shape = tensor.shape;
  const bool good = shape.size() == 2 && (shape[0] == 2 || shape[1] == 2);
  if (!good) {
    fail(ExitStatus::bad_input, place, ": is ", shape_text(shape),
         ", expected [2, edges] or [edges, 2]");
  }
  return shape[0] == 2 ? shape[1] : shape[0];
}

/// Sources and targets in one array; `weights`: of the edges, or none.
void add_edge_index(const Tensor& tensor, const std::string& place, std::uint64_t num_nodes,
                    std::span<const float> weights, EdgeList& list) {
  const std::size_t n = num_edges_of(tensor, place);
  const bool columns = tensor.shape[0] == 2;
  const Integers ids = to_integers(tensor, place);
  EdgeCollector edges(num_nodes, list);
  for (std::size_t i = 0; i < n; ++i) {
    edges.add(columns ? ids[i] : ids[2 * i], columns ? ids[n + i] : ids[2 * i + 1], place, i);
    if (!weights.empty()) edges.add_weight(weights[i]);
  }
  edges.finish();
}

/// Names of the arrays of the edges' sources and targets.
struct EndNames {
  const char *sources, *targets;
};
constexpr std::array<EndNames, 4> kEnds{
    {{"row", "col"}, {"src", "dst"}, {"source", "target"}, {"sources", "targets"}}};

/// Finds the arrays of the edges' ends that exist in the archive.
std::optional<EndNames> find_ends(const NumpyArrays& arrays) {
  for (const EndNames& names : kEnds) {
    if (!arrays.first({names.sources}).empty() && !arrays.first({names.targets}).empty()) {
      return names;
    }
  }
  return std::nullopt;
}

/// Reads sources and targets from two arrays; with `shape`, a SciPy matrix in COO.
void read_ends(NumpyArrays& arrays, const EndNames& names, std::uint64_t num_nodes,
               const GraphReadOptions& options, EdgeList& list) {
  const Integers sources = arrays.integers(names.sources), targets = arrays.integers(names.targets);
  if (sources.size() != targets.size()) {
    fail(ExitStatus::bad_input, arrays.place(names.targets), ": has ", targets.size(),
         " numbers, expected ", sources.size(), " as ", names.sources, " has");
  }
  if (const std::string shape = arrays.first({"shape"}); !shape.empty()) {
    const Integers sizes = arrays.integers(shape);
    if (sizes.size() != 2 || sizes[0] != sizes[1] || sizes[0] < 0) {
      fail(ExitStatus::bad_input, arrays.place(shape), ": expected a square matrix");
    }
    num_nodes = std::min(num_nodes, static_cast<std::uint64_t>(sizes[0]));
  }
  if (const std::string format = arrays.first({"format"}); !format.empty()) arrays.text(format);
  const auto weights = read_weights(arrays, weights_name(arrays), sources.size(), options);
  EdgeCollector edges(num_nodes, list);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    edges.add(sources[i], targets[i], arrays.place(names.sources), i);
    if (!weights.empty()) edges.add_weight(weights[i]);
  }
  edges.finish();
}

struct MaskName {
  std::array<const char*, 5> names;
  Part part;
};
constexpr std::array<MaskName, 4> kMasks{
    {{{"train_mask", "train_masks", "train_idx", "idx_train", "train_index"}, Part::train},
     {{"val_mask", "val_masks", "val_idx", "idx_val", "val_index"}, Part::valid},
     {{"valid_mask", "valid_masks", "valid_idx", "idx_valid", "valid_index"}, Part::valid},
     {{"test_mask", "test_masks", "test_idx", "idx_test", "test_index"}, Part::test}}};

/// How the values of an array of masks or of nodes' numbers lie.
enum class MaskLayout { of_nodes, of_splits, numbers };

MaskLayout mask_layout(const std::string& name) {
  if (name.ends_with("_masks")) return MaskLayout::of_splits;
  return name.ends_with("_mask") ? MaskLayout::of_nodes : MaskLayout::numbers;
}

/// Number of splits that an array of masks holds: one where it has one dimension.
std::size_t mask_splits(const Tensor& tensor, MaskLayout layout) {
  if (layout == MaskLayout::numbers || tensor.shape.size() != 2) return 1;
  return tensor.shape[layout == MaskLayout::of_splits ? 0 : 1];
}

/// A mask [nodes] or [nodes, splits], "masks" [splits, nodes], or numbers of nodes.
void read_mask(const std::string& name, Part part, std::uint64_t nodes, NumpyArrays& arrays,
               NodeData& data) {
  const Tensor tensor = arrays.read(name);
  const Integers values = to_integers(tensor, arrays.place(name));
  const MaskLayout layout = mask_layout(name);
  const std::size_t splits = mask_splits(tensor, layout);
  if (layout != MaskLayout::numbers && values.size() != nodes * splits) {
    fail(ExitStatus::bad_input, arrays.place(name), ": is ", shape_text(tensor.shape),
         layout == MaskLayout::of_splits ? ", expected a column" : ", expected a row",
         " for each of the ", nodes, " nodes");
  }
  const auto none = static_cast<std::uint8_t>(Part::none);
  if (data.splits.size() < splits) data.splits.resize(splits, std::vector(nodes, none));
  const auto put = [&](std::size_t node, std::size_t split) {
    put_in_part(node, part, data.splits[split], [&] { return arrays.place(name); });
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (layout == MaskLayout::numbers) {
      if (static_cast<std::uint64_t>(values[i]) >= nodes) {
        fail(ExitStatus::bad_input, arrays.place(name), ": node ", values[i],
             ", expected ids from 0 to ", nodes - 1);
      }
      put(static_cast<std::size_t>(values[i]), 0);
    } else if (values[i] != 0) {
      if (layout == MaskLayout::of_splits)
        put(i % nodes, i / nodes);
      else
        put(i / splits, i % splits);
    }
  }
}

void read_masks(NumpyArrays& arrays, std::uint64_t nodes, NodeData& data) {
  for (const MaskName& mask : kMasks) {
    const auto& n = mask.names;
    const std::string name = arrays.first({n[0], n[1], n[2], n[3], n[4]});
    if (!name.empty()) read_mask(name, mask.part, nodes, arrays, data);
  }
}

void read_npz_nodes(NumpyArrays& arrays, GraphInput& input) {
  NodeData& nodes = input.nodes;
  const std::string dense =
      arrays.first({"node_feat", "node_features", "x", "features", "feat", "feature"});
  if (!dense.empty()) {
    nodes.features = as_features(arrays.read(dense), arrays.place(dense));
  } else if (!arrays.first({"attr_indptr"}).empty()) {
    nodes.sparse = read_sparse_features(arrays, "attr_");
  } else if (!arrays.first({"attr_matrix.indptr"}).empty()) {
    nodes.sparse = read_sparse_features(arrays, "attr_matrix.");
  } else if (!arrays.first({"attr_matrix"}).empty()) {
    nodes.features = as_features(arrays.read("attr_matrix"), arrays.place("attr_matrix"));
  }
  if (nodes.has_features()) {
    input.edges.num_nodes = std::max(input.edges.num_nodes, nodes.feature_rows());
  }
  const std::string labels = arrays.first({"labels", "y", "node_labels", "node_label", "label"});
  if (!labels.empty()) nodes.labels = labels_of(arrays.read(labels), arrays.place(labels));
  read_masks(arrays, input.edges.num_nodes, nodes);
}

/// A row for each edge, or a number.
void read_edge_features(NumpyArrays& arrays, GraphInput& input) {
  const std::string name = arrays.first({"edge_attr", "edge_feat", "edge_features", "edge_attrs"});
  if (name.empty()) return;
  Tensor matrix = arrays.read(name);
  if (matrix.shape.size() == 1) matrix.shape.push_back(1);
  if (matrix.shape.size() != 2 || matrix.shape[1] == 0) {
    fail(ExitStatus::bad_input, arrays.place(name), ": is ", shape_text(matrix.shape),
         ", expected [edges, features]");
  }
  input.edge_features = as_features(matrix, arrays.place(name));
}

bool is_archive(const std::string& path) {
  const RegularFile file(path);
  char magic[2] = {};
  file.read_at(0, magic, std::min<std::uint64_t>(file.size(), sizeof magic));
  return magic[0] == 'P' && magic[1] == 'K';
}

/// The number of nodes where the archive says it.
std::uint64_t npz_nodes(NumpyArrays& arrays, std::uint64_t standard) {
  const std::string name = arrays.first({"num_nodes_list", "num_nodes"});
  if (name.empty()) return standard;
  const Integers numbers = arrays.integers(name);
  if (numbers.size() == 1 && numbers[0] >= 0 &&
      static_cast<std::uint64_t>(numbers[0]) <= kMostNodes) {
    return static_cast<std::uint64_t>(numbers[0]);
  }
  fail(ExitStatus::bad_input, arrays.place(name), ": expected the number of nodes of one graph");
}

}  // namespace

void read_numpy_graph(const std::string& path, const GraphReadOptions& options, GraphInput& input) {
  check_no_columns(path, options.text);
  if (!is_archive(path)) {
    input.counted_by_ids = true;
    return add_edge_index(read_npy(path), path, options.text.num_nodes, {}, input.edges);
  }
  NumpyArrays arrays(path);
  const std::string index = arrays.first({"edge_index", "edges", "edge_list"});
  if (!arrays.first({"adj_indptr"}).empty()) {
    read_adjacency(arrays, "adj_", options, input);
  } else if (!arrays.first({"adj_matrix.indptr"}).empty()) {
    read_adjacency(arrays, "adj_matrix.", options, input);
  } else if (!arrays.first({"indptr"}).empty()) {
    read_adjacency(arrays, "", options, input);
  } else if (!index.empty()) {
    const std::uint64_t nodes = npz_nodes(arrays, options.text.num_nodes);
    const Tensor edges = arrays.read(index);
    const std::size_t count = num_edges_of(edges, arrays.place(index));
    const auto weights = read_weights(arrays, weights_name(arrays), count, options);
    add_edge_index(edges, arrays.place(index), nodes, weights, input.edges);
  } else if (const auto ends = find_ends(arrays)) {
    read_ends(arrays, *ends, npz_nodes(arrays, options.text.num_nodes), options, input.edges);
  } else {
    fail(ExitStatus::bad_input, path, ": has arrays ", arrays.names(),
         ", expected adj_indptr and adj_indices, indptr and indices, edge_index, row and col, or "
         "src and dst");
  }
  read_edge_features(arrays, input);
  read_npz_nodes(arrays, input);
  if (const std::string unused = arrays.unused(); !unused.empty()) {
    log_warning(path, ": arrays that are not used: ", unused);
  }
}

}  // namespace frugal::gnn
