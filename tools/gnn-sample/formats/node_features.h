#pragma once
#include <string>

#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/feature_table.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

struct FeatureOptions {
  FeatureTableOptions table;     ///< of text with typed columns
  std::uint64_t index_base = 0;  ///< lowest feature index in svmlight
  std::uint64_t dim = 0;         ///< number of features in svmlight; 0: largest index plus one
  std::string type = "f32";      ///< stored type: f32, f16, bf16 or i8
  std::string layout = "auto";   ///< dense, sparse, or auto: sparse if most numbers are 0
  std::string normalize =
      "none";  ///< row: rows sum to 1. standardize: columns have mean 0 and deviation 1
};

/// Reads features of nodes. Text files (plain, gz or zst) have a line for each node: svmlight
/// "class index:value ...", whose classes become labels, or columns between commas, tabs or blanks,
/// with or without a header. Numbers are features as they are, unless has_types(): then see
/// read_feature_table(). Other files are *.npy, a tensor file with one tensor, a sparse SciPy
/// matrix (*.npz), or an array file of robe-compress. Sets data.features (F32 [nodes, dim]),
/// data.sparse for svmlight and SciPy, or data.array; all values are finite. Fails (bad_input) with
/// file and line. If `rows` is not null, it may find a column of ids, and features are in the order
/// of the rows. Fails (usage) if a feature looks like ids.
void read_features(const std::string& path, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress = {}, RowNodes* rows = nullptr);

/// Converts a matrix [rows, dim] of any type to F32. Fails (bad_input) with `place` and the row of
/// a number that is not finite.
Tensor as_features(const Tensor& matrix, const std::string& place);

/// Applies options.normalize, options.layout and options.type to F32 features. Fails (usage) if
/// features are an array and any of these is set. place: for messages.
void convert_features(const FeatureOptions& options, NodeData& data,
                      const std::string& place = "features");

/// For a graph without features: fails (usage) if an option says how to store them.
void check_nothing_to_convert(const FeatureOptions& options, const std::string& place);

/// Reads svmlight features, a line "class index:value ..." for each node, into data.sparse. Classes
/// become labels, or ids of `rows`, which may be null. Fails (bad_input) with file and line.
void read_svmlight(PieceReader& reader, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress, RowNodes* rows);

}  // namespace frugal::gnn
