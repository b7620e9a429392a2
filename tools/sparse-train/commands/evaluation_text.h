#pragma once
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"
#include "tools/sparse-train/scoring/evaluation.h"

namespace frugal::sparse {

/// An evaluation for people, a line each. by: "labels", "global", "first" or "threshold", as in
/// eval's f1_by.
std::vector<std::string> evaluation_lines(const Evaluation& evaluation, const std::string& by);

/// Describes, for each column of categories, how many values the model does not know. `before`
/// begins the names of keys.
void describe_unknown_values(const ResultFields& f, const std::vector<ColumnValues>& columns,
                             const std::string& before = "");

/// Describes P@k and the other figures of an evaluation.
void describe_evaluation(const ResultFields& f, const Evaluation& evaluation,
                         const std::string& before = "");

}  // namespace frugal::sparse
