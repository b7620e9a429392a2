#include "tools/gnn-sample/tasks/link_relation.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

/// As import calls a relation of the reverse edges (making/typed_files.h).
constexpr char kReversePrefix[] = "rev_";

/// Number of edges of `edges` that `other` has; turned: has in the other direction. all: stops at
/// the first that it has not.
std::uint64_t count_shared(const EdgeSet& edges, const EdgeSet& other, bool turned,
                           bool all = false) {
  const EdgeLookup lookup(other);
  std::uint64_t count = 0;
  for (std::size_t v = 0; v < edges.csr.num_nodes(); ++v) {
    const auto target = static_cast<NodeId>(v);
    for (const NodeId source : edges.csr.row(target)) {
      const bool shared = turned ? lookup.has(target, source) : lookup.has(source, target);
      if (all && !shared) return count;
      count += shared ? 1 : 0;
    }
  }
  return count;
}

bool joins_same_types(const EdgeSet& a, const EdgeSet& b, bool turned) {
  return turned ? a.source_type == b.target_type && a.target_type == b.source_type
                : a.source_type == b.source_type && a.target_type == b.target_type;
}

bool is_reverse_by_name(const EdgeSet& reverse, const EdgeSet& edges) {
  return joins_same_types(reverse, edges, true) &&
         reverse.relation == kReversePrefix + edges.relation;
}

bool are_turned_round(const EdgeSet& a, const EdgeSet& b) {
  return joins_same_types(a, b, true) && a.csr.num_edges() == b.csr.num_edges() &&
         count_shared(a, b, true, true) == a.csr.num_edges();
}

/// Relations that keep edges which are held out of another one.
struct SharedEdges {
  std::uint64_t count = 0;
  std::vector<std::string> places;

  /// Adds those of `edges` that `other` has, in either direction.
  void add(const EdgeSet& edges, const EdgeSet& other) {
    for (const bool turned : {false, true}) {
      if (!joins_same_types(edges, other, turned)) continue;
      const std::uint64_t shared = count_shared(edges, other, turned);
      if (shared == 0) continue;
      count += shared;
      places.push_back(std::to_string(shared) + " in " + printable(edge_type_name(other)) +
                       (turned ? ", turned round" : ""));
    }
  }
};

/// Share of a relation's edges that others may have without a warning.
constexpr std::uint64_t kSharedTenths = 1;

}  // namespace

EdgeLookup::EdgeLookup(const EdgeSet& edges) : csr_(edges.csr) {
  if (edges.times.empty()) return;
  sorted_.assign(csr_.neighbors.begin(), csr_.neighbors.end());
  for (std::size_t v = 0; v < csr_.num_nodes(); ++v) {
    std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(csr_.offsets[v]),
              sorted_.begin() + static_cast<std::ptrdiff_t>(csr_.offsets[v + 1]));
  }
  csr_.neighbors = sorted_;
}

LinkRelation::LinkRelation(const StoredGraph& graph, std::size_t edges)
    : graph_(graph), edges_(edges) {
  const GraphContent& content = graph.content();
  if (!content.heterogeneous) {
    either_way_ = !content.directed;
    return;
  }
  const auto number_of = [&](const std::string& type) {
    return static_cast<std::size_t>(&content.nodes_of(type) - content.nodes.data());
  };
  source_type_ = number_of(edge_set().source_type);
  target_type_ = number_of(edge_set().target_type);
  either_way_ = one_type() && are_turned_round(edge_set(), edge_set());
}

std::uint64_t LinkRelation::key(NodeId source, NodeId target) const {
  if (one_type() && source > target) std::swap(source, target);
  return std::uint64_t{source} << 32 | target;
}

std::string LinkRelation::place() const {
  const std::string name = edge_type_name(edge_set());
  return graph_.path() + (name.empty() ? "" : ": " + printable(name));
}

std::size_t find_relation(const StoredGraph& graph, const std::string& name) {
  const std::vector<EdgeSet>& edges = graph.content().edges;
  std::vector<std::string> names;
  std::vector<std::size_t> originals;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    names.push_back(edge_type_name(edges[e]));
    if (names.back() == name) return e;
    const bool made = std::ranges::any_of(
        edges, [&](const EdgeSet& other) { return is_reverse_by_name(edges[e], other); });
    if (!made) originals.push_back(e);
  }
  if (!name.empty()) {
    fail(ExitStatus::usage, "--relation '", printable(name), "' is no relation of ", graph.path(),
         ", expected one of ", joined(names));
  }
  if (originals.size() == 1) return originals.front();
  fail(ExitStatus::usage, graph.path(), " has several relations, expected --relation with one of ",
       joined(names));
}

std::vector<std::size_t> reverse_relations(
    const LinkRelation& relation, const std::function<bool(const std::string&)>& is_followed) {
  const std::vector<EdgeSet>& edges = relation.graph().content().edges;
  const EdgeSet& own = edges[relation.edges()];
  std::vector<std::size_t> found;
  SharedEdges shared;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (e == relation.edges()) continue;
    if (is_reverse_by_name(edges[e], own) || is_reverse_by_name(own, edges[e]) ||
        are_turned_round(own, edges[e])) {
      found.push_back(e);
    } else if (is_followed(edge_type_name(edges[e]))) {
      shared.add(own, edges[e]);
    }
  }
  if (shared.count != 0 && 10 * shared.count >= kSharedTenths * own.csr.num_edges()) {
    log_warning(relation.place(), ": other relations have its edges, of which there are ",
                own.csr.num_edges(), ", and keep those that are held out: ", joined(shared.places),
                "; --fanouts RELATION=0 leaves a relation out");
  }
  return found;
}

}  // namespace frugal::gnn
