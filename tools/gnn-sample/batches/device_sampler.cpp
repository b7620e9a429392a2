#include "tools/gnn-sample/batches/device_sampler.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/engine_array.h"

namespace frugal::gnn {
namespace {

const char* draw_name(DrawKind kind) {
  switch (kind) {
    case DrawKind::repeated: return "repeated";
    case DrawKind::last: return "last";
    case DrawKind::window: return "window";
    case DrawKind::labor: return "labor";
    case DrawKind::weighted: return "weighted";
    case DrawKind::weighted_repeated: return "weighted_repeated";
    default: return "uniform";
  }
}

const char* flag(bool set) { return set ? "1" : "0"; }

/// The draw takes an edge more than once.
bool repeats(DrawKind kind) {
  return kind == DrawKind::repeated || kind == DrawKind::weighted_repeated;
}

std::string fanout_sizes(const Fanouts& fanouts) {
  std::string text;
  for (const std::uint32_t f : fanouts) text += (text.empty() ? "" : "-") + std::to_string(f);
  return text;
}

EngineSettings settings_of(const SamplerFactory& factory, const DeviceSampling& sampling,
                           DeviceGraph place) {
  const DrawnEdges drawn = factory.drawn_edges();
  const NeighborSamplerOptions& o = factory.options();
  const CsrView& csr = drawn.edges.csr;
  std::uint64_t expected = sampling.expected_edges;
  if (!repeats(drawn.kind) && !o.disjoint) {
    expected = std::min(expected, drawn.fanouts.size() * csr.num_edges());
  }
  return {{"nodes", std::to_string(csr.num_nodes())},
          {"edges", std::to_string(csr.num_edges())},
          {"graph_place", place == DeviceGraph::pinned ? "pinned" : "device"},
          {"method", draw_name(drawn.kind)},
          {"fanouts", fanout_sizes(drawn.fanouts)},
          {"semantics", o.semantics == Semantics::mfg ? "mfg" : "frontier"},
          {"batch_size", std::to_string(o.max_seeds)},
          {"disjoint", flag(o.disjoint)},
          {"positions", flag(o.edge_positions)},
          {"times", flag(drawn.temporal)},
          {"zero_weights", flag(drawn.alias != nullptr && !drawn.alias->drawable().empty())},
          {"expected_edges", std::to_string(expected)}};
}

/// Bytes of what lies with each edge.
std::uint64_t edge_bytes(const DrawnEdges& drawn) {
  std::uint64_t bytes = sizeof(NodeId);
  if (drawn.temporal) bytes += sizeof(double);
  if (drawn.alias != nullptr) bytes += sizeof(float) + 2 * sizeof(std::uint32_t);
  if (drawn.kind == DrawKind::window) bytes += sizeof(NodeId);
  return bytes * drawn.edges.csr.num_edges();
}

std::unique_ptr<DeviceEngine> open_sampling(const StoredGraph& graph, const SamplerFactory& factory,
                                            const DeviceSampling& sampling, DeviceGraph place) {
  const std::uint64_t bytes = edge_bytes(factory.drawn_edges());
  if (place == DeviceGraph::pinned) check_memory(graph.path() + ": pinned for a device", bytes);
  auto engine = open_engine({sampling.device, sampling.command, "gnn.sample",
                             settings_of(factory, sampling, place), factory.options().max_seeds});
  if (engine != nullptr) {
    log_verbose("the graph's edges, ", format_bytes(bytes),
                place == DeviceGraph::pinned ? ", are pinned in the host's memory"
                                             : ", are in the device's memory");
  }
  return engine;
}

}  // namespace

DeviceSampler::DeviceSampler(std::unique_ptr<DeviceEngine> engine, const SamplerFactory& factory)
    : engine_(std::move(engine)), factory_(factory), edges_(factory.drawn_edges()) {
  bring_graph();
}

void DeviceSampler::bring_graph() {
  const EdgeSet& edges = edges_.edges;
  std::vector<EngineArray> arrays{array_in("graph.offsets", FRUGAL_U64, edges.csr.offsets),
                                  array_in("graph.neighbors", FRUGAL_U32, edges.csr.neighbors)};
  if (edges_.temporal) arrays.push_back(array_in("graph.times", FRUGAL_F64, edges.times));
  if (edges_.alias != nullptr) {
    const AliasList alias = edges_.alias->row(0, 0);
    const std::size_t num_edges = edges.csr.num_edges();
    arrays.push_back(array_in("graph.weights", FRUGAL_F32, edges.weights));
    arrays.push_back(array_in("graph.alias_high", FRUGAL_U32, std::span(alias.high, num_edges)));
    arrays.push_back(array_in("graph.alias_low", FRUGAL_U32, std::span(alias.low, num_edges)));
    if (!edges_.alias->drawable().empty()) {
      arrays.push_back(array_in("graph.drawable", FRUGAL_U32, edges_.alias->drawable()));
    }
  }
  engine_->set(arrays);
}

void DeviceSampler::submit(const SampleSeeds& seeds, std::uint64_t epoch, std::uint64_t number) {
  const NeighborSamplerOptions& o = factory_.options();
  const std::uint64_t key = batch_key(o.seed, epoch, number);
  std::vector<std::uint64_t> keys;
  for (std::size_t h = 0; h < edges_.fanouts.size(); ++h) keys.push_back(hop_key(key, 0, h));
  const std::array<std::uint64_t, 3> shuffle = {epoch, o.seed, EpochShuffle::stream_of(epoch)};
  std::vector<EngineArray> batch{
      array_in("seeds", FRUGAL_U32, seeds.nodes),
      array_in("keys", FRUGAL_U64, std::span<const std::uint64_t>(keys)),
      array_in("shuffle", FRUGAL_U64, std::span<const std::uint64_t>(shuffle))};
  if (edges_.temporal) batch.push_back(array_in("times", FRUGAL_F64, seeds.times));
  if (!seeds.hidden.empty()) {
    find_links(edges_.edges.csr, edges_.edges.times.empty(), seeds.hidden, hidden_);
    batch.push_back(array_in("hidden", FRUGAL_U64, std::span<const EdgeId>(hidden_)));
  }
  engine_->submit({}, batch);
}

void DeviceSampler::fetch(const SampleSeeds& seeds, MiniBatch& batch) {
  std::vector<std::uint64_t> sizes(2 * edges_.fanouts.size() + 3);
  engine_->run({}, std::array{EngineArray{"sizes", FRUGAL_U64, {sizes.size()}, sizes.data()}});
  if (sizes.back() == 0) return fill(seeds, sizes, batch);
  engine_->run({}, {});
  ++num_doubtful_;
  if (here_ == nullptr) here_ = factory_.make();
  here_->sample(seeds, batch);
}

/// sizes: nodes behind the seeds and each hop, then edges, then whether draws are in doubt.
void DeviceSampler::fill(const SampleSeeds& seeds, const std::vector<std::uint64_t>& sizes,
                         MiniBatch& batch) {
  const NeighborSamplerOptions& o = factory_.options();
  const std::size_t hops = edges_.fanouts.size();
  batch.nodes_.resize(1);
  batch.edges_.resize(1);
  SampledNodes& nodes = batch.nodes_.front();
  SampledEdges& edges = batch.edges_.front();
  nodes.known.assign(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(hops) + 1);
  nodes.size = nodes.known.back();
  edges.source_type = edges.target_type = 0;
  edges.size = sizes[2 * hops + 1];
  edges.hops.clear();
  std::size_t offsets = 0;
  for (std::size_t h = 0; h < hops; ++h) {
    const bool anew = o.semantics == Semantics::mfg;
    edges.hops.push_back(anew ? offsets : 0);
    offsets = (anew ? offsets : 0) + nodes.known[h] + 1;
  }
  nodes.ids.make_room(nodes.size, 0);
  edges.offsets.make_room(offsets, 0);
  edges.neighbors.make_room(edges.size, 0);
  batch.places_.resize(seeds.nodes.size());
  std::vector<EngineArray> arrays{
      {"nodes", FRUGAL_U32, {nodes.size}, nodes.ids.data()},
      {"offsets", FRUGAL_U32, {offsets}, edges.offsets.data()},
      {"neighbors", FRUGAL_U32, {edges.size}, edges.neighbors.data()},
      {"places", FRUGAL_U32, {seeds.nodes.size()}, batch.places_.data()}};
  if (o.disjoint) {
    nodes.roots.make_room(nodes.size, 0);
    arrays.push_back({"roots", FRUGAL_U32, {nodes.size}, nodes.roots.data()});
  }
  if (o.edge_positions) {
    edges.positions.make_room(edges.size + 1, 0);
    arrays.push_back({"positions", FRUGAL_U64, {edges.size}, edges.positions.data()});
  }
  engine_->run({}, arrays);
  busy_seconds_ += engine_->collect(false).busy_seconds;
  batch.num_seeds_ = nodes.known.front();
  if (batch.num_seeds_ == seeds.nodes.size()) batch.places_.clear();
  batch.times_.assign(seeds.times.begin(), seeds.times.end());
  batch.seed_type_ = 0;
  batch.has_roots_ = o.disjoint;
  batch.has_positions_ = o.edge_positions;
}

bool SampledAhead::next(LinkBatch& seeds, MiniBatch& batch) {
  send();
  if (on_their_way_.empty()) return false;
  std::swap(seeds, on_their_way_.front());
  on_their_way_.pop_front();
  batch.epoch = seeds.seeds.epoch;
  batch.number = seeds.seeds.number;
  sampler_.fetch(sample_seeds(seeds, hides_), batch);
  send();
  return true;
}

void SampledAhead::send() {
  LinkBatch next;
  while (on_their_way_.size() < DeviceSampler::kDepth && seeds_(next)) {
    sampler_.submit(sample_seeds(next, hides_), next.seeds.epoch, next.seeds.number);
    on_their_way_.push_back(std::move(next));
  }
}

void describe_device_graph(const OptionFields& fields, DeviceGraph& place) {
  fields
      .add("--device-graph", place, kDeviceGraphNames,
           "where the graph is stored while a device samples. device: in its memory. pinned: in "
           "the host's memory, from which the device reads. auto: the first of these that fits")
      .keeps_result();
}

void check_device_of_walks(const std::string& device, const std::string& command) {
  if (device == "cpu" || device == "auto") return;
  fail(ExitStatus::unavailable, "--device ", device, ": ", command,
       " has an engine for neighbourhoods, not for --walks");
}

std::unique_ptr<DeviceSampler> make_device_sampler(const StoredGraph& graph,
                                                   const SamplerFactory& factory,
                                                   const DeviceSampling& sampling) {
  if (sampling.device == "cpu") return nullptr;
  if (graph.heterogeneous()) {
    if (sampling.device == "auto") return nullptr;
    fail(ExitStatus::unavailable, "--device ", sampling.device, ": ", sampling.command,
         " has an engine for graphs of one type, ", graph.path(), " has several");
  }
  std::vector<DeviceGraph> places = {sampling.place};
  if (sampling.place == DeviceGraph::automatic) {
    places = {DeviceGraph::device, DeviceGraph::pinned};
  }
  for (const DeviceGraph place : places) {
    const bool last = place == places.back();
    try {
      auto engine = open_sampling(graph, factory, sampling, place);
      if (engine != nullptr) return std::make_unique<DeviceSampler>(std::move(engine), factory);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::unavailable) throw;
      if (last && sampling.device != "auto") throw;
    }
  }
  return nullptr;
}

}  // namespace frugal::gnn
