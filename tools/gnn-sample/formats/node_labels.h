#pragma once
#include <string>

#include "tools/gnn-sample/data/class_numbers.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

/// Labels of nodes, a line each: a class by number or by name ("", -1, nan: none), the column
/// `column` (a name of the header or a number; "": the one named "label", else the only one), or
/// several columns of 0 and 1, one a class; or *.npy of [nodes] or [nodes, classes]. Classes by
/// names are numbered in the order of these. By `type`, labels are numbers to predict instead.
/// Fails (bad_input) with file and line. Where `rows` is not null it may find a column of ids,
/// whose order the labels are in.
NodeLabels read_labels(const std::string& path, const std::string& column, RowNodes* rows = nullptr,
                       LabelType type = LabelType::automatic);

/// Integers [nodes] or [nodes, 1], or a matrix of 0 and 1; NaN and -1 are no class. By `type`,
/// numbers to predict of [nodes] or [nodes, 1]; NaN is none.
NodeLabels labels_of(const Tensor& tensor, const std::string& place,
                     LabelType type = LabelType::automatic);

}  // namespace frugal::gnn
