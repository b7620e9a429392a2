#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/baselines.h"
#include "tools/tgn-train/links/link_evaluation.h"

namespace frugal::tgn {

/// "model" or "anew": what memory a command went on from.
std::string memory_text(bool of_model);

/// Adds the metrics of all parts: test_average_precision, inductive_average_precision (of the test
/// part), validation_average_precision, inductive_validation_average_precision and so on; mrr and
/// hits of the test part without a prefix, too.
void add_tests(const LinkTests& tests, nlohmann::ordered_json& json);

/// "baselines": {"edgebank": {"average_precision": ...}, ...}, of the test part.
void add_baselines(const std::vector<BaselineResult>& baselines, nlohmann::ordered_json& json);
/// A row for the model and each baseline, for people.
std::vector<std::string> test_table(const LinkTests& tests,
                                    const std::vector<BaselineResult>& baselines);

/// Sentence about a baseline with a higher average precision of the test than the model; else "".
std::string baseline_text(const LinkTests& tests, const std::vector<BaselineResult>& baselines);

std::string tests_text(const LinkTests& tests);

}  // namespace frugal::tgn
