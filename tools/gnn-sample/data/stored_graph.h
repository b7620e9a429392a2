#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Where a graph's arrays are. memory: on huge pages, where sampling is 1.4 times faster than from
/// a mapping. mapped: in the file, which must be uncompressed; more than there is memory can be
/// used. automatic: topology in memory where half of what is left has room, then features, else
/// mapped; numbers of edges are mapped where they can be.
enum class Residence { automatic, memory, mapped };
inline constexpr std::array<std::string_view, 3> kResidenceNames = {"auto", "memory", "mapped"};
/// Features in the file whatever the residence, for a reader that wants some rows of them.
enum class FeaturePlace { as_residence, in_file };

/// A graph file, checked once when it is opened (see view_graph()), for many readers.
class StoredGraph {
 public:
  /// Fails with bad_input for what is damaged or no graph, unavailable where it does not fit into
  /// memory, usage where a compressed file is to be mapped.
  explicit StoredGraph(const std::string& path, Residence residence = Residence::automatic,
                       FeaturePlace features = FeaturePlace::as_residence);
  ~StoredGraph();
  StoredGraph(StoredGraph&&) noexcept;

  const std::string& path() const;
  const GraphContent& content() const;
  const Metadata& metadata() const { return content().metadata; }
  bool heterogeneous() const { return content().heterogeneous; }
  bool directed() const { return content().directed; }
  bool features_are_mapped() const;
  bool topology_is_mapped() const;
  /// Rows [first, first + rows) of dense features, with FeaturePlace::in_file; any threads.
  void read_features(std::size_t first, std::size_t rows, std::byte* to) const;

  /// Fails (bad_input) naming the types where there are several; before the accessors below, which
  /// are those of a homogeneous graph.
  void require_homogeneous() const;
  /// Keeps the edges of a homogeneous graph that `keep` says, which is asked twice for each and by
  /// any thread. The others are gone for this reader: the file stays as it is.
  void keep_edges(const std::function<bool(NodeId source, NodeId target)>& keep);
  CsrView csr() const { return content().edge_set().csr; }
  std::size_t num_nodes() const { return csr().num_nodes(); }
  std::size_t num_edges() const { return csr().num_edges(); }
  std::span<const float> weights() const { return content().edge_set().weights; }
  std::span<const double> times() const { return content().edge_set().times; }
  std::span<const EdgeId> edge_ids() const { return content().edge_set().edge_ids; }
  std::optional<FeatureView> features() const { return content().node_set().features; }
  /// The features; fails (bad_input) if the graph has none.
  FeatureView required_features() const;
  /// A class a node, or -1; empty where there are none, or several a node.
  std::span<const std::int32_t> labels() const { return content().node_set().labels; }
  /// [nodes, num_classes] 0 or 1: several a node; or empty.
  std::span<const std::uint8_t> label_matrix() const { return content().node_set().label_matrix; }
  std::size_t num_classes() const { return content().node_set().num_classes; }
  /// A line for each class, where these have names; else "".
  std::string class_names() const;
  std::size_t num_splits() const { return content().node_set().splits.size(); }
  /// Of each node its Part; of the type with that number in content().nodes. Fails (usage) naming
  /// how many splits there are.
  std::span<const std::uint8_t> split(std::size_t k = 0, std::size_t type = 0) const;
  /// The nodes of that part, ascending.
  std::vector<NodeId> nodes_in(Part part, std::size_t k = 0, std::size_t type = 0) const;
  std::span<const std::uint64_t> ids() const { return content().node_set().ids; }
  std::span<const NodeId> partition() const { return content().node_set().partition; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal::gnn
