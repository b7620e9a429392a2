#include "tools/tgn-train/model/prediction_state.h"

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/header_names.h"

namespace frugal::tgn {
namespace {

constexpr char kStateKind[] = "stream-state";
constexpr char kModelKey[] = "tgn.model";
constexpr char kNamesKey[] = "tgn.names";
constexpr char kOwnIdsKey[] = "tgn.own_ids";
constexpr char kWholeKey[] = "tgn.whole_names";
/// Differs from kWholeKey, or is left out.
constexpr char kWholeDestinationsKey[] = "tgn.whole_destinations";
constexpr char kDestinations[] = "nodes.destinations";

std::string flag_text(bool value) { return value ? "true" : "false"; }

EventContent content_of(const LiveNodes& nodes, const LiveSession& session,
                        const FeatureRows& node_features) {
  const EventView view = session.events().view(nodes.size());
  EventContent content;
  content.num_nodes = nodes.size();
  content.first_id = nodes.naming().first_id;
  content.sources = view.sources;
  content.destinations = view.destinations;
  content.times = view.times;
  content.edge_features = session.events().features().without_types();
  content.types = view.types;
  content.node_features = node_features;
  content.name_offsets = nodes.stored().offsets();
  content.names = nodes.stored().bytes();
  return content;
}

LiveNodes nodes_of(const EventContent& content, const MetadataReader& read,
                   const std::string& path) {
  if (content.name_offsets.empty()) {
    fail(ExitStatus::bad_input, path, ": no tensor 'names.offsets', expected the nodes' names");
  }
  const bool whole = read.flag(kWholeKey, false);
  LiveNodes nodes(NodeNaming{read.flag(kNamesKey), read.flag(kOwnIdsKey), content.first_id, whole,
                             read.flag(kWholeDestinationsKey, whole)});
  const std::string_view all(reinterpret_cast<const char*>(content.names.data()),
                             content.names.size());
  try {
    for (std::size_t v = 0; v < content.num_nodes; ++v) {
      const std::uint64_t begin = content.name_offsets[v];
      nodes.restore(all.substr(begin, content.name_offsets[v + 1] - begin));
    }
  } catch (const Error& error) {
    fail(error.status(), path, ": ", error.what());
  }
  return nodes;
}

}  // namespace

std::string model_fingerprint(const Document& model) {
  std::uint64_t hash = 0;
  for (const auto& [key, value] : model.metadata) {
    if (key.starts_with("tgn.")) hash = hash_bytes(value, hash_bytes(key, hash));
  }
  for (const Tensor& tensor : model.tensors) {
    const auto content = tensor.content();
    hash = hash_bytes(content.data(), content.size(), hash_bytes(tensor.name, hash));
  }
  return std::to_string(hash);
}

FeatureRows PredictionState::feature_rows() const {
  if (node_features.shape.empty()) return {};
  return {node_features.dtype, node_features.content().data(),
          static_cast<std::size_t>(node_features.shape[0]),
          static_cast<std::size_t>(node_features.shape[1])};
}

std::vector<NodeId> PredictionState::destinations() const {
  std::vector<NodeId> all;
  for (NodeId v = 0; v < is_destination.size(); ++v) {
    if (is_destination[v] != 0) all.push_back(v);
  }
  return all;
}

void PredictionState::save(const std::string& path, LiveSession& session, MixKeys* keys,
                           LabelHistory* labels, const std::string& fingerprint,
                           const std::string& history_entry) const {
  if (session.events().size() == 0) {
    fail(ExitStatus::bad_input, path, ": no events that a state could be of, expected some");
  }
  session.drop_unneeded();
  Document document;
  Metadata& metadata = document.metadata;
  metadata[kKindKey] = kStateKind;
  metadata["frugal.tool"] = "tgn-train";
  metadata[kHistoryKey] = "[" + history_entry + "]";
  metadata[kModelKey] = fingerprint;
  metadata[kNamesKey] = flag_text(nodes.naming().names);
  metadata[kOwnIdsKey] = flag_text(nodes.naming().own_ids);
  const NodeNaming& naming = nodes.naming();
  if (naming.whole) metadata[kWholeKey] = flag_text(true);
  if (naming.whole_destinations != naming.whole) {
    metadata[kWholeDestinationsKey] = flag_text(naming.whole_destinations);
  }
  if (dates) metadata[kDatesKey] = flag_text(true);
  EventContent content = content_of(nodes, session, feature_rows());
  add_header_names(kTypesKey, types, content.metadata);
  add_events(content, document);
  session.save(document);
  if (keys != nullptr) keys->save(document, nodes.size());
  if (labels != nullptr) labels->save(document, nodes.size());
  document.tensors.push_back(
      Tensor::lend<std::uint8_t>(kDestinations, {is_destination.size()}, is_destination));
  write_document(path, document);
}

PredictionState PredictionState::load(const std::string& path, LiveSession& session,
                                      const std::string& fingerprint, MixKeys* keys,
                                      LabelHistory* labels) {
  const Document document = read_document(path);
  check_document(document, path, {"a state of tgn-train predict", {kStateKind}, "tgn-train"});
  const MetadataReader read(document, path);
  if (read.text(kModelKey) != fingerprint) {
    fail(ExitStatus::bad_input, path, ": was written with another model, expected the same");
  }
  const EventContent content = view_event_tensors(document, path);
  PredictionState state;
  state.nodes = nodes_of(content, read, path);
  state.dates = read.flag(kDatesKey, false);
  state.types = header_names_of(kTypesKey, document.metadata, path);
  session.load(content, document, path, state.nodes.keys());
  if (keys != nullptr) keys->load(document, path, content.num_nodes);
  if (labels != nullptr) {
    const EventTimes& times = content.times;
    const std::size_t events = content.sources.size();
    const double last = events == 0 ? 0 : times.between(0, static_cast<EventId>(events - 1));
    labels->load(document, path, content.num_nodes, last);
  }
  const auto flags = shaped_tensor(document, path, kDestinations, {content.num_nodes}, Dtype::u8)
                         .as<std::uint8_t>();
  state.is_destination.assign(flags.begin(), flags.end());
  if (!content.node_features.empty()) {
    state.node_features = document.at("node_features").clone();
    session.set_node_features(state.feature_rows());
  }
  return state;
}

}  // namespace frugal::tgn
