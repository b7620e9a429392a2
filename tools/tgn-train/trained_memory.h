#pragma once
#include <memory>
#include <optional>
#include <string>

#include "libcore/io/tensor_file.h"
#include "libcore/system/mapped_memory.h"
#include "tools/tgn-train/data/event_stream.h"
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
  /// Whether the stream begins with these events; others may have been added behind them.
  bool is_of(const EventStream& of) const;
  /// Brings the state to the nodes of a stream that it is of.
  void fit(const EventStream& of);
  /// Adds it to a model; tensors are lent.
  void save(Document& model) const;
  /// Moves it out of a model that has one. Fails (bad_input) with `path`.
  static std::optional<TrainedMemory> take(Document& model, const std::string& path);
  /// Brings a session on that stream to where training ended. Fails (bad_input) with `path`.
  void give(StreamSession& session) const;
};

}  // namespace frugal::tgn
