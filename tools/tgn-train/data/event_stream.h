#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/feature_rows.h"
#include "tools/tgn-train/data/header_names.h"

namespace frugal::tgn {

/// The events of a file that `import` or `generate` wrote, in the order of their times. May be read
/// by several threads. Nodes are numbered from 0. If sources and destinations are of two kinds
/// (users and items), the sources come first.
class EventStream {
 public:
  /// Maps an uncompressed file, and reads a compressed one into memory. Checks once that nodes are
  /// in range, times finite and never falling, and numbers finite. Fails (bad_input) for a damaged
  /// file or one without a stream, and (unavailable) if it does not fit into memory.
  /// types: names of edge types, say of a model. If these include all types of the file, which has
  /// some, type_names() are `types`, and types() are numbers of them.
  explicit EventStream(const std::string& path, const HeaderNames& types = {});
  ~EventStream();
  EventStream(EventStream&&) noexcept;

  const std::string& path() const;
  const Metadata& metadata() const;
  std::size_t num_events() const;  ///< at least 1
  std::size_t num_nodes() const;
  /// Number of sources if nodes are of two kinds, otherwise 0.
  std::size_t num_sources() const;
  bool bipartite() const { return num_sources() != 0; }

  std::span<const NodeId> sources() const;
  std::span<const NodeId> destinations() const;
  const EventTimes& times() const;
  /// Label of each event, 0 or 1: the source's state after it. May be empty.
  std::span<const std::uint8_t> labels() const;
  /// Labels that are numbers, or numbers of class_names(); NaN: none. May be empty.
  std::span<const float> targets() const;
  HeaderNames class_names() const;  ///< or empty: labels are not classes
  /// Numbers of type_names(), of each event. May be empty.
  std::span<const std::uint16_t> types() const;
  HeaderNames type_names() const;            ///< or empty: events have no types
  const FeatureRows& edge_features() const;  ///< [events, dim], with types, or empty
  const FeatureRows& node_features() const;  ///< [nodes, dim], or empty

  /// True if nodes have names, as in the input (import --ids any).
  bool has_names() const;
  std::string_view name(NodeId node) const;
  /// Names of the edges' features in the input, or empty.
  HeaderNames feature_names() const;
  /// Names of source, destination and time in the input, or empty.
  HeaderNames role_names() const;
  /// Name of the column of types in the input, or "".
  std::string type_column() const;
  /// True if times were dates in the input. They count seconds since 1970.
  bool has_dates() const;
  /// Id of the first node in the input: 1 if ids began with 1.
  NodeId first_id() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal::tgn
