#pragma once
#include <string>

#include "libcore/tables/table_rows.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

struct FeatureOptions {
  std::uint64_t index_base = 0;  ///< the lowest feature index of svmlight
  std::uint64_t dim = 0;         ///< columns of svmlight; 0: one more than the largest index
  std::string type = "f32";      ///< f32, f16, bf16, i8: as they are stored
  std::string layout = "auto";   ///< dense, sparse; auto: sparse where most numbers are 0
  std::string normalize =
      "none";  ///< row: rows sum to 1; standardize: columns of mean 0, deviation 1
};

/// Features of nodes, a line each, of a path (plain, gz or zst): svmlight "class index:value ...",
/// whose classes become labels, numbers between commas, tabs or blanks, with or without a header;
/// or *.npy, a tensor file's only one, a sparse matrix of SciPy (*.npz), an array file of
/// robe-compress. data.features is F32 [nodes, dim], or data.sparse is what svmlight and SciPy
/// hold, or data.array. Every value is finite. Fails (bad_input) with file and line. Where `rows`
/// is not null it may find a column of ids, whose order the features are in; fails (usage) where a
/// feature looks like ids.
void read_features(const std::string& path, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress = {}, RowNodes* rows = nullptr);

/// A matrix of numbers [rows, dim] of any type as F32; fails (bad_input) with `place` and the row
/// where one is not finite.
Tensor as_features(const Tensor& matrix, const std::string& place);

/// What options.normalize, options.layout and options.type say, to F32 features of `place`. Fails
/// (usage) where they are an array and the options say anything.
void convert_features(const FeatureOptions& options, NodeData& data,
                      const std::string& place = "features");

/// Of a graph without features: fails (usage) where the options say how to store them.
void check_nothing_to_convert(const FeatureOptions& options, const std::string& place);

/// Features of nodes in svmlight, a line "class index:value ..." each, as data.sparse, and the
/// classes as labels, or as the ids of `rows`, which may be null. Fails (bad_input) with file and
/// line.
void read_svmlight(PieceReader& reader, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress, RowNodes* rows);

}  // namespace frugal::gnn
