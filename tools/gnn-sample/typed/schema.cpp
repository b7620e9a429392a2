#include "tools/gnn-sample/typed/schema.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {
namespace {

std::size_t number_of(const std::vector<NodeType>& types, std::string_view name) {
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const NodeType& type) { return type.name == name; });
  return static_cast<std::size_t>(found - types.begin());
}

}  // namespace

TypedSchema TypedSchema::of(const StoredGraph& graph, const std::vector<std::size_t>& relations,
                            std::size_t seeds, std::optional<std::size_t> second) {
  TypedSchema schema;
  for (const NodeSet& set : graph.content().nodes) {
    schema.nodes.push_back({set.type, set.features ? set.features->dim : 0});
  }
  for (const std::size_t r : relations) {
    const EdgeSet& edges = graph.content().edges[r];
    schema.relations.push_back({edge_type_name(edges), number_of(schema.nodes, edges.source_type),
                                number_of(schema.nodes, edges.target_type)});
  }
  schema.seeds = seeds;
  schema.second = second;
  return schema;
}

TypedSchema TypedSchema::parse(const std::string& text, const std::string& place) {
  TypedSchema schema;
  for (const std::string_view line : split(text, '\n')) {
    if (line.find(':') == std::string_view::npos) {
      const std::size_t blank = std::min(line.rfind(' '), line.size() - 1);
      const auto features = parse_number<std::uint64_t>(line.substr(blank + 1));
      const std::string_view name = line.substr(0, blank);
      if (features && *features <= kMostFeatures && !name.empty() && schema.relations.empty() &&
          number_of(schema.nodes, name) == schema.nodes.size()) {
        schema.nodes.push_back({std::string(name), *features});
        continue;
      }
    } else if (const auto ends = split(line, ':'); ends.size() == 3) {
      const RelationType type = {std::string(line), number_of(schema.nodes, ends.front()),
                                 number_of(schema.nodes, ends.back())};
      const bool known = std::ranges::any_of(
          schema.relations, [&](const RelationType& r) { return r.name == type.name; });
      if (!known && std::max(type.source, type.target) < schema.nodes.size()) {
        schema.relations.push_back(type);
        continue;
      }
    }
    fail(ExitStatus::bad_input, place, " has the line '", printable(line),
         "', expected TYPE FEATURES for each type of nodes, then SOURCE:RELATION:TARGET");
  }
  return schema;
}

std::string TypedSchema::text() const {
  std::vector<std::string> lines;
  for (const NodeType& type : nodes) {
    lines.push_back(type.name + " " + std::to_string(type.features));
  }
  std::swap(lines.front(), lines[seeds]);
  for (const RelationType& relation : relations) lines.push_back(relation.name);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

TypePlaces TypePlaces::find(const TypedSchema& schema, const StoredGraph& graph,
                            const std::string& model) {
  const GraphContent& content = graph.content();
  TypePlaces places;
  const auto place = [&](const auto& sets, const std::string& name, const auto& name_of) {
    const auto found = std::find_if(sets.begin(), sets.end(),
                                    [&](const auto& set) { return name_of(set) == name; });
    if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());
    fail(ExitStatus::bad_input, graph.path(), ": the graph has no '", printable(name),
         "', a type that ", model, " was trained with");
  };
  for (const NodeType& type : schema.nodes) {
    const std::size_t at = place(content.nodes, type.name, [](const NodeSet& n) { return n.type; });
    const auto& features = content.nodes[at].features;
    if (type.features != 0 && (!features || features->dim != type.features)) {
      fail(ExitStatus::bad_input, graph.path(), ": a node of type '", printable(type.name),
           "' has ", features ? features->dim : 0, " features, expected ", type.features,
           ", those of ", model);
    }
    places.nodes.push_back(at);
  }
  for (const RelationType& relation : schema.relations) {
    places.edges.push_back(place(content.edges, relation.name, edge_type_name));
  }
  return places;
}

bool TypePlaces::has_weights(const StoredGraph& graph) const {
  return std::ranges::any_of(
      edges, [&](std::size_t e) { return !graph.content().edges[e].weights.empty(); });
}

void TypePlaces::require_weights(const StoredGraph& graph, const std::string& reader) const {
  if (has_weights(graph)) return;
  fail(ExitStatus::bad_input, graph.path(), ": the edges have no weights, which ", reader,
       " reads; give import some (--columns NAME:weight)");
}

}  // namespace frugal::gnn
