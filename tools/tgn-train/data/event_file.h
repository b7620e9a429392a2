#pragma once
#include <functional>
#include <span>
#include <string>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/data/feature_rows.h"

namespace frugal::tgn {

/// Events files: documents of frugal.kind "events" (tensor-file(5)).
inline constexpr char kEventsKind[] = "events";
/// Metadata: "true" if destinations had ids of their own in the input and are numbered after the
/// sources.
inline constexpr char kShiftedKey[] = "tgn.shifted";
/// Metadata: "true" if times were dates in the input. They count seconds since 1970.
inline constexpr char kDatesKey[] = "tgn.dates";
/// Metadata: names of the classes that labels are, as a JSON list.
inline constexpr char kClassesKey[] = "tgn.classes";
inline constexpr std::size_t kMostClasses = 1000;
/// Metadata: names of the edge types, as a JSON list.
inline constexpr char kTypesKey[] = "tgn.types";
inline constexpr std::size_t kMostTypes = 65535;
/// Largest numbers of events and nodes: the last values of EventId and NodeId mean none.
inline constexpr std::uint64_t kMostEvents = 0xfffffffe;
inline constexpr std::uint64_t kMostNodes = 0xfffffffe;
/// Largest absolute time, so that differences of times are finite as floats.
inline constexpr double kLatestTime = 0x1p63;

/// The content of an events file, as views of arrays owned elsewhere.
struct EventContent {
  Metadata metadata;
  std::size_t num_nodes = 0;
  /// nodes below it are sources, the others destinations; 0: one kind
  std::size_t num_sources = 0;
  NodeId first_id = 0;  ///< id of the first node in the input, if ids are numbers
  std::span<const NodeId> sources, destinations;
  EventTimes times;
  std::span<const std::uint8_t> labels;  ///< 0 or 1, or empty
  /// Labels that are numbers or, if metadata names classes, numbers of these; NaN: none. Or empty.
  std::span<const float> targets;
  /// Numbers of edge types, which metadata names; or empty.
  std::span<const std::uint16_t> types;
  FeatureRows edge_features, node_features;
  std::span<const std::uint64_t> name_offsets;  ///< [nodes + 1] into names, or empty
  std::span<const std::uint8_t> names;

  std::size_t num_events() const { return sources.size(); }
};

/// Fails (bad_input) with `path` if there are more than 2^24 nodes and more than 2,000 for each
/// event: a tiny file could otherwise demand huge arrays. Nodes whose names or features are in the
/// file are exempt.
void check_num_nodes(const EventContent& content, const std::string& path);

/// Views of the document's tensors. Checks shapes, the range and number of nodes, that times never
/// fall, labels, names, and that features are finite. Fails (bad_input) with `path`, the tensor and
/// the event.
EventContent view_events(const Document& document, const std::string& path);

/// As view_events(), for a document of another kind that contains events.
EventContent view_event_tensors(const Document& document, const std::string& path);
/// Adds the tensors of the events, which are lent, and their metadata to such a document, without
/// the kind.
void add_events(const EventContent& content, Document& document);

/// Writes an events file, without copying the arrays. The stream's own metadata are computed;
/// content.metadata may have further keys. Fails as TensorWriter.
void save_events(const std::string& path, const EventContent& content,
                 const TensorWriteOptions& options = {});

/// Source of events that are generated while they are written.
struct EventFiller {
  std::uint64_t num_events = 0;
  Dtype feature_dtype = Dtype::f32;
  std::uint64_t edge_features = 0;
  bool has_types = false;
  /// Writes rows [begin, end) of the tensor "times" (i64), "sources", "destinations" (u32), "types"
  /// (u16) or "edge_features" to `to`. Each tensor is requested in the order of its rows.
  std::function<void(const std::string& tensor, std::uint64_t begin, std::uint64_t end,
                     std::span<std::byte> to)>
      fill;
};

/// As save_events(), for events that need not fit into memory. Only the numbers of nodes and the
/// metadata of `content` are used.
void write_events(const std::string& path, const EventContent& content, const EventFiller& filler,
                  const TensorWriteOptions& options = {});

}  // namespace frugal::tgn
