// Feeds bytes to the readers of graphs, features, labels and splits. The first two bytes choose the
// format and the options.
#include "libcore/base/error.h"
#include "tests/fuzz/fuzz_input.h"
#include "tools/gnn-sample/formats/graph_input.h"
#include "tools/gnn-sample/formats/node_features.h"
#include "tools/gnn-sample/formats/node_labels.h"
#include "tools/gnn-sample/formats/node_split.h"

namespace {

using namespace frugal;
using namespace frugal::gnn;

/// Options of columns are refused where no text is.
GraphReadOptions options_of(unsigned choice, bool text, NodeNames& names) {
  GraphReadOptions options;
  if (choice & 32) options.text.num_nodes = 10;
  if (choice & 128) options.text.weight_column = "none";
  if (!text) return options;
  if (choice & 1) options.text.header = choice & 2 ? "yes" : "no";
  if ((choice & 132) == 4) options.text.weight_column = "3";
  if (choice & 8) options.text.time_column = "4";
  if (choice & 16) options.text.source_column = "2";
  if (choice & 64) options.text.names = &names;
  return options;
}

void check_list(const EdgeList& list) {
  for (const EdgeChunk& chunk : list.chunks) {
    require(chunk.targets.size() == chunk.size(), "an edge has a source and a target");
    require(chunk.weights.empty() || chunk.weights.size() == chunk.size(), "all have weights");
    require(chunk.times.empty() || chunk.times.size() == chunk.size(), "all have times");
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      require(chunk.sources[i] < list.num_nodes, "sources are in range");
      require(chunk.targets[i] < list.num_nodes, "targets are in range");
    }
    for (const float w : chunk.weights) require(w >= 0, "weights are not negative");
    for (const double t : chunk.times) require(t == t, "times are numbers");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 2);
  const unsigned format = input.choice(0), choice = input.choice(1);
  constexpr const char* formats[] = {"auto", "edges", "mtx", "metis", "numpy"};
  NodeNames names;
  const GraphReadOptions options = options_of(choice, format % 5 < 2, names);
  reading(ExitStatus::usage,
          [&] { check_list(read_graph_input(input.path(), formats[format % 5], options).edges); });
  reading(ExitStatus::unavailable, [&] {
    NodeData nodes;
    FeatureOptions features;
    features.dim = format & 64 ? 4 : 0;
    features.index_base = format >> 7;
    features.layout = choice & 1 ? "sparse" : "auto";
    if (features.dim == 0 && !(choice & 1)) return;  // dense rows of 2^24 numbers take memory
    try {
      read_features(input.path(), features, nodes);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::usage) throw;
      features = {};  // no svmlight
      read_features(input.path(), features, nodes);
    }
    convert_features(features, nodes);
    for (const std::uint32_t column : nodes.sparse.columns) {
      require(column < nodes.sparse.dim, "columns are in range");
    }
    for (const float x : nodes.sparse.floats()) require(x - x == 0, "features are finite");
    if (nodes.sparse.dim != 0 || !nodes.has_features()) return;
    for (const float x : nodes.features.as<float>()) require(x - x == 0, "features are finite");
  });
  reading(ExitStatus::usage, [&] {
    const NodeLabels labels = read_labels(input.path(), choice & 1 ? "2" : "");
    for (const std::int32_t c : labels.classes) {
      require(c >= -1 && c < static_cast<std::int64_t>(labels.num_classes), "classes are in range");
    }
  });
  reading(ExitStatus::usage, [&] {
    for (const auto& split : read_splits(input.path(), "")) {
      for (const std::uint8_t part : split) require(part <= 2 || part == 255, "parts are known");
    }
  });
  return 0;
}
