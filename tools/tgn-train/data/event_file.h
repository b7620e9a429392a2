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
/// Metadata: "true" where destinations had ids of their own and got numbers behind the sources'.
inline constexpr char kShiftedKey[] = "tgn.shifted";
/// Metadata: "true" where times were dates in the input, and count seconds since 1970.
inline constexpr char kDatesKey[] = "tgn.dates";
/// Bounds of what EventId and NodeId number: the last values mean none.
inline constexpr std::uint64_t kMostEvents = 0xfffffffe;
inline constexpr std::uint64_t kMostNodes = 0xfffffffe;
/// Up to here, and down to its negative, differences of times are finite as floats.
inline constexpr double kLatestTime = 0x1p63;

/// What an events file holds, as views of arrays that lie elsewhere.
struct EventContent {
  Metadata metadata;
  std::size_t num_nodes = 0;
  std::size_t num_sources = 0;  ///< nodes below are sources, the others destinations; 0: one kind
  NodeId first_id = 0;          ///< what the first node was called in the input, where by numbers
  std::span<const NodeId> sources, destinations;
  EventTimes times;
  std::span<const std::uint8_t> labels;  ///< 0 or 1, or empty
  FeatureRows edge_features, node_features;
  std::span<const std::uint64_t> name_offsets;  ///< [nodes + 1] into names, or empty
  std::span<const std::uint8_t> names;

  std::size_t num_events() const { return sources.size(); }
};

/// Fails (bad_input) with `path` where there are more than 2^24 nodes and more than 2,000 for each
/// event: arrays for all nodes would be made for a file of no size. Nodes whose names or features
/// are in the file are exempt.
void check_num_nodes(const EventContent& content, const std::string& path);

/// What the document holds, as views of its tensors. Everything is checked: shapes, nodes in range,
/// their number, times that never fall, labels, names, finite features. Fails (bad_input) with
/// `path`, the tensor and the event.
EventContent view_events(const Document& document, const std::string& path);

/// The same of a document of another kind that has events among others.
EventContent view_event_tensors(const Document& document, const std::string& path);
/// Adds tensors, which are lent, and metadata but the kind to such a document.
void add_events(const EventContent& content, Document& document);

/// Writes the events; content.metadata may have more keys than the stream's own, which are made
/// anew. Arrays are written from where they lie. Fails as TensorWriter.
void save_events(const std::string& path, const EventContent& content,
                 const TensorWriteOptions& options = {});

/// Events that are made while they are written.
struct EventFiller {
  std::uint64_t num_events = 0;
  Dtype feature_dtype = Dtype::f32;
  std::uint64_t edge_features = 0;
  /// Makes rows [begin, end) of the tensor "times" (i64), "sources", "destinations" (u32) or
  /// "edge_features"; of each tensor in the order of the rows.
  std::function<void(const std::string& tensor, std::uint64_t begin, std::uint64_t end,
                     std::span<std::byte> to)>
      fill;
};

/// The same of events that need not fit into memory; of `content` the numbers of nodes and the
/// metadata count.
void write_events(const std::string& path, const EventContent& content, const EventFiller& filler,
                  const TensorWriteOptions& options = {});

}  // namespace frugal::tgn
