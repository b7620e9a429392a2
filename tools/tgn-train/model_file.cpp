#include "tools/tgn-train/model_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/io/document_gate.h"
#include "libcore/io/finite_tensors.h"
#include "libcore/io/metadata_reader.h"
#include "libcore/system/temporary_file.h"

namespace frugal::tgn {
namespace {

constexpr std::uint64_t kMaxSize = 8192;
constexpr std::uint64_t kMaxBatch = std::uint64_t{1} << 20;

std::string flag(bool value) { return value ? "true" : "false"; }

TgnOptions load_network(const MetadataReader& read) {
  TgnOptions o;
  o.rules = rules_from_name(read.text("tgn.rules"));
  o.message = message_from_name(read.text("tgn.message"));
  o.aggregator = aggregator_from_name(read.text("tgn.aggregator"));
  o.updater = updater_from_name(read.text("tgn.updater"));
  o.embedding = embedding_from_name(read.text("tgn.embedding"));
  o.memory_dim = read.number("tgn.memory_dim", 1, kMaxSize);
  o.time_dim = read.number("tgn.time_dim", 1, kMaxSize);
  o.message_dim = read.number("tgn.message_dim", 1, kMaxSize);
  o.layers = read.number("tgn.layers", 1, 4);
  o.neighbors = read.number("tgn.neighbors", 1, 1024);
  o.sampling = sampling_from_name(read.text("tgn.neighbor_sampling"));
  o.heads = read.number("tgn.heads", 1, 8);
  o.dropout = static_cast<float>(read.finite("tgn.dropout", 0, 1));
  o.train_time = read.flag("tgn.train_time");
  o.dyrep = read.flag("tgn.dyrep");
  check_network(o);
  return o;
}

SessionOptions load_session(const MetadataReader& read) {
  SessionOptions o;
  o.mode = memory_mode_from_name(read.text("tgn.memory"));
  o.memory_dtype = read.text("tgn.memory_dtype") == "bf16" ? Dtype::bf16 : Dtype::f32;
  o.time_shift.mean = {read.finite("tgn.source_time_mean"),
                       read.finite("tgn.destination_time_mean")};
  o.time_shift.deviation = {read.finite("tgn.source_time_deviation", 0),
                            read.finite("tgn.destination_time_deviation", 0)};
  return o;
}

/// Files of models without pair features need not say so.
std::optional<PairHistoryOptions> load_pairs(const Document& document, const MetadataReader& read) {
  if (!document.metadata.contains("tgn.pair_places")) return std::nullopt;
  PairHistoryOptions o;
  o.places = read.number("tgn.pair_places", 1, 1024);
  o.time_unit = read.finite("tgn.pair_time_unit", 0);
  o.walks.hops = read.number("tgn.pair_hops", 1, 4);
  o.walks.dim = read.number("tgn.pair_dim", 0, WalkProjections::kMaxDim);
  o.walks.half_life = read.finite("tgn.pair_half_life", 0);
  o.walks.seed = read.number("tgn.pair_seed");
  for (const double time : {o.time_unit, o.walks.half_life}) {
    if (!(time > 0)) fail(ExitStatus::usage, "a time of pair features is ", time, ", not positive");
  }
  return o;
}

void save_pairs(const PairHistoryOptions& o, Metadata& m) {
  m["tgn.pair_places"] = std::to_string(o.places);
  m["tgn.pair_time_unit"] = format_number(o.time_unit);
  m["tgn.pair_hops"] = std::to_string(o.walks.hops);
  m["tgn.pair_dim"] = std::to_string(o.walks.dim);
  m["tgn.pair_half_life"] = format_number(o.walks.half_life);
  m["tgn.pair_seed"] = std::to_string(o.walks.seed);
}

EventSplitOptions load_split(const MetadataReader& read) {
  EventSplitOptions o;
  o.train_until = read.finite("tgn.train_until", 0, 1);
  o.valid_until = read.finite("tgn.valid_until", 0, 1);
  o.new_nodes = read.finite("tgn.new_nodes", 0, 1);
  o.seed = read.number("tgn.split_seed");
  return o;
}

/// Before a network is made that damaged numbers would make larger than memory: its query or
/// recurrent weights must be there.
void check_size(const TgnOptions& o, const TgnInputs& inputs, const Document& document,
                const std::string& path) {
  std::uint64_t numbers = 0;
  for (const Tensor& tensor : document.tensors) {
    if (tensor.dtype == Dtype::f32) numbers += tensor.as<float>().size();
  }
  const std::uint64_t dims = o.memory_dim + (o.has_neighbors() ? o.time_dim : 0);
  const std::uint64_t width = o.memory_dim + inputs.edge_features;
  if (std::max(2 * o.memory_dim * o.memory_dim, (o.has_memory() ? o.memory_dim * width : 0)) <=
          numbers &&
      (!o.has_neighbors() || o.memory_dim * dims <= numbers)) {
    return;
  }
  fail(ExitStatus::bad_input, path, ": a network with memories of ", o.memory_dim, " numbers and ",
       inputs.edge_features, " edge features has more than the ", numbers,
       " numbers that are in the file");
}

void load_labels(const Document& document, const MetadataReader& read, const std::string& path,
                 StoredTgn& stored) {
  stored.label_batch = read.number("tgn.label_batch", 1, 1 << 20);
  const double dropout = read.finite("tgn.label_dropout", 0, 1);
  const std::size_t dim = stored.model->options().memory_dim;
  LabelDecoder::check(document, path, dim);
  stored.labels = std::make_unique<LabelDecoder>(dim, static_cast<float>(dropout));
  stored.labels->load(document, path);
}

/// Bytes of the memory that a model has; 0: none, or it is no file that can be read twice.
std::uint64_t memory_size(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return 0;
  const std::optional<DocumentInfo> info = TensorReader(path).next_info();
  const TensorInfo* const memory = info ? info->find(TrainedMemory::kTensor) : nullptr;
  return memory == nullptr ? 0 : memory->end - memory->begin;
}

}  // namespace

void save_model(const StoredTgn& stored, Document& document) {
  const TgnOptions& o = stored.model->options();
  const SessionOptions& s = stored.session;
  Metadata& m = document.metadata;
  m["frugal.kind"] = "model";
  m["frugal.tool"] = "tgn-train";
  m["tgn.architecture"] = stored.architecture;
  m["tgn.rules"] = rules_name(o.rules);
  m["tgn.message"] = message_name(o.message);
  m["tgn.aggregator"] = aggregator_name(o.aggregator);
  m["tgn.updater"] = updater_name(o.updater);
  m["tgn.embedding"] = embedding_name(o.embedding);
  m["tgn.memory_dim"] = std::to_string(o.memory_dim);
  m["tgn.time_dim"] = std::to_string(o.time_dim);
  m["tgn.message_dim"] = std::to_string(o.message_dim);
  m["tgn.layers"] = std::to_string(o.layers);
  m["tgn.neighbors"] = std::to_string(o.neighbors);
  m["tgn.neighbor_sampling"] = sampling_name(o.sampling);
  m["tgn.heads"] = std::to_string(o.heads);
  m["tgn.dropout"] = format_number(o.dropout);
  m["tgn.train_time"] = flag(o.train_time);
  m["tgn.dyrep"] = flag(o.dyrep);
  m["tgn.edge_features"] = std::to_string(stored.model->inputs().edge_features);
  m["tgn.node_features"] = flag(stored.model->inputs().node_features);
  m["tgn.memory"] = memory_mode_name(s.mode);
  m["tgn.memory_dtype"] = s.memory_dtype == Dtype::bf16 ? "bf16" : "f32";
  m["tgn.source_time_mean"] = format_number(s.time_shift.mean[0]);
  m["tgn.source_time_deviation"] = format_number(s.time_shift.deviation[0]);
  m["tgn.destination_time_mean"] = format_number(s.time_shift.mean[1]);
  m["tgn.destination_time_deviation"] = format_number(s.time_shift.deviation[1]);
  if (s.pairs) save_pairs(*s.pairs, m);
  m["tgn.train_until"] = format_number(stored.split.train_until);
  m["tgn.valid_until"] = format_number(stored.split.valid_until);
  m["tgn.new_nodes"] = format_number(stored.split.new_nodes);
  m["tgn.split_seed"] = std::to_string(stored.split.seed);
  m["tgn.batch_size"] = std::to_string(stored.batch);
  m["tgn.window"] = std::to_string(stored.window);
  stored.model->save(document);
  if (stored.trained) stored.trained->save(document);
  if (!stored.labels) return;
  m["tgn.label_batch"] = std::to_string(stored.label_batch);
  m["tgn.label_dropout"] = format_number(stored.labels->dropout());
  stored.labels->save(document);
}

StoredTgn load_model(Document document, const std::string& path, Precision precision) {
  check_document(document, path, {"a model of tgn-train train", {"model"}, "tgn-train"});
  const MetadataReader read(document, path);
  check_finite(document, path);
  StoredTgn stored;
  stored.architecture = read.text("tgn.architecture");
  stored.trained = TrainedMemory::take(document, path);
  TgnOptions network;
  try {
    network = load_network(read);
    stored.session = load_session(read);
    if (network.dyrep && stored.session.mode != MemoryMode::exact) {
      fail(ExitStatus::usage, "dyrep with memory ", memory_mode_name(stored.session.mode),
           ", expected exact");
    }
    stored.session.pairs = load_pairs(document, read);
  } catch (const Error& error) {
    if (error.status() == ExitStatus::bad_input) throw;
    fail(ExitStatus::bad_input, path, ": ", error.what());
  }
  stored.split = load_split(read);
  stored.batch = read.number("tgn.batch_size", 1, kMaxBatch);
  stored.window = read.number("tgn.window", 1, kMaxBatch);
  network.precision = precision;
  TgnInputs inputs;
  inputs.edge_features = read.number("tgn.edge_features", 0, kMaxSize);
  inputs.node_features = read.flag("tgn.node_features");
  if (stored.session.pairs) inputs.pair_features = stored.session.pairs->num_features();
  check_size(network, inputs, document, path);
  stored.model = std::make_unique<TgnModel>(network, inputs);
  stored.model->load(document, path);
  if (document.metadata.contains("tgn.label_batch")) load_labels(document, read, path, stored);
  return stored;
}

StoredTgn read_model(const std::string& path, Precision precision, const MemoryPlace& place) {
  TensorReadOptions options;
  std::shared_ptr<MappedMemory> room;
  const std::uint64_t size = place.tier == MemoryTier::disk ? memory_size(path) : 0;
  if (size != 0) {
    TemporaryFile file(place.folder);
    file.reserve(size);
    room = file.map();
    options.places[TrainedMemory::kTensor] = {room->data(), size};
  }
  StoredTgn stored = load_model(read_document(path, options), path, precision);
  if (stored.trained) stored.trained->room = std::move(room);
  return stored;
}

const TrainedMemory* memory_for(StoredTgn& stored, const EventStream& stream) {
  if (!stored.trained) return nullptr;
  if (stored.trained->is_of(stream)) {
    stored.trained->fit(stream);
    return &*stored.trained;
  }
  log_info(stored.trained->path, ": its memory is of other events; made anew from ", stream.path());
  return nullptr;
}

void check_inputs(const StoredTgn& stored, const EventStream& stream, const std::string& path) {
  const TgnInputs& inputs = stored.model->inputs();
  if (stream.edge_features().dim != inputs.edge_features) {
    fail(ExitStatus::bad_input, stream.path(), ": events have ", stream.edge_features().dim,
         " features, the model ", path, " takes ", inputs.edge_features);
  }
  const std::size_t nodes = stream.node_features().dim;
  if (nodes != (inputs.node_features ? stored.model->options().memory_dim : 0)) {
    fail(ExitStatus::bad_input, stream.path(), ": nodes have ", nodes, " features, the model ",
         path, " takes ", inputs.node_features ? stored.model->options().memory_dim : 0);
  }
}

}  // namespace frugal::tgn
