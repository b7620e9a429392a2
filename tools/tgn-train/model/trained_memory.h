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

/// What a session knew behind the events that train, in the file of the model: others go on from
/// there.
struct TrainedMemory {
  EventId events = 0;                  ///< of the stream; those that do not train are passed over
  std::string stream;                  ///< prefix_fingerprint() of these events
  NodeId first_destination = 0;        ///< NodeKeys::first_destination of the state's nodes
  Document state;                      ///< as StreamSession::save() has it
  std::string path;                    ///< of the model, for errors
  std::shared_ptr<MappedMemory> room;  ///< where the state's memory lies on disk; null: in RAM

  /// The tensor of a model that the memory is in, which may be larger than RAM.
  static constexpr char kTensor[] = "trained.memory";

  /// The memory of the first events of a stream, all that was known to it.
  static TrainedMemory of(const EventStream& stream, EventId events, const StreamSession& session);
  /// Fails (bad_input) with `path` unless all tensors of the state have rows for one number of
  /// nodes, each with the type and the numbers that the model and the session have for a node, and
  /// nodes and events in them are below their numbers. Everything else relies on this.
  void check(const TgnModel& model, const SessionOptions& session) const;
  /// Number of nodes that a checked state has.
  std::size_t num_nodes() const;
  /// Whether the stream begins with these events; others may have been added behind them.
  bool is_of(const EventStream& of) const;
  /// Brings the state to the nodes of a stream that it is of. Fails (bad_input) with `path` where
  /// it lacks a node of these events.
  void fit(const EventStream& of);
  /// Adds it to a model; tensors are lent.
  void save(Document& model) const;
  /// Moves it out of a model that has one, to be checked. Fails (bad_input) with `path`.
  static std::optional<TrainedMemory> take(Document& model, const std::string& path);
  /// Brings a session on that stream to where training ended. Fails (bad_input) with `path`.
  void give(StreamSession& session) const;

 private:
  void check_nodes(const EventStream& of, const NodeMove& move) const;
};

}  // namespace frugal::tgn
