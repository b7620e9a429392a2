#include "tools/tgn-train/model/model_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/temporary_file.h"
#include "libcore/tensors/document_gate.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/model/stored_labels.h"

namespace frugal::tgn {
namespace {

constexpr char kPrefix[] = "tgn.", kPairs[] = "tgn.pair_", kTime[] = "tgn.time_",
               kDecoder[] = "tgn.decoder_";

/// The metadata tgn.* of every model.
OptionFields described(TgnModelFile& stored, TgnOptions& network, TgnInputs& inputs) {
  OptionFields f;
  SessionOptions& session = stored.session;
  f.add("architecture", stored.architecture);
  f.add("rules", network.rules, kRulesNames);
  describe_network(f, network);
  f.add("train_time", network.train_time);
  f.add("dyrep", network.dyrep);
  f.add("edge_features", inputs.edge_features).range(0, kMostFeatures);
  f.add("node_features", inputs.node_features);
  f.add("memory", session.mode, kMemoryModeNames);
  f.add_either("memory_dtype", session.memory_dtype, {Dtype::f32, Dtype::bf16}, {"f32", "bf16"});
  f.add("source_time_mean", session.time.mean[0]).finite();
  f.add("source_time_deviation", session.time.deviation[0]).finite().not_negative();
  f.add("destination_time_mean", session.time.mean[1]).finite();
  f.add("destination_time_deviation", session.time.deviation[1]).finite().not_negative();
  f.add("train_until", stored.split.train_until).range(0.0, 1.0);
  f.add("valid_until", stored.split.valid_until).range(0.0, 1.0);
  f.add("new_nodes", stored.split.new_nodes).range(0.0, 1.0);
  f.add("split_seed", stored.split.seed);
  f.add("batch_size", stored.batch).range(1, kMostBatch);
  f.add("window", stored.window).range(1, kMostBatch);
  return f;
}

/// In place of described() in files of labels without a network.
OptionFields described_stream(TgnModelFile& stored, TgnInputs& inputs, std::size_t& node_dim) {
  OptionFields f;
  f.add("architecture", stored.architecture);
  f.add("edge_features", inputs.edge_features).range(0, kMostFeatures);
  f.add("node_dim", node_dim).range(0, kMostFeatures);
  f.add("train_until", stored.split.train_until).range(0.0, 1.0);
  f.add("valid_until", stored.split.valid_until).range(0.0, 1.0);
  return f;
}

/// Files of frugal 1.0.0 have none of these: their networks know times as the stream counts them.
OptionFields described(TimeScale& time) {
  OptionFields f;
  f.add("unit", time.unit).finite().positive();
  f.add("steps", time.steps).finite().not_negative();
  return f;
}

/// Files of models with a decoder of embeddings alone have none of these.
OptionFields described(DecoderKind& decoder) {
  OptionFields f;
  f.add("kind", decoder, kDecoderNames);
  return f;
}

/// Files of models without pair features have none of these.
OptionFields described(PairHistoryOptions& o) {
  OptionFields f;
  f.add("places", o.places).range(1, 1024);
  f.add("time_unit", o.time_unit).finite().positive();
  f.add("hops", o.walks.hops).range(1, 4);
  f.add("dim", o.walks.dim).range(std::size_t{0}, WalkProjections::kMaxDim);
  f.add("half_life", o.walks.half_life).finite().positive();
  f.add("seed", o.walks.seed);
  return f;
}

/// Metadata of which each is well may not go together.
void check_modules(const TgnOptions& network, const SessionOptions& session, std::size_t types,
                   const std::string& path) {
  try {
    check_network(network);
  } catch (const Error& error) {
    fail(ExitStatus::bad_input, path, ": ", error.what());
  }
  if (network.embeds_pairs() &&
      (session.mode != MemoryMode::window || network.aggregator != AggregatorKind::last)) {
    fail(ExitStatus::bad_input, path,
         ": a network that embeds pairs has no memory, but has memory ",
         memory_mode_name(session.mode), " and aggregator ",
         kAggregatorNames[static_cast<std::size_t>(network.aggregator)],
         ", expected window and last");
  }
  if (types != 0 && (network.embeds_pairs() || network.reads_common())) {
    fail(ExitStatus::bad_input, path,
         ": a network that does not read the edge type of a pair, expected no tgn.types");
  }
  if (network.reads_common() && session.pairs) {
    fail(
        ExitStatus::bad_input, path,
        ": a decoder of common neighbours reads no features of pairs, expected no tgn.pair_places");
  }
  if (!network.dyrep || session.mode == MemoryMode::exact) return;
  fail(ExitStatus::bad_input, path, ": dyrep with memory ", memory_mode_name(session.mode),
       ", expected exact");
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

void load_types(const Metadata& metadata, const std::string& path, TgnModelFile& stored,
                TgnInputs& inputs) {
  stored.types = header_names_of(kTypesKey, metadata, path);
  const auto column = metadata.find(kTypeColumnKey);
  if (column != metadata.end()) stored.type_column = column->second;
  if (const std::string* const name = repeated(stored.types)) {
    fail(ExitStatus::bad_input, path, ": metadata ", kTypesKey, " names '", printable(*name, 40),
         "' twice, expected each edge type once");
  }
  inputs.types = stored.types.size();
  inputs.pair_features += inputs.types;
  if (inputs.types <= std::min(kMostNetworkTypes, inputs.edge_features)) return;
  fail(ExitStatus::bad_input, path, ": metadata ", kTypesKey, " names ", inputs.types,
       " edge types, expected at most ", kMostNetworkTypes, ", and at most tgn.edge_features, ",
       inputs.edge_features);
}

/// Sets network, inputs and session to those of a file that has a network.
void read_network(const Metadata& m, const std::string& path, TgnModelFile& stored,
                  TgnOptions& network, TgnInputs& inputs) {
  read_metadata(described(stored, network, inputs), kPrefix, m, path);
  if (m.contains("tgn.decoder_kind")) read_metadata(described(network.decoder), kDecoder, m, path);
  if (m.contains("tgn.pair_places")) {
    read_metadata(described(stored.session.pairs.emplace()), kPairs, m, path);
    stored.session.pairs->typed = m.contains(kTypesKey);
    (network.embeds_pairs() ? inputs.walk_hops : inputs.pair_features) =
        network.embeds_pairs() ? stored.session.pairs->walks.hops
                               : stored.session.pairs->num_features();
  }
  if (network.embeds_pairs() && (!stored.session.pairs || stored.session.pairs->walks.dim == 0)) {
    fail(ExitStatus::bad_input, path,
         ": the network embeds pairs by walks, expected tgn.pair_dim above 0");
  }
}

/// Bytes of the memory that a model has; 0: none, or it is no file that can be read twice.
std::uint64_t memory_size(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return 0;
  const std::optional<DocumentInfo> info = TensorReader(path).next_info();
  const TensorInfo* const memory = info ? info->find(TrainedMemory::kTensor) : nullptr;
  return memory == nullptr ? 0 : memory->end - memory->begin;
}

}  // namespace

void save_model(TgnModelFile& stored, Document& document) {
  TgnOptions network = stored.model->options();
  TgnInputs inputs = stored.model->inputs();
  Metadata& m = document.metadata;
  m["frugal.kind"] = "model";
  m["frugal.tool"] = "tgn-train";
  if (network.is_empty) {
    write_metadata(described_stream(stored, inputs, network.memory_dim), kPrefix, m);
  } else {
    write_metadata(described(stored, network, inputs), kPrefix, m);
  }
  write_metadata(described(stored.session.time), kTime, m);
  add_header_names(kFeaturesKey, stored.features, m);
  add_header_names(kColumnsKey, stored.roles, m);
  add_header_names(kTypesKey, stored.types, m);
  if (!stored.type_column.empty()) m[kTypeColumnKey] = stored.type_column;
  if (stored.session.pairs) write_metadata(described(*stored.session.pairs), kPairs, m);
  if (network.reads_common()) write_metadata(described(network.decoder), kDecoder, m);
  stored.model->save(document);
  stored.session.edge_scaling.save("edge_features", document);
  stored.session.node_scaling.save("node_features", document);
  if (stored.mix) stored.mix->save(document);
  if (stored.trained) stored.trained->save(document);
  if (!stored.labels) return;
  save_labels(*stored.labels, stored.label_task, stored.label_batch, document);
}

TgnModelFile load_model(Document document, const std::string& path, Precision precision) {
  check_document(document, path, {"a model of tgn-train train", {"model"}, "tgn-train"});
  check_finite(document, path);
  if (document.metadata.contains("affinity.average")) {
    fail(ExitStatus::bad_input, path,
         ": a model of train-affinity, expected one of train; eval-affinity and predict-affinity "
         "use it");
  }
  TgnModelFile stored;
  stored.trained = TrainedMemory::take(document, path);
  TgnOptions network;
  TgnInputs inputs;
  const Metadata& m = document.metadata;
  const auto architecture = m.find("tgn.architecture");
  const bool has_network = architecture == m.end() || architecture->second != kNoNetwork;
  if (has_network) {
    read_network(m, path, stored, network, inputs);
  } else {
    std::size_t node_dim = 0;
    read_metadata(described_stream(stored, inputs, node_dim), kPrefix, m, path);
    network = no_network(node_dim);
    inputs.node_features = node_dim != 0;
  }
  if (m.contains("tgn.time_unit")) read_metadata(described(stored.session.time), kTime, m, path);
  load_types(m, path, stored, inputs);
  stored.features = header_names_of(kFeaturesKey, m, path);
  stored.roles = header_names_of(kColumnsKey, m, path);
  network.precision = precision;
  if (has_network) {
    check_modules(network, stored.session, inputs.types, path);
    check_size(network, inputs, document, path);
  }
  stored.model = std::make_unique<TgnModel>(network, inputs);
  stored.model->load(document, path);
  if (stored.trained) stored.trained->check(*stored.model, stored.session);
  const std::size_t nodes = inputs.node_features ? network.memory_dim : 0;
  stored.session.edge_scaling =
      FeatureScaling::load("edge_features", inputs.edge_features - inputs.types, document, path);
  stored.session.node_scaling = FeatureScaling::load("node_features", nodes, document, path);
  if (LinkMix::has(document)) {
    stored.mix = LinkMix::load(document, path, !stored.types.empty());
  }
  if (m.contains("tgn.label_batch")) {
    stored.labels =
        load_labels(document, path, *stored.model, stored.label_task, stored.label_batch);
  }
  if (!has_network && !stored.labels) {
    fail(ExitStatus::bad_input, path, ": a model without a network predicts labels, and has no ",
         "tgn.label_batch");
  }
  return stored;
}

TgnModelFile read_model(const std::string& path, Precision precision, const MemoryPlace& place) {
  TensorReadOptions options;
  std::shared_ptr<MappedMemory> room;
  const std::uint64_t size = place.tier == MemoryTier::disk ? memory_size(path) : 0;
  if (size != 0) {
    TemporaryFile file(place.folder);
    file.reserve(size);
    room = file.map();
    options.places[TrainedMemory::kTensor] = {room->data(), size};
  }
  TgnModelFile stored = load_model(read_document(path, options), path, precision);
  if (stored.trained) stored.trained->room = std::move(room);
  return stored;
}

const TrainedMemory* memory_for(TgnModelFile& stored, const EventStream& stream) {
  if (!stored.trained) return nullptr;
  if (stored.trained->is_of(stream)) {
    stored.trained->fit(stream);
    return &*stored.trained;
  }
  log_info(stored.trained->path, ": its memory is of other events; made anew from ", stream.path());
  return nullptr;
}

void check_has_network(const TgnModelFile& stored, const std::string& path) {
  if (!stored.model->options().is_empty) return;
  fail(ExitStatus::usage, path,
       ": predicts labels without a network, expected a model of train --task link");
}

void check_embeds_nodes(const TgnModelFile& stored, const std::string& path) {
  check_has_network(stored, path);
  const TgnOptions& network = stored.model->options();
  if (network.reads_common()) {
    fail(ExitStatus::usage, path,
         ": a model of --decoder common, whose scores also depend on common neighbours, which "
         "embeddings do not have; expected one of --decoder mlp");
  }
  if (!network.embeds_pairs()) return;
  fail(ExitStatus::usage, path, ": a model of architecture ", stored.architecture,
       ", which embeds a node with regard to the node it is paired with; expected one that embeds "
       "nodes alone, such as tgn-attn");
}

namespace {

/// Fails (bad_input) if the stream, which was opened with the model's types, has others.
void check_types(const TgnModelFile& stored, const EventStream& stream, const std::string& path) {
  const HeaderNames types = stream.type_names();
  if (types == stored.types) return;
  if (stored.types.empty()) {
    fail(ExitStatus::bad_input, stream.path(), ": events have the edge types ", some_of(types),
         ", the model ", path,
         " takes none, expected events imported without them (import --columns)");
  }
  HeaderNames unknown;
  for (const std::string& name : types) {
    if (std::find(stored.types.begin(), stored.types.end(), name) == stored.types.end()) {
      unknown.push_back(name);
    }
  }
  fail(ExitStatus::bad_input, stream.path(), ": events have ",
       types.empty() ? "no edge types" : "the unknown edge types " + some_of(unknown),
       ", the model ", path, " takes the edge types ", some_of(stored.types),
       types.empty() ? ", expected a column of them (import --columns NAME:edge_type)"
                     : ", expected no others; leave such events out, or train a model with them");
}

}  // namespace

void check_inputs(const TgnModelFile& stored, const EventStream& stream, const std::string& path) {
  const TgnInputs& inputs = stored.model->inputs();
  if (stream.edge_features().dim != inputs.edge_features - inputs.types) {
    fail(ExitStatus::bad_input, stream.path(), ": events have ",
         format_count(stream.edge_features().dim, "feature"), ", the model ", path, " takes ",
         inputs.edge_features - inputs.types);
  }
  check_types(stored, stream, path);
  const HeaderNames names = stream.feature_names();
  if (!names.empty() && !stored.features.empty() && names != stored.features) {
    fail(ExitStatus::bad_input, stream.path(), ": events have the features ", joined(names),
         ", the model ", path, " takes ", joined(stored.features));
  }
  const std::size_t nodes = stream.node_features().dim;
  if (nodes != (inputs.node_features ? stored.model->options().memory_dim : 0)) {
    fail(ExitStatus::bad_input, stream.path(), ": nodes have ", format_count(nodes, "feature"),
         ", the model ", path, " takes ",
         inputs.node_features ? stored.model->options().memory_dim : 0);
  }
}

}  // namespace frugal::tgn
