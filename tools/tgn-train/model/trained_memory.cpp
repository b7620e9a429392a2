#include "tools/tgn-train/model/trained_memory.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/tensors/metadata_reader.h"
#include "libcore/tensors/tensor_file.h"
#include "libcore/threading/find_bad.h"
#include "libcore/train/checkpoint.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/data/node_keys.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/history/partner_rings.h"

namespace frugal::tgn {
namespace {

constexpr char kLast[] = "past.last", kPartners[] = "pairs.partners", kNow[] = "pairs.now";

/// Value of every byte for nodes without events: 0xff for kNoEvent, otherwise 0.
std::byte without_events(const std::string& tensor) {
  const bool events = tensor.starts_with("past.") || tensor == "pairs.walks_updated";
  return std::byte{events ? std::uint8_t{0xff} : std::uint8_t{0}};
}

/// from: has rows for move.nodes_before nodes, as check() says.
Tensor move_rows(const Tensor& from, const NodeMove& move) {
  const std::span<const std::byte> rows = from.content();
  const std::size_t row_bytes = rows.size() / move.nodes_before;
  Shape shape = from.shape;
  // Tensors of bytes have no axis of nodes.
  shape[0] = shape[0] / move.nodes_before * move.nodes;
  Tensor to = Tensor::make(from.name, from.dtype, shape);
  std::fill(to.bytes.begin(), to.bytes.end(), without_events(from.name));
  for (NodeId v = 0; v < move.nodes_before; ++v) {
    if (!move.has(v)) continue;
    const auto row = rows.subspan(v * row_bytes, row_bytes);
    std::copy(row.begin(), row.end(),
              to.bytes.begin() + static_cast<std::ptrdiff_t>(move.of(v) * row_bytes));
  }
  return to;
}

std::span<const PartnerRings::Partner> partners_of(const Tensor& tensor) {
  const auto bytes = tensor.content();
  return {reinterpret_cast<const PartnerRings::Partner*>(bytes.data()),
          bytes.size() / sizeof(PartnerRings::Partner)};
}

/// Fails (bad_input), beginning with `where`, unless all partners are below these numbers.
void check_partners(const Tensor& tensor, const std::string& where, std::size_t nodes,
                    EventId events) {
  for (const PartnerRings::Partner& partner : partners_of(tensor)) {
    if (partner.node < nodes && partner.event < events) continue;
    fail(ExitStatus::bad_input, where, ": tensor '", kPartners, "' has node ", partner.node,
         " and event ", partner.event, ", expected less than ", nodes, " and ", events);
  }
}

void move_partners(const NodeMove& move, Tensor& partners) {
  auto* const begin = reinterpret_cast<PartnerRings::Partner*>(partners.bytes.data());
  for (PartnerRings::Partner& partner :
       std::span(begin, partners.bytes.size() / sizeof(PartnerRings::Partner))) {
    partner.node = static_cast<NodeId>(move.of(partner.node));
  }
}

/// The state of a session (StreamSession::save()) for a stream whose nodes have other numbers:
/// nodes that are new there have no events, those that it lacks had none.
Document move_nodes(const Document& state, const NodeMove& move) {
  Document moved;
  moved.metadata = state.metadata;
  for (const Tensor& tensor : state.tensors) {
    if (tensor.name == kNow) {
      moved.tensors.push_back(tensor.clone());
      continue;
    }
    moved.tensors.push_back(move_rows(tensor, move));
    if (tensor.name == kPartners) move_partners(move, moved.tensors.back());
  }
  return moved;
}

const std::string kTrainedPrefix = "trained.";  ///< before the names of its tensors
constexpr char kTrainedEventsKey[] = "tgn.trained_events";
constexpr char kStreamKey[] = "tgn.trained_stream";
constexpr char kDestinationsKey[] = "tgn.trained_destinations";

}  // namespace

TrainedMemory TrainedMemory::of(const EventStream& stream, EventId events,
                                const StreamSession& session) {
  TrainedMemory trained;
  trained.events = events;
  trained.stream = prefix_fingerprint(stream, events);
  trained.first_destination = keys_of(stream).first_destination;
  session.save(trained.state);
  return trained;
}

bool TrainedMemory::is_of(const EventStream& of) const {
  return events <= of.num_events() && prefix_fingerprint(of, events) == stream;
}

std::size_t TrainedMemory::num_nodes() const { return state.at(kLast).shape[0]; }

void TrainedMemory::check(const TgnModel& model, const SessionOptions& session) const {
  const std::string where = path + ": memory of training";
  const Tensor* const last = state.find(kLast);
  if (last == nullptr || last->shape.size() != 1 || last->shape[0] == 0 ||
      last->shape[0] > kMostNodes) {
    fail(ExitStatus::bad_input, where, ": tensor '", kLast, "' is ",
         last == nullptr ? "missing" : shape_text(last->shape), ", expected one event for each of ",
         "1 to ", kMostNodes, " nodes");
  }
  const std::size_t nodes = num_nodes();
  const std::string because = "as many nodes as '" + std::string(kLast) + "' has";
  std::vector<TensorInfo> expected = fixed_state_tensors(model, session, nodes);
  for (const TensorInfo& tensor : expected) {
    shaped_tensor(state, where, tensor.name, tensor.shape, tensor.dtype, because);
  }
  for (const Tensor& tensor : state.tensors) {
    const bool known = std::any_of(expected.begin(), expected.end(),
                                   [&](const TensorInfo& e) { return e.name == tensor.name; });
    if (known || (session.pairs && tensor.name == kNow)) continue;
    fail(ExitStatus::bad_input, where, ": tensor '", printable(tensor.name),
         "' belongs to no part of the model");
  }
  if (first_destination >= nodes) {
    fail(ExitStatus::bad_input, where, ": the first destination is node ", first_destination,
         ", expected one of ", nodes, " nodes: as many as '", kLast, "' has");
  }
  if (session.pairs) check_partners(state.at(kPartners), where, nodes, events);
}

/// Fails (bad_input) where one of the events is of a node that the state does not have.
void TrainedMemory::check_nodes(const EventStream& of, const NodeMove& move) const {
  const std::size_t lost = find_bad(events, [&](std::size_t e) {
    return move.had(of.sources()[e]) && move.had(of.destinations()[e]);
  });
  if ((move.first == 0) == (move.first_before == 0) && lost == events) return;
  fail(ExitStatus::bad_input, path, ": memory of training has ", move.nodes_before,
       " nodes, of which ", move.first_before,
       " are sources only, expected all nodes of the first ", events, " events of ", of.path());
}

void TrainedMemory::fit(const EventStream& of) {
  NodeMove move;
  move.nodes_before = num_nodes();
  move.nodes = of.num_nodes();
  move.first_before = first_destination;
  move.first = keys_of(of).first_destination;
  check_nodes(of, move);
  if (move.is_none()) return;
  state = move_nodes(state, move);
  first_destination = move.first;
}

void TrainedMemory::save(Document& model) const {
  model.metadata[kTrainedEventsKey] = std::to_string(events);
  model.metadata[kStreamKey] = stream;
  if (first_destination != 0) model.metadata[kDestinationsKey] = std::to_string(first_destination);
  add_nested(model, kTrainedPrefix, state);
}

std::optional<TrainedMemory> TrainedMemory::take(Document& model, const std::string& path) {
  if (!model.metadata.contains(kStreamKey)) return std::nullopt;
  const MetadataReader read(model, path);
  TrainedMemory trained;
  trained.events = static_cast<EventId>(read.number(kTrainedEventsKey, 1, kNoEvent));
  trained.stream = read.text(kStreamKey);
  if (model.metadata.contains(kDestinationsKey)) {
    trained.first_destination = static_cast<NodeId>(read.number(kDestinationsKey, 1, kMostNodes));
  }
  trained.path = path;
  std::vector<Tensor>& tensors = model.tensors;
  const auto first = std::stable_partition(tensors.begin(), tensors.end(), [](const Tensor& t) {
    return !t.name.starts_with(kTrainedPrefix);
  });
  for (auto tensor = first; tensor != tensors.end(); ++tensor) {
    tensor->name = tensor->name.substr(kTrainedPrefix.size());
  }
  std::move(first, tensors.end(), std::back_inserter(trained.state.tensors));
  tensors.erase(first, tensors.end());
  return trained;
}

void TrainedMemory::give(StreamSession& session) const {
  session.restart(Weights::fixed);
  session.load(state, path + ": memory of training", events);
}

}  // namespace frugal::tgn
