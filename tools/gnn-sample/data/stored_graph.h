#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/feature_store.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Where a graph's arrays are. memory: on huge pages, from which sampling is 1.4 times faster than
/// from a mapping. mapped: in the file, which must be uncompressed and may be larger than memory.
/// automatic: topology in memory if it fits into half of what is free, then features likewise,
/// otherwise mapped; numbers of edges are mapped if possible. packed: as automatic, but features
/// are mapped; training reads their rows from packs (RowPacks).
enum class Residence { automatic, memory, mapped, packed };
inline constexpr std::array<std::string_view, 4> kTrainResidenceNames = {"auto", "memory", "mapped",
                                                                         "packed"};
inline constexpr std::array<std::string_view, 3> kResidenceNames = {"auto", "memory", "mapped"};
/// Where features are. in_file: in the file in any case, for a reader of some rows only.
enum class FeaturePlace { as_residence, in_file };

/// A graph file, checked once when it is opened (see view_graph()). May be read by several threads.
class StoredGraph {
 public:
  /// Fails (bad_input) for a damaged file or one without a graph, (unavailable) if it does not fit
  /// into memory, and (usage) for mapping a compressed file.
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
  /// Reads rows [first, first + rows) of dense features, with FeaturePlace::in_file or
  /// Residence::packed. May be called by several threads.
  void read_features(std::size_t first, std::size_t rows, std::byte* to) const;

  /// Advises that the arrays which are not in memory are read in order, not at random.
  void expect_reads_in_order() const;

  /// Fails (bad_input) with the types if there are several. Must be called before the accessors
  /// below, which are for homogeneous graphs.
  void require_homogeneous() const;
  /// Keeps the edges of a type for which keep() is true. It is called twice for each edge, by any
  /// thread. Only this object's view changes, not the file. type: index in content().edges.
  void keep_edges(const std::function<bool(NodeId source, NodeId target)>& keep,
                  std::size_t type = 0);
  /// The edges of all types as the file has them, whatever was left out since.
  std::span<const EdgeSet> edges_of_file() const;
  /// Leaves out all edges of a homogeneous graph. Takes memory for nodes only, and reads no edge.
  void drop_edges();
  /// Replaces the features of a homogeneous graph. Only this object's view changes.
  void use_features(FeatureStore features);
  CsrView csr() const { return content().edge_set().csr; }
  std::size_t num_nodes() const { return csr().num_nodes(); }
  std::size_t num_edges() const { return csr().num_edges(); }
  std::span<const float> weights() const { return content().edge_set().weights; }
  std::span<const double> times() const { return content().edge_set().times; }
  std::span<const EdgeId> edge_ids() const { return content().edge_set().edge_ids; }
  std::optional<FeatureView> features() const { return content().node_set().features; }
  /// The features. Fails (bad_input) if the graph has none.
  FeatureView required_features() const;
  const EdgeFeatures& edge_features() const { return content().edge_set().features; }
  /// Fails (bad_input) if the edges have no features. reader: as below.
  void require_edge_features(const std::string& reader) const;
  /// Fails (bad_input) if the edges have no weights. reader: who reads them, for the message.
  void require_weights(const std::string& reader) const;
  /// Class of each node, or -1. Empty if nodes have no labels or several.
  std::span<const std::int32_t> labels() const { return content().node_set().labels; }
  /// [nodes, num_classes] 0 or 1, if nodes have several labels; or empty.
  std::span<const std::uint8_t> label_matrix() const { return content().node_set().label_matrix; }
  std::size_t num_classes() const { return content().node_set().num_classes; }
  /// The metadata of a key, such as kClassNamesKey or kFeatureColumnsKey; "" if there are none.
  std::string text_of(const std::string& key) const;
  std::size_t num_splits() const { return content().node_set().splits.size(); }
  /// Part of each node in split k. type: index in content().nodes. Fails (usage), with the number
  /// of splits, if there is no such split.
  std::span<const std::uint8_t> split(std::size_t k = 0, std::size_t type = 0) const;
  /// Nodes of the part, ascending.
  std::vector<NodeId> nodes_in(Part part, std::size_t k = 0, std::size_t type = 0) const;
  std::span<const std::uint64_t> ids() const { return content().node_set().ids; }
  std::span<const NodeId> partition() const { return content().node_set().partition; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal::gnn
