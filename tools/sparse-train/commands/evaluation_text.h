#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/sparse-train/scoring/evaluation.h"

namespace frugal::sparse {

/// An evaluation for people, a line each. by: "labels", "global", "first" or "threshold", as in
/// eval's f1_by.
std::vector<std::string> evaluation_lines(const Evaluation& evaluation, const std::string& by);

/// "unknown_values": of each column of categories, how many values the model does not know.
void add_unknown_values(const std::vector<ColumnValues>& columns, nlohmann::ordered_json& json,
                        const std::string& before = "");

/// P@k and the other figures as a command's JSON result has them.
void add_evaluation(const Evaluation& evaluation, nlohmann::ordered_json& json,
                    const std::string& before = "");

}  // namespace frugal::sparse
