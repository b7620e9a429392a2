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

/// Fewer rows may have different numbers by chance.
inline constexpr std::size_t kFewestSuspicious = 5;

/// A field of `line` for as long as the line is there: `texts` keeps those with doubled quotes.
inline std::string_view kept_field(std::string_view field, std::string_view line,
                                   std::deque<std::string>& texts) {
  const bool stays = field.data() >= line.data() && field.data() <= line.data() + line.size();
  return stays || field.empty() ? field : std::string_view(texts.emplace_back(field));
}

/// The name of a whole number, the same for 7, +7, 7.0 and 007; other texts are names as they are.
std::string_view whole_name(std::string_view field, std::string_view line,
                            std::deque<std::string>& texts);

/// What says that there is no column of ids.
inline const std::vector<std::string> kNoIdColumn{"none"};

/// How the rows of a file find their nodes.
struct IdColumn {
  /// Names, or numbers from 1, of the column of ids; the first that is there. None: the n-th row is
  /// of the n-th node, and a column that looks like ids is an error. "none": without the error.
  std::vector<std::string> columns;
  std::uint64_t num_nodes = 0xffffffff;  ///< ids are below it
  std::string num_nodes_source;          ///< the file that says so, for messages; or ""
  NodeNames* names = nullptr;            ///< where ids are names
  bool new_names = true;                 ///< names that are not there yet are new nodes
  bool names_as_written = false;         ///< also NA and the like
  bool whole_names = false;              ///< names are of whole numbers: whole_name()
};

/// Ids of the rows of a piece of text.
struct RowIds {
  std::vector<NodeId> numbers;
  std::vector<std::string_view> names;  ///< where ids are names, into the text
  std::deque<std::string> texts;        ///< names that do not stand in the text as they are

  void clear() {
    numbers.clear();
    names.clear();
    texts.clear();
  }
};

/// The nodes of the rows of one file.
class RowNodes {
 public:
  RowNodes(IdColumn how, std::string path) : how_(std::move(how)), path_(std::move(path)) {}

  /// The column of ids in a text with this first line; nothing where rows are in the order of the
  /// nodes. Fails (usage) where a column that has the name of ids is another one, unless it is
  /// `read` as what it says.
  std::optional<std::size_t> find(const TableRow& first, bool header,
                                  std::optional<std::size_t> read = {});
  /// The same of svmlight: lines may begin with ids, column 1.
  void find_first();
  /// Names that the column may have.
  const std::vector<std::string>& id_columns() const { return how_.columns; }
  bool by_id() const { return by_id_; }
  /// Whether columns are looked at that might be ids.
  bool suspicious() const { return how_.columns.empty(); }
  /// Whether a field may be the id of a node.
  bool may_be_id(std::string_view field) const;
  /// Fails (usage): `what` looks like ids.
  [[noreturn]] void refuse(const std::string& what, const std::string& column) const;
  /// The same of an array, whose rows are not joined.
  [[noreturn]] void refuse_array(const std::string& what) const;

  /// Adds the id of a row; for many threads. Fails (bad_input), without place.
  void parse(std::string_view field, RowIds& ids) const;
  /// The rows of the next piece. Fails (bad_input) where a name is not known.
  void take(const RowIds& ids);
  /// After the last piece: fails (bad_input) where two rows are of one node.
  void check_distinct() const;

  const std::string& path() const { return path_; }
  /// By row.
  const std::vector<NodeId>& nodes() const { return nodes_; }
  /// One more than the largest id.
  std::uint64_t num_nodes() const { return num_nodes_; }
  /// Fails (bad_input) unless each of as many nodes as there are rows has one.
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

/// Puts rows where their nodes are. Nodes without a row have no label and are in no part of a
/// split; a warning says how many these are. Fails (bad_input) where classes are a matrix, whose
/// rows cannot be missing, and where an id is not below `nodes`.
void place_labels(const RowNodes& rows, std::uint64_t nodes, NodeLabels& labels);
void place_splits(const RowNodes& rows, std::uint64_t nodes,
                  std::vector<std::vector<std::uint8_t>>& splits);

}  // namespace frugal::gnn
