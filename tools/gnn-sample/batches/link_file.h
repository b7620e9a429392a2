#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/streams/line_reader.h"
#include "libcore/system/output_file.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/data/node_lookup.h"
#include "tools/gnn-sample/sampler/neighbor_sampler.h"

namespace frugal::gnn {

/// A line of a file of links.
struct LinkLine {
  Link link;
  std::string_view third;  ///< field beside both ends, if there is one; valid until the next line
  bool has_third = false;
};

/// Reads a file of links, a line each: two nodes, named as in the input of import, and perhaps a
/// third field. Names may have blanks: they end at tabs, where there are none at commas, else at
/// blanks. Numbers end at any of these. A first line without a node may name the columns of the
/// source and the target.
class LinkFile {
 public:
  /// Borrows both sets, which may be the same.
  LinkFile(const std::string& path, const NodeSet& sources, const NodeSet& targets);

  /// Reads the next line; false at the end. Fails (bad_input) if it has no two nodes or more than
  /// three fields.
  bool next(LinkLine& line);
  /// True if the first line names the columns.
  bool has_header() const { return columns_.named; }
  const LineReader& lines() const { return reader_; }
  /// Fails (bad_input): the present line is not two nodes, with `third` beside them.
  [[noreturn]] void refuse(const std::string& third) const;

 private:
  struct Columns {
    std::size_t source = 0, target = 1, third = 2;
    bool named = false;
  };
  void split();
  bool take_header();

  LineReader reader_;
  const NodeSet& source_set_;
  const NodeSet& target_set_;
  NodeLookup sources_;
  std::optional<NodeLookup> others_;  ///< of the targets, if they are other nodes
  bool names_;
  Columns columns_;
  std::string_view line_;
  std::string copy_;
  FieldSplitter at_tabs_{'\t'}, at_commas_{','}, at_blanks_{' '};
  std::vector<std::string_view> fields_;
};

/// Writes a CSV file of links with a third column, as LinkFile reads it.
class LinkFileWriter {
 public:
  /// Writes the header: source, target and `third`. Borrows both sets. Fails as OutputFile.
  LinkFileWriter(const std::string& path, const NodeSet& sources, const NodeSet& targets,
                 const std::string& third);

  void add(const Link& link, std::string third);
  void commit();

 private:
  void write_rows();

  OutputFile output_;
  const NodeSet& sources_;
  const NodeSet& targets_;
  std::vector<TableRow> rows_;  ///< not written yet
};

}  // namespace frugal::gnn
