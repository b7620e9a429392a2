#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gnn-sample/formats/graph_input.h"

namespace frugal::gnn {

/// Elements or values inside one another, at most: a graph needs six.
inline constexpr std::size_t kMostNesting = 64;
/// Bytes of one name, value or tag, at most.
inline constexpr std::uint64_t kMostValueBytes = std::uint64_t{1} << 20;

/// Attributes of a node or an edge: names and values as text.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// Fails (usage) where the options say what such formats have not: a header and, unless `ends`,
/// other names for sources and targets.
void check_attribute_options(const std::string& path, const EdgeTextOptions& text, bool ends);

/// Collects a graph from a format that lists nodes and edges by ids and with attributes. Ids are
/// those of the options where these have names. Else they are kept as names, unless all are the
/// numbers 0, 1, 2 ... of the nodes; without a list of nodes they are numbers, as in edges in text.
class NamedGraph {
 public:
  /// Borrows all.
  NamedGraph(std::string path, const GraphReadOptions& options, GraphInput& input);

  /// A node of the list of nodes. Fails (bad_input), naming its number, where one is there twice.
  void add_node(std::string_view id);
  /// An edge; the weight and the time are the attributes that the options name. Fails (bad_input)
  /// naming its number.
  void add_edge(std::string_view source, std::string_view target, const Attributes& attributes);
  /// Attributes that are not read, which finish() warns of.
  void leave_out(const std::string& what, const Attributes& attributes);
  std::uint64_t num_edges() const { return num_edges_; }

  /// Gives the graph to the input.
  void finish();

 private:
  NodeId node(std::string_view id);
  const std::string& text_of(const Attributes& attributes, const std::string& name,
                             const char* what) const;
  double weight_of(const Attributes& attributes) const;
  double time_of(const Attributes& attributes);
  void keep_numbers(std::span<const std::uint64_t> numbers, std::uint64_t num_nodes);
  void check_listed() const;
  [[noreturn]] void refuse_edge(const std::string& finding) const;

  std::string path_;
  const GraphReadOptions& options_;
  GraphInput& input_;
  NodeNames& names_;
  bool own_names_;
  std::size_t num_known_;  ///< names that files of nodes gave before
  std::vector<bool> listed_;
  std::uint64_t num_listed_ = 0, num_edges_ = 0;
  std::vector<std::string> unread_;
  EdgeChunk chunk_;
};

}  // namespace frugal::gnn
