#pragma once
#include <memory>
#include <optional>
#include <string>

#include "tools/tgn-train/data/event_split.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/model/trained_memory.h"
#include "tools/tgn-train/network/label_decoder.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A trained model and what one must know to use it.
struct StoredTgn {
  std::string architecture;  ///< that its modules were taken from
  std::unique_ptr<TgnModel> model;
  SessionOptions session;
  EventSplitOptions split;   ///< that it was trained with
  HeaderNames features;      ///< of its events, where these had names
  HeaderNames roles;         ///< the same of source, destination and time
  std::size_t batch = 200;   ///< events of an optimiser step
  std::size_t window = 200;  ///< events that memory gets to know at once, but by events in turn
  std::unique_ptr<LabelDecoder> labels;  ///< null where none was trained
  std::size_t label_batch = 100;         ///< that it was trained with
  /// None where only weights were kept: a session makes the memory from the stream.
  std::optional<TrainedMemory> trained;
};

/// The whole of a model file but what training adds (kind "model", keys tgn.*); memory is lent.
void save_model(StoredTgn& stored, Document& document);
/// Errors: bad_input with `path` for what is no model of tgn-train.
StoredTgn load_model(Document document, const std::string& path,
                     Precision precision = Precision::f32);

/// The model at `path`. On disk the memory that it has lies where the memory in work does.
StoredTgn read_model(const std::string& path, Precision precision, const MemoryPlace& place);

/// The model's memory if it is of events that the stream begins with, brought to its nodes, else
/// null; where it is of others, says so. Fails (bad_input) where it is damaged.
const TrainedMemory* memory_for(StoredTgn& stored, const EventStream& stream);

/// Fails (bad_input) naming both files where the stream has other features than the model takes.
void check_inputs(const StoredTgn& stored, const EventStream& stream, const std::string& path);

}  // namespace frugal::tgn
