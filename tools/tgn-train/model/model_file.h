#pragma once
#include <memory>
#include <optional>
#include <string>

#include "tools/tgn-train/data/event_split.h"
#include "tools/tgn-train/data/event_stream.h"
#include "tools/tgn-train/memory/stream_session.h"
#include "tools/tgn-train/mix/key_mix.h"
#include "tools/tgn-train/model/label_task.h"
#include "tools/tgn-train/model/trained_memory.h"
#include "tools/tgn-train/network/label_decoder.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// Largest number of features of an event or a node in a model file.
inline constexpr int kMostFeatures = 8192;

/// TgnModelFile::architecture of labels that are predicted without a network.
inline constexpr char kNoNetwork[] = "none";

/// A trained model with everything needed to use it.
struct TgnModelFile {
  std::string architecture;  ///< name of the architecture of its modules, or kNoNetwork
  std::unique_ptr<TgnModel> model;
  SessionOptions session;
  EventSplitOptions split;   ///< split of its training
  HeaderNames features;      ///< names of its events' features, if they had some
  HeaderNames roles;         ///< names of source, destination and time, if they had some
  HeaderNames types;         ///< names of its edge types, or empty
  std::string type_column;   ///< name of the column of types, or ""
  std::size_t batch = 200;   ///< events in an optimiser step
  std::size_t window = 200;  ///< batch modes: events that the memory applies together
  /// Function of exact keys and the network's logit that the model answers with; empty: the logit.
  std::optional<LinkMix> mix;
  std::unique_ptr<LabelDecoder> labels;  ///< null if none was trained
  LabelTask label_task;                  ///< of `labels`
  std::size_t label_batch = 100;         ///< batch size of the labels' training
  /// Empty if only weights were stored. A session then computes the memory from the stream.
  std::optional<TrainedMemory> trained;
};

/// Writes a model file's content except what training adds (kind "model", keys tgn.*); memory is
/// lent.
void save_model(TgnModelFile& stored, Document& document);
/// Reads a model. Fails (bad_input) with `path` if the document is not a model of tgn-train.
TgnModelFile load_model(Document document, const std::string& path,
                        Precision precision = Precision::f32);

/// Reads the model at `path`. With memory on disk, the model's memory is read to the same place.
TgnModelFile read_model(const std::string& path, Precision precision, const MemoryPlace& place);

/// The model's memory, rearranged for the stream's nodes, if the stream begins with its events.
/// Otherwise null, which is logged. Fails (bad_input) if it is damaged.
const TrainedMemory* memory_for(TgnModelFile& stored, const EventStream& stream);

/// Fails (usage) with `path` if the model predicts labels without a network.
void check_has_network(const TgnModelFile& stored, const std::string& path);

/// Fails (usage) with `path` if the model has no network, or one whose embeddings depend on the
/// pair, so that a node has none of its own.
void check_embeds_nodes(const TgnModelFile& stored, const std::string& path);

/// Fails (bad_input), with both files, if the stream's features or edge types differ from the
/// model's. The stream must have been opened with the model's types.
void check_inputs(const TgnModelFile& stored, const EventStream& stream, const std::string& path);

}  // namespace frugal::tgn
