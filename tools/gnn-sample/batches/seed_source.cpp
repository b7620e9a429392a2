#include "tools/gnn-sample/batches/seed_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/line_reader.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/gnn-sample/batches/link_file.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/settings/sampling_options.h"

namespace frugal::gnn {
namespace {

/// Local ids of seeds and what is drawn for them stay far below 2^32.
constexpr std::uint64_t kMaxSeeds = std::uint64_t{1} << 26;

/// Times of seeds: dates if those of the edges were dates, otherwise numbers.
class SeedTimes {
 public:
  /// Borrows the graph.
  explicit SeedTimes(const StoredGraph& graph) : graph_(graph) {
    const MetadataReader read(graph.metadata(), graph.path());
    if (read.has(kDatesKey)) dates_ = read.flag(kDatesKey, false);
  }

  /// The time in a line; nothing if the text is none. Fails (bad_input) with the reader's place if
  /// it is of the other kind, as it cannot be compared with times of edges.
  std::optional<double> parse(std::string_view text, const LineReader& reader) const {
    const auto number = parse_number<double>(text);
    const auto time = number ? number : parse_date(text);
    if (!time || std::isnan(*time)) return std::nullopt;
    // Both infinities mean the same of dates and numbers.
    if (!dates_ || std::isinf(*time) || *dates_ == !number) return time;
    fail(ExitStatus::bad_input, reader.place(), ": found '", printable(text, 40),
         "' as time, expected a ", *dates_ ? "date such as 2024-02-29" : "number",
         ", as the edges of ", graph_.path(), " have");
  }

 private:
  const StoredGraph& graph_;
  std::optional<bool> dates_;  ///< nothing: the graph was imported before this was stored
};

LinkList read_links(const std::string& path, const StoredGraph& graph, bool temporal) {
  LinkList list;
  const NodeSet& nodes = graph.content().node_set();
  LinkFile file(path, nodes, nodes);
  const SeedTimes times(graph);
  const char* const third = temporal ? "a time" : "";
  for (LinkLine line; file.next(line);) {
    if (temporal && !line.has_third) file.refuse(third);
    const auto time = line.has_third ? times.parse(line.third, file.lines()) : 0;
    if (!time) file.refuse(third);
    list.links.push_back(line.link);
    if (temporal) list.times.push_back(*time);
  }
  if (list.links.empty()) fail(ExitStatus::bad_input, path, ": there are no edges");
  return list;
}

/// All edges; of an undirected graph, which has both directions, those that do not descend.
LinkList links_of(const StoredGraph& graph, bool temporal) {
  LinkList list;
  list.either_way = !graph.directed();
  const CsrView csr = graph.csr();
  for (std::size_t v = 0; v < csr.num_nodes(); ++v) {
    const auto target = static_cast<NodeId>(v);
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const NodeId source = csr.neighbors[e];
      if (list.either_way && source > target) continue;
      list.links.push_back({source, target});
      if (temporal) list.times.push_back(graph.times()[e]);
    }
  }
  if (list.links.empty()) fail(ExitStatus::bad_input, graph.path(), ": there are no edges");
  if (list.links.size() > std::numeric_limits<std::uint32_t>::max()) {
    fail(ExitStatus::unavailable, graph.path(), ": ", list.links.size(),
         " edges are more than --seeds edges can take; give some of them with --edges");
  }
  return list;
}

/// Time of the newest edge into node v of that type; 0 if there is none.
double newest_edge(const StoredGraph& graph, std::size_t type, NodeId v) {
  std::optional<double> newest;
  for (const EdgeSet& edges : graph.content().edges) {
    if (edges.target_type != graph.content().nodes[type].type || edges.times.empty()) continue;
    if (edges.csr.degree(v) == 0) continue;
    const double time = edges.times[edges.csr.offsets[v + 1] - 1];
    newest = std::max(newest.value_or(time), time);
  }
  return newest.value_or(0);
}

std::vector<double> read_times(const StoredGraph& graph, const std::string& path,
                               std::size_t wanted) {
  const SeedTimes parser(graph);
  std::vector<double> times;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::optional<double> time = parser.parse(line, reader);
    if (!time) {
      fail(ExitStatus::bad_input, reader.place(), ": expected a time, found '", printable(line),
           "'");
    }
    times.push_back(*time);
  }
  if (times.size() != wanted) {
    fail(ExitStatus::bad_input, path, ": ", times.size(), " times for ", wanted, " seeds");
  }
  return times;
}

std::vector<double> times_of(const StoredGraph& graph, const std::string& which, std::size_t type,
                             const std::vector<NodeId>& nodes) {
  if (which == "end") {
    return std::vector<double>(nodes.size(), std::numeric_limits<double>::infinity());
  }
  if (which != "newest") return read_times(graph, which, nodes.size());
  std::vector<double> times;
  for (const NodeId v : nodes) times.push_back(newest_edge(graph, type, v));
  return times;
}

bool has_times(const StoredGraph& graph) {
  const std::vector<EdgeSet>& edges = graph.content().edges;
  return std::any_of(edges.begin(), edges.end(),
                     [](const EdgeSet& set) { return !set.times.empty(); });
}

/// Fails (usage) if the seeds are a part of a split that the graph does not have. Training has its
/// own check, with other advice.
void check_has_split(const StoredGraph& graph, const std::string& seeds, std::size_t type) {
  const bool is_part = seeds == "train" || seeds == "valid" || seeds == "test";
  if (!is_part || !graph.content().nodes[type].splits.empty()) return;
  const std::string& name = graph.content().nodes[type].type;
  fail(ExitStatus::usage, graph.path(), ": --seeds ", seeds, ", but ",
       graph.heterogeneous() ? "nodes " + printable(name) + " have" : "the graph has",
       " no split: give --seeds all, or gnn-sample import ",
       graph.heterogeneous() ? "--split " + printable(name) + "=FILE" : "--split");
}

std::variant<SeedBatches, LinkBatches> make_batches(const StoredGraph& graph,
                                                    const SeedSourceOptions& o,
                                                    const SeedBatchOptions& batches,
                                                    std::size_t node_type) {
  if (o.temporal && !has_times(graph)) {
    fail(ExitStatus::bad_input, graph.path(),
         ": the edges have no times; give import some (--columns NAME:time)");
  }
  if (o.edges.empty() && o.seeds != "edges") {
    check_has_split(graph, o.seeds, node_type);
    std::vector<NodeId> nodes = find_seeds(graph, o.seeds, o.split, node_type);
    std::vector<double> times;
    if (o.temporal) times = times_of(graph, o.times, node_type, nodes);
    return SeedBatches(std::move(nodes), std::move(times), batches);
  }
  graph.require_homogeneous();
  NegativeLinkOptions negatives = o.negatives;
  negatives.sources_ascend = graph.times().empty();
  if (LinkBatches::max_seeds(batches.batch_size, negatives) > kMaxSeeds) {
    fail(ExitStatus::usage, "--batch-size ", batches.batch_size, " with --negatives ",
         negatives.per_link, " makes more than ", kMaxSeeds, " seeds");
  }
  LinkList list =
      o.edges.empty() ? links_of(graph, o.temporal) : read_links(o.edges, graph, o.temporal);
  return LinkBatches(std::move(list), batches, graph.csr(), negatives);
}

}  // namespace

SeedSource::SeedSource(const StoredGraph& graph, const SeedSourceOptions& options,
                       const SeedBatchOptions& batches)
    : node_type_(find_seed_type(graph, options.seed_type)),
      batches_(make_batches(graph, options, batches, node_type_)),
      max_seeds_(batches.batch_size) {
  if (!links()) return;
  max_seeds_ =
      static_cast<std::uint32_t>(LinkBatches::max_seeds(batches.batch_size, options.negatives));
}

std::uint64_t SeedSource::per_epoch() const {
  return std::visit([](const auto& batches) { return batches.per_epoch(); }, batches_);
}

std::uint64_t SeedSource::total() const {
  return std::visit([](const auto& batches) { return batches.total(); }, batches_);
}

std::uint64_t SeedSource::left() const {
  return std::visit([](const auto& batches) { return batches.left(); }, batches_);
}

bool SeedSource::next(LinkBatch& batch) {
  if (auto* nodes = std::get_if<SeedBatches>(&batches_)) return nodes->next(batch.seeds);
  return std::get<LinkBatches>(batches_).next(batch);
}

void SeedSource::complete(LinkBatch& batch) const {
  if (const auto* links = std::get_if<LinkBatches>(&batches_)) links->complete(batch);
}

}  // namespace frugal::gnn
