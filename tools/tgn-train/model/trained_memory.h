#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/system/mapped_memory.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/data/node_keys.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {

/// State of a session after the training events, stored in the model file. Other commands continue
/// from it.
struct TrainedMemory {
  EventId events = 0;                  ///< number of the stream's first events that it covers
  std::string stream;                  ///< prefix_fingerprint() of these events
  NodeId first_destination = 0;        ///< NodeKeys::first_destination of the state's nodes
  Document state;                      ///< from StreamSession::save()
  std::string path;                    ///< path of the model, for errors
  std::shared_ptr<MappedMemory> room;  ///< mapping of the state's memory on disk; null: in RAM

  /// Name of the memory's tensor in a model file. The tensor may be larger than RAM.
  static constexpr char kTensor[] = "trained.memory";

  /// Copies the state of a session that has processed the first `events` events of the stream.
  static TrainedMemory of(const EventStream& stream, EventId events, const StreamSession& session);
  /// Fails (bad_input) with `path` if the state is inconsistent. All its tensors must have rows for
  /// the same number of nodes, with the types and sizes that the model and the session need. All
  /// nodes and events in them must be in range. All other functions rely on this.
  void check(const TgnModel& model, const SessionOptions& session) const;
  /// Number of nodes in a checked state.
  std::size_t num_nodes() const;
  /// True if the stream begins with the events that the state covers; others may follow.
  bool is_of(const EventStream& of) const;
  /// Rearranges the state for the nodes of a stream for which is_of() is true. Fails (bad_input)
  /// with `path` if it lacks a node of these events.
  void fit(const EventStream& of);
  /// Adds the state to a model document, whose tensors refer to this object's memory.
  void save(Document& model) const;
  /// Moves the state out of the model document, if it has one; check() must follow. Fails
  /// (bad_input) with `path`.
  static std::optional<TrainedMemory> take(Document& model, const std::string& path);
  /// Loads the state into a session on that stream. Fails (bad_input) with `path`.
  void give(StreamSession& session) const;

 private:
  void check_nodes(const EventStream& of, const NodeMove& move) const;
};

}  // namespace frugal::tgn
