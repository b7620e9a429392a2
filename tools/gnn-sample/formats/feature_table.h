#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/float_loss.h"
#include "libcore/tables/column_checks.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

/// Which columns of a table become features, and how.
struct FeatureTableOptions {
  /// Types given with --columns, maybe with kOtherColumns; others are found by their values.
  std::vector<ColumnTypes<FeatureType>::Column> declared;
  /// The columns of labels and splits, names or numbers from 1, which are no features; "": as the
  /// readers of labels and splits find them, if these are in the same file.
  std::string label_column, split_column;
  bool has_labels = false, has_split = false;  ///< labels, a split, are in the same file
  bool lenient = false;                        ///< a declared column may be of another file
  std::uint64_t buckets = 1024;                ///< features of a column of words
  /// The features of another graph, whose columns are looked up by name; or none.
  std::optional<FeatureColumns> like;
};

/// The columns of a text of features.
struct FeatureTable {
  TableHead head;
  bool header = false;
  std::optional<std::size_t> id;    ///< column of node ids, no feature
  std::vector<std::size_t> others;  ///< columns that are no features
  DecimalMarks decimal_marks;

  bool is_feature(std::size_t column) const;
  std::vector<std::size_t> features() const;
  ColumnNames names(const std::string& path) const;
  /// The features as numbers with their names; none if these are more than metadata should have.
  FeatureColumns raw_columns(const std::string& path) const;
  /// Warns of features that lose the differences between their numbers. losses: of each feature.
  void warn_of_losses(const std::vector<FloatLoss>& losses, const std::string& path) const;
};

/// Finds the columns of a text. rows: as for read_features(). Fails (usage) as RowNodes::find().
FeatureTable feature_table(PieceReader& reader, const FeatureTableOptions& options, RowNodes* rows);

/// True if options ask for features of typed columns.
bool asks_for_types(const FeatureTableOptions& options);
/// True if the columns have types: if some are declared, or if the first rows have fields that are
/// neither numbers nor missing.
bool has_types(const FeatureTable& table, const FeatureTableOptions& options);

/// Reads a table whose columns have types into data.sparse and data.columns, and logs the types. A
/// column without a declared type has that of TableFields::guess_type(). Missing
/// values (is_missing()) have no features but that of FeatureColumn::marks_missing. Fails
/// (bad_input), with file and line, if a field is not of its column's declared type; (usage) if a
/// column does not exist or looks like ids of nodes.
void read_feature_table(PieceReader& reader, const FeatureTable& table,
                        const FeatureTableOptions& options, NodeData& data,
                        const BytesRead& progress, RowNodes* rows);

}  // namespace frugal::gnn
