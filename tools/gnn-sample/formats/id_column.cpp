#include "tools/gnn-sample/formats/id_column.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {
namespace {

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

/// "id", "node", "new_id", "NodeId" and the like; "" is how pandas calls its index.
bool is_id_name(const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* known : {"", "id", "ids", "nid", "node", "nodes", "vertex", "idx", "index"}) {
    if (lower == known) return true;
  }
  for (const char* end : {"_id", "-id", " id", ".id", "_idx", "_index"}) {
    if (lower.ends_with(end)) return true;
  }
  const std::size_t n = name.size();
  return n > 2 && (name.ends_with("Id") || name.ends_with("ID")) && is_lower(name[n - 3]);
}

std::string column_text(const std::string& name) {
  return name.empty() ? "the first column, which has no name," : "column '" + printable(name) + "'";
}

/// Reorders values from the file's rows to nodes; nodes without a row get `none`.
template <class T>
std::vector<T> scattered(const RowNodes& rows, std::uint64_t nodes, const std::vector<T>& values,
                         T none) {
  std::vector<T> placed(nodes, none);
  for (std::size_t i = 0; i < values.size(); ++i) placed[rows.nodes()[i]] = values[i];
  return placed;
}

void check_below(const RowNodes& rows, std::uint64_t nodes) {
  if (rows.num_nodes() <= nodes) return;
  fail(ExitStatus::bad_input, rows.path(), ": has a row with id ", rows.num_nodes() - 1,
       ", expected ids below ", nodes, ", the number of nodes");
}

void warn_of_missing(const RowNodes& rows, std::uint64_t nodes, const char* what) {
  const std::uint64_t missing = nodes - rows.nodes().size();
  if (missing == 0) return;
  log_warning(rows.path(), ": ", missing, " of ", format_count(nodes, "node"),
              missing == 1 ? " has" : " have", " no row, and ", what);
}

}  // namespace

bool is_whole_name(std::string_view field) {
  return parse_whole(field) ||
         (!field.empty() && std::all_of(field.begin(), field.end(), is_digit));
}

std::string_view whole_name(std::string_view field, std::string_view line,
                            std::deque<std::string>& texts) {
  const bool plain = !field.empty() && (field[0] != '0' || field.size() == 1) &&
                     std::all_of(field.begin(), field.end(), is_digit);
  const auto number = plain ? std::nullopt : parse_whole(field);
  if (!number) return kept_field(field, line, texts);
  return texts.emplace_back(std::to_string(*number));
}

std::optional<std::size_t> RowNodes::find(const TableRow& fields, bool header,
                                          std::optional<std::size_t> read) {
  std::optional<std::size_t> found;
  for (const std::string& column : how_.columns) {
    if (found || fields.size() < 2) break;
    const auto at = std::find(fields.begin(), fields.end(), column);
    const auto number = parse_number<std::uint64_t>(column);
    if (header && at != fields.end()) {
      found = static_cast<std::size_t>(at - fields.begin());
    } else if (number && *number >= 1 && *number <= fields.size()) {
      found = static_cast<std::size_t>(*number - 1);
    }
  }
  by_id_ = found.has_value();
  const bool surely_none = how_.columns == kNoIdColumn;
  for (std::size_t c = 0; header && !by_id_ && !surely_none && c < fields.size(); ++c) {
    if (fields.size() > 1 && read != c && is_id_name(fields[c])) {
      refuse(column_text(fields[c]), fields[c].empty() ? std::to_string(c + 1) : fields[c]);
    }
  }
  return found;
}

void RowNodes::find_first() {
  by_id_ = std::find(how_.columns.begin(), how_.columns.end(), "1") != how_.columns.end();
}

void RowNodes::refuse(const std::string& what, const std::string& column) const {
  fail(ExitStatus::usage, path_, ": ", what, " looks like ids of nodes; expected --columns ",
       printable(column), ":id to join rows by it, or none:id where the n-th row is of the n-th ",
       "node");
}

void RowNodes::refuse_array(const std::string& what) const {
  fail(ExitStatus::usage, path_, ": ", what,
       " looks like ids of nodes; expected rows in the order of the nodes, without it, or "
       "--columns none:id where it is a feature");
}

bool RowNodes::may_be_id(std::string_view field) const {
  if (how_.names != nullptr && how_.names->size() != 0) return how_.names->find(field).has_value();
  return parse_whole(field).value_or(-1) >= 0;
}

void RowNodes::parse(std::string_view field, RowIds& ids) const {
  if (how_.names != nullptr) {
    if (field.empty() || (is_missing(field) && !how_.names_as_written)) {
      fail(ExitStatus::bad_input, "found '", printable(field), "' as id, expected that of a node",
           field.empty() ? "" : " (--ids text takes it as a name)");
    }
    ids.names.push_back(how_.whole_names ? whole_name(field, field, ids.texts) : field);
    return;
  }
  const auto id = parse_whole(field);
  if (!id || *id < 0) {
    fail(ExitStatus::bad_input, "found '", printable(field, 40),
         "' as id, expected the number of a node (--ids any takes all names)");
  }
  if (static_cast<std::uint64_t>(*id) >= how_.num_nodes) {
    fail(ExitStatus::bad_input, "id ", *id, ", expected ids from 0 to ", how_.num_nodes - 1,
         how_.num_nodes_source.empty()
             ? " (--ids any takes others)"
             : " (" + how_.num_nodes_source + " has " + format_count(how_.num_nodes, "node") + ")");
  }
  ids.numbers.push_back(static_cast<NodeId>(*id));
}

void RowNodes::take(const RowIds& ids) {
  for (const NodeId node : ids.numbers) add(node);
  for (const std::string_view name : ids.names) {
    if (!how_.new_names && !how_.names->find(name)) {
      fail(ExitStatus::bad_input, path_, ": row ", nodes_.size() + 1, " is of '", printable(name),
           "', expected names of ", how_.num_nodes_source);
    }
    add(how_.names->number(name));
  }
}

void RowNodes::add(NodeId node) {
  nodes_.push_back(node);
  num_nodes_ = std::max(num_nodes_, std::uint64_t{node} + 1);
}

/// A node that has two rows. Ids with wide gaps take no memory for these.
std::optional<NodeId> RowNodes::repeated() const {
  if (num_nodes_ / 32 > nodes_.size()) {
    std::vector<NodeId> sorted(nodes_);
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    return twice == sorted.end() ? std::nullopt : std::optional(*twice);
  }
  std::vector<bool> seen(num_nodes_);
  for (const NodeId node : nodes_) {
    if (seen[node]) return node;
    seen[node] = true;
  }
  return std::nullopt;
}

void RowNodes::check_distinct() const {
  const std::optional<NodeId> node = repeated();
  if (!node) return;
  const auto first = std::find(nodes_.begin(), nodes_.end(), *node);
  const auto second = std::find(first + 1, nodes_.end(), *node);
  fail(ExitStatus::bad_input, path_, ": rows ", first - nodes_.begin() + 1, " and ",
       second - nodes_.begin() + 1, " are both of ", id_text(*node), ", expected one row a node");
}

std::string RowNodes::id_text(NodeId node) const {
  if (how_.names == nullptr) return "id " + std::to_string(node);
  return "'" + printable(how_.names->name(node)) + "'";
}

void RowNodes::check_complete() const {
  const std::size_t nodes = how_.names != nullptr ? how_.names->size() : nodes_.size();
  if (num_nodes_ <= nodes && nodes_.size() == nodes) return;
  std::vector<bool> seen(nodes_.size() + 1);
  for (const NodeId node : nodes_) {
    if (node < seen.size()) seen[node] = true;
  }
  const auto missing = std::find(seen.begin(), seen.end(), false) - seen.begin();
  fail(ExitStatus::bad_input, path_, ": has ", format_count(nodes_.size(), "row"), " and none of ",
       id_text(static_cast<NodeId>(missing)), ", expected features of each node",
       how_.names != nullptr ? "" : " (--ids any where ids have gaps)");
}

void place_labels(const RowNodes& rows, std::uint64_t nodes, NodeLabels& labels) {
  check_below(rows, nodes);
  if (!labels.matrix.empty()) {
    const std::size_t width = labels.num_classes;
    if (labels.rows() != nodes) {
      fail(ExitStatus::bad_input, rows.path(), ": has ", format_count(labels.rows(), "row"),
           " of 0 and 1 for ", format_count(nodes, "node"), ", expected a row for each");
    }
    std::vector<std::uint8_t> placed(labels.matrix.size());
    for (std::size_t i = 0; i < nodes; ++i) {
      std::copy_n(labels.matrix.data() + i * width, width, placed.data() + rows.nodes()[i] * width);
    }
    labels.matrix = std::move(placed);
    return;
  }
  if (labels.values.empty()) {
    labels.classes = scattered<std::int32_t>(rows, nodes, labels.classes, -1);
  } else {
    labels.values = scattered(rows, nodes, labels.values, std::nanf(""));
  }
  warn_of_missing(rows, nodes, "no label");
}

void place_splits(const RowNodes& rows, std::uint64_t nodes,
                  std::vector<std::vector<std::uint8_t>>& splits) {
  check_below(rows, nodes);
  for (auto& split : splits) {
    split = scattered(rows, nodes, split, static_cast<std::uint8_t>(Part::none));
  }
  warn_of_missing(rows, nodes, "no part");
}

}  // namespace frugal::gnn
