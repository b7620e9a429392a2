#include "tools/gnn-sample/formats/named_graph.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/formats/edge_columns.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kBufferedEdges = std::size_t{1} << 16;
/// Names of attributes that a warning tells.
constexpr std::size_t kMostUnread = 10;

bool is_wanted(const std::string& column) { return !column.empty() && column != "none"; }

}  // namespace

void check_attribute_options(const std::string& path, const EdgeTextOptions& text, bool ends) {
  const bool named = !text.source_column.empty() || !text.target_column.empty();
  const char* const option = text.header != "auto" ? "--header"
                             : named && !ends      ? "a source or a target of --columns"
                                                   : nullptr;
  if (option == nullptr) return;
  fail(ExitStatus::usage, option, " is for edges in text, ", path, " is none: leave it out");
}

NamedGraph::NamedGraph(std::string path, const GraphReadOptions& options, GraphInput& input)
    : path_(std::move(path)),
      options_(options),
      input_(input),
      names_(options.text.names != nullptr ? *options.text.names : input.names),
      own_names_(options.text.names == nullptr),
      num_known_(names_.size()) {}

NodeId NamedGraph::node(std::string_view id) {
  if (!options_.text.new_names && !names_.find(id)) {
    fail(ExitStatus::bad_input, path_, ": node '", printable(id), "' is not in ",
         options_.text.names_source);
  }
  return names_.number(id);
}

void NamedGraph::add_node(std::string_view id) {
  const NodeId v = node(id);
  listed_.resize(std::max<std::size_t>(listed_.size(), std::size_t{v} + 1));
  if (listed_[v]) {
    fail(ExitStatus::bad_input, path_, ": node ", num_listed_ + 1, ": '", printable(id),
         "' is there a second time, expected a different id for each");
  }
  listed_[v] = true;
  ++num_listed_;
}

void NamedGraph::refuse_edge(const std::string& finding) const {
  fail(ExitStatus::bad_input, path_, ": edge ", num_edges_, ": ", finding);
}

const std::string& NamedGraph::text_of(const Attributes& attributes, const std::string& name,
                                       const char* what) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const auto& attribute) { return attribute.first == name; });
  if (found == attributes.end()) {
    refuse_edge("has no " + printable(name) + ", expected a " + std::string(what));
  }
  return found->second;
}

double NamedGraph::weight_of(const Attributes& attributes) const {
  const std::string& name = options_.text.weight_column;
  const std::string& text = text_of(attributes, name, "weight");
  if (const auto weight = parse_finite<double>(text)) return *weight;
  refuse_edge(printable(name) + " is '" + printable(text) + "', expected a weight");
}

double NamedGraph::time_of(const Attributes& attributes) {
  const std::string& name = options_.text.time_column;
  const std::string& text = text_of(attributes, name, "time");
  const auto number = parse_finite<double>(text);
  const auto time = number ? number : parse_date(text);
  if (num_edges_ == 1) input_.edges.dates = !number && time;
  if (time && input_.edges.dates == !number) return *time;
  refuse_edge(printable(name) + " is '" + printable(text) + "', expected a " +
              (!time                ? "time"
               : input_.edges.dates ? "date as the first edge has"
                                    : "number as the first edge has"));
}

void NamedGraph::add_edge(std::string_view source, std::string_view target,
                          const Attributes& attributes) {
  ++num_edges_;
  if (is_missing(source) || is_missing(target)) {
    refuse_edge("has no " + std::string(is_missing(source) ? "source" : "target") +
                ", expected the ids of two nodes");
  }
  chunk_.sources.push_back(node(source));
  chunk_.targets.push_back(node(target));
  if (is_wanted(options_.text.weight_column)) {
    const auto weight = static_cast<float>(weight_of(attributes));
    if (!is_weight(weight)) refuse_edge("has a weight that is not finite or negative");
    chunk_.weights.push_back(weight);
  }
  if (is_wanted(options_.text.time_column)) {
    chunk_.times.push_back(time_of(attributes));
  }
  if (options_.text.weight_column != "none") leave_out("edges", attributes);
  if (chunk_.size() < kBufferedEdges) return;
  input_.edges.chunks.push_back(std::exchange(chunk_, {}));
}

void NamedGraph::leave_out(const std::string& what, const Attributes& attributes) {
  for (const auto& attribute : attributes) {
    const std::string& name = attribute.first;
    if (name == options_.text.weight_column || name == options_.text.time_column) continue;
    std::string unread = name + " of " + what;
    if (unread_.size() >= kMostUnread) return;
    if (std::find(unread_.begin(), unread_.end(), unread) == unread_.end()) {
      unread_.push_back(std::move(unread));
    }
  }
}

/// A list of nodes has all of them.
void NamedGraph::check_listed() const {
  if (num_listed_ == 0 || !options_.text.new_names) return;
  for (std::size_t v = 0; v < names_.size(); ++v) {
    if (v < listed_.size() && listed_[v]) continue;
    fail(ExitStatus::bad_input, path_, v < num_known_ ? ": a file of nodes" : ": an edge",
         " names the node '", printable(names_.name(static_cast<NodeId>(v))),
         "', which is not among the ", format_count(num_listed_, "node"),
         v < num_known_ ? " of the graph" : "");
  }
}

/// Nodes are their numbers from here on.
void NamedGraph::keep_numbers(std::span<const std::uint64_t> numbers, std::uint64_t num_nodes) {
  for (EdgeChunk& chunk : input_.edges.chunks) {
    for (auto* ends : {&chunk.sources, &chunk.targets}) {
      for (NodeId& v : *ends) v = static_cast<NodeId>(numbers[v]);
    }
  }
  input_.edges.num_nodes = num_nodes;
  input_.names = {};
}

void NamedGraph::finish() {
  if (chunk_.size() != 0) input_.edges.chunks.push_back(std::move(chunk_));
  check_listed();
  if (!unread_.empty()) {
    log_warning(path_, ": ", joined(unread_), unread_.size() == 1 ? " is" : " are",
                " not read, expected --columns NAME:weight or NAME:time to keep one of edges, or "
                "none:weight");
  }
  input_.edges.num_nodes = names_.size();
  if (!own_names_ || names_.size() == 0) return;
  const auto numbers = names_.as_numbers();
  const std::uint64_t largest = numbers ? *std::max_element(numbers->begin(), numbers->end()) : 0;
  if (num_listed_ != 0) {
    if (numbers && largest + 1 == names_.size()) keep_numbers(*numbers, names_.size());
    return;
  }
  const std::uint64_t limit = options_.text.num_nodes;
  if (!numbers || largest >= limit) {
    fail(ExitStatus::bad_input, path_, ": the ids of nodes are ",
         numbers ? "up to " + std::to_string(largest) : "names", ", expected numbers from 0 to ",
         limit - 1, " (--ids any takes others)");
  }
  keep_numbers(*numbers, limit == kMostNodes ? largest + 1 : limit);
  input_.counted_by_ids = true;
}

}  // namespace frugal::gnn
