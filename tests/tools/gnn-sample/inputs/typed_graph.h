#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/text_file.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

using Pairs = std::vector<std::pair<NodeId, NodeId>>;  ///< sources and targets

/// The pairs turned round.
inline Pairs turned(const Pairs& pairs) {
  Pairs result;
  for (const auto& pair : pairs) result.emplace_back(pair.second, pair.first);
  return result;
}

/// A file with a graph of several types without features, that is there while the object is.
class TypedGraphFile {
 public:
  explicit TypedGraphFile(bool directed = true)
      : file_(std::make_unique<TextFile>("", ".safetensors")) {
    content_.heterogeneous = true;
    content_.directed = directed;
  }
  /// names: of all nodes, or none.
  void add_nodes(const std::string& type, std::uint64_t count,
                 const std::vector<std::string>& names = {}) {
    NodeSet& set = content_.nodes.emplace_back();
    set.type = type;
    set.size = count;
    if (names.empty()) return;
    offsets_ = {0};
    for (const std::string& name : names) {
      names_.insert(names_.end(), name.begin(), name.end());
      offsets_.push_back(names_.size());
    }
    set.name_offsets = offsets_;
    set.names = names_;
  }
  void add_edges(const std::string& source, const std::string& relation, const std::string& target,
                 Pairs pairs) {
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    const std::uint64_t rows = content_.nodes_of(target).size;
    Graph& graph = graphs_.emplace_back();
    graph.offsets = Array<EdgeId>(rows + 1);
    graph.neighbors = Array<NodeId>(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      graph.neighbors[i] = pairs[i].first;
      ++graph.offsets[pairs[i].second + 1];
    }
    for (std::uint64_t v = 0; v < rows; ++v) graph.offsets[v + 1] += graph.offsets[v];
    names_of_edges_.push_back({source, relation, target});
  }
  StoredGraph open() {
    content_.edges.clear();
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      EdgeSet& edges = content_.edges.emplace_back(edge_set_of(graphs_[i]));
      edges.source_type = names_of_edges_[i][0];
      edges.relation = names_of_edges_[i][1];
      edges.target_type = names_of_edges_[i][2];
    }
    save_graph(file_->path(), content_);
    return StoredGraph(file_->path());
  }

 private:
  std::unique_ptr<TextFile> file_;
  GraphContent content_;
  std::vector<Graph> graphs_;
  std::vector<std::vector<std::string>> names_of_edges_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> names_;
};

}  // namespace frugal::gnn
