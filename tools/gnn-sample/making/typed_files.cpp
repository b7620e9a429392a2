#include "tools/gnn-sample/making/typed_files.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

bool is_type_name(std::string_view name) {
  return !name.empty() && is_utf8(name) && name.find_first_of(":,/=") == std::string_view::npos;
}

std::string name_of(const EdgeTypeFile& edges) {
  return edges.source + ":" + edges.relation + ":" + edges.target;
}

/// "TYPE=VALUE".
std::pair<std::string, std::string> type_and_value(const std::string& text, const char* option) {
  const std::size_t at = text.find('=');
  if (at != std::string::npos && at + 1 < text.size())
    return {text.substr(0, at), text.substr(at + 1)};
  fail(ExitStatus::usage, option, " is '", printable(text), "', expected TYPE=VALUE");
}

EdgeTypeFile parse_typed_edges(const std::string& text) {
  const auto [name, path] = type_and_value(text, "--edges");
  const auto parts = split(name, ':');
  if (parts.size() != 3 || !std::all_of(parts.begin(), parts.end(), is_type_name)) {
    fail(ExitStatus::usage, "--edges is '", printable(text),
         "', expected SOURCE:RELATION:TARGET=FILE; names have no comma, slash, colon or =");
  }
  return {std::string(parts[0]), std::string(parts[1]), std::string(parts[2]), path};
}

/// Sets what `set` says to the type of each "TYPE=VALUE".
template <class Set>
void set_types(const std::vector<std::string>& texts, const char* option, TypedFiles& files,
               const Set& set) {
  for (const std::string& text : texts) {
    const auto [type, value] = type_and_value(text, option);
    const auto found = std::find_if(files.nodes.begin(), files.nodes.end(),
                                    [&, &t = type](const NodeTypeFiles& n) { return n.type == t; });
    if (found == files.nodes.end()) {
      fail(ExitStatus::usage, option, " names type '", printable(type),
           "', expected one that --edges has");
    }
    set(*found, value);
  }
}

}  // namespace

TypedFiles files_of_options(const ImportOptions& o) {
  TypedFiles files;
  const auto add_type = [&](const std::string& type) {
    const bool known = std::any_of(files.nodes.begin(), files.nodes.end(),
                                   [&](const NodeTypeFiles& n) { return n.type == type; });
    if (!known) files.nodes.emplace_back().type = type;
  };
  for (const std::string& text : o.typed_edges) {
    files.edges.push_back(parse_typed_edges(text));
    add_type(files.edges.back().source);
    add_type(files.edges.back().target);
  }
  set_types(o.typed_features, "--features", files,
            [](NodeTypeFiles& n, const std::string& path) { n.features = path; });
  set_types(o.typed_labels, "--labels", files,
            [](NodeTypeFiles& n, const std::string& path) { n.labels = path; });
  set_types(o.typed_splits, "--split", files, [](NodeTypeFiles& n, const std::string& text) {
    (is_split_file(text) ? n.split : n.split_rule) = text;
  });
  set_types(o.typed_node_ids, "--node-ids", files,
            [](NodeTypeFiles& n, const std::string& path) { n.node_ids = path; });
  set_types(o.typed_nodes, "--nodes", files, [](NodeTypeFiles& n, const std::string& text) {
    n.nodes = parse_number<std::uint64_t>(text);
    if (!n.nodes || *n.nodes > kMostNodes) {
      fail(ExitStatus::usage, "--nodes is '", printable(text), "', expected TYPE=NUMBER");
    }
  });
  return files;
}

bool has_reverse(const ImportOptions& o, const EdgeTypeFile& edges) {
  return o.reverse_relations || (o.undirected && edges.source != edges.target);
}

EdgeTypeFile reverse_of(const EdgeTypeFile& edges) {
  return {edges.target, "rev_" + edges.relation, edges.source, edges.path};
}

void check_type_names(const ImportOptions& o, const TypedFiles& files, const std::string& place) {
  std::vector<std::string> names, added;
  for (const EdgeTypeFile& edges : files.edges) {
    names.push_back(name_of(edges));
    if (has_reverse(o, edges)) added.push_back(name_of(reverse_of(edges)));
    const auto known = [&](const std::string& type) {
      return is_type_name(type) &&
             std::any_of(files.nodes.begin(), files.nodes.end(),
                         [&](const NodeTypeFiles& n) { return n.type == type; });
    };
    if (known(edges.source) && known(edges.target) && is_type_name(edges.relation)) continue;
    fail(ExitStatus::bad_input, place, ": edges ", printable(names.back()),
         ", expected types that are listed, without ':', ',', '/' and '='");
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    fail(ExitStatus::usage, place, ": edges ", printable(*twice), " are there twice");
  }
  for (const std::string& name : added) {
    if (!std::binary_search(names.begin(), names.end(), name)) continue;
    fail(ExitStatus::usage, o.undirected ? "--undirected" : "--reverse-relations", " adds edges ",
         printable(name), ", which ", place, " has already; expected another name for these, or ",
         "the option left out if every relation has its reverse");
  }
}

}  // namespace frugal::gnn
