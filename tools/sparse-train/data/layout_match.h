#pragma once
#include <string>
#include <string_view>

#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// Columns that records of a later input must have.
enum class Labels { required, optional };

/// The layout of an input for a model whose training data had the layout `trained`. The columns of
/// a table are found by the names of both headers, in any order and with more columns; where one of
/// them has no header, they stand as they stood. options: format, header and separator as the
/// command was given them ("auto" else), all else of the model. Labels::optional: the column of the
/// label may be missing. Fails (bad_input) naming what is missing and what there is.
InputLayout match_layout(const InputLayout& trained, const FeatureOptions& options, Labels labels,
                         const std::string& name, std::string_view head);

}  // namespace frugal::sparse
