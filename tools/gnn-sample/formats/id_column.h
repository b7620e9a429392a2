#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node_names.h"
#include "libcore/tables/table_head.h"
#include "tools/gnn-sample/data/node_data.h"

namespace frugal::gnn {

/// Fewest rows for a column of distinct numbers to look like ids; fewer may be distinct by chance.
inline constexpr std::size_t kFewestSuspicious = 5;

/// A view of a field that lives as long as `line`. Fields with doubled quotes are copied to
/// `texts`.
inline std::string_view kept_field(std::string_view field, std::string_view line,
                                   std::deque<std::string>& texts) {
  const bool stays = field.data() >= line.data() && field.data() <= line.data() + line.size();
  return stays || field.empty() ? field : std::string_view(texts.emplace_back(field));
}

/// True for integers, also those beyond 64 bits.
bool is_whole_name(std::string_view field);
/// Canonical name of an integer, the same for 7, +7, 7.0 and 007. Other texts are returned as they
/// are.
std::string_view whole_name(std::string_view field, std::string_view line,
                            std::deque<std::string>& texts);

/// Value of IdColumn::columns if there is no column of ids.
inline const std::vector<std::string> kNoIdColumn{"none"};

/// How the rows of a file are assigned to nodes.
struct IdColumn {
  /// Names, or numbers from 1, of the column of ids; the first existing one is used. Empty: row n
  /// belongs to node n, and a column that looks like ids is an error. "none": as empty, without
  /// that error.
  std::vector<std::string> columns;
  std::uint64_t num_nodes = 0xffffffff;  ///< all ids are below it
  std::string num_nodes_source;   ///< the file that determines num_nodes, for messages; or ""
  NodeNames* names = nullptr;     ///< names of the nodes, if ids are names
  bool new_names = true;          ///< unknown names become new nodes
  bool names_as_written = false;  ///< "NA" and the like are names, too
  bool whole_names = false;       ///< names are canonical integers: whole_name()
};

/// Ids of the rows in a piece of text.
struct RowIds {
  std::vector<NodeId> numbers;
  std::vector<std::string_view> names;  ///< names, if ids are names; views of the text
  std::deque<std::string> texts;        ///< names that are not in the text literally

  void clear() {
    numbers.clear();
    names.clear();
    texts.clear();
  }
};

/// Nodes of the rows of a file.
class RowNodes {
 public:
  RowNodes(IdColumn how, std::string path) : how_(std::move(how)), path_(std::move(path)) {}

  /// Finds the column of ids in a text with this first line; nothing if rows are in the order of
  /// the nodes. Fails (usage) if a column that must not be ids is named like one, unless it is the
  /// column `read`.
  std::optional<std::size_t> find(const TableRow& fields, bool header,
                                  std::optional<std::size_t> read = {});
  /// find() for svmlight, where the first column may contain ids.
  void find_first();
  /// Names that the column of ids may have.
  const std::vector<std::string>& id_columns() const { return how_.columns; }
  bool by_id() const { return by_id_; }
  /// True if other columns are checked for ids.
  bool suspicious() const { return how_.columns.empty(); }
  /// True if the field could be the id of a node.
  bool may_be_id(std::string_view field) const;
  /// Fails (usage) because `what` looks like ids.
  [[noreturn]] void refuse(const std::string& what, const std::string& column) const;
  /// Fails (usage) because `what`, in an array, looks like ids. Rows of arrays cannot be joined by
  /// ids.
  [[noreturn]] void refuse_array(const std::string& what) const;

  /// Parses the id of a row into `ids`. May be called by several threads. Fails (bad_input),
  /// without the place.
  void parse(std::string_view field, RowIds& ids) const;
  /// Appends the rows of the next piece. Fails (bad_input) for an unknown name.
  void take(const RowIds& ids);
  /// Must follow the last piece. Fails (bad_input) if two rows have the same node.
  void check_distinct() const;

  const std::string& path() const { return path_; }
  /// Node of each row.
  const std::vector<NodeId>& nodes() const { return nodes_; }
  /// Largest id plus one.
  std::uint64_t num_nodes() const { return num_nodes_; }
  /// Fails (bad_input) unless the rows are exactly nodes 0 to rows - 1.
  void check_complete() const;

 private:
  void add(NodeId node);
  std::optional<NodeId> repeated() const;
  std::string id_text(NodeId node) const;

  IdColumn how_;
  std::string path_;
  bool by_id_ = false;
  std::vector<NodeId> nodes_;
  std::uint64_t num_nodes_ = 0;
};

/// Reorders rows by their nodes. Nodes without a row get no label and no part of a split; a warning
/// gives their number. Fails (bad_input) if labels are a matrix and rows are missing, or if an id
/// is not below `nodes`.
void place_labels(const RowNodes& rows, std::uint64_t nodes, NodeLabels& labels);
void place_splits(const RowNodes& rows, std::uint64_t nodes,
                  std::vector<std::vector<std::uint8_t>>& splits);

}  // namespace frugal::gnn
