#pragma once
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"
#include "tools/tgn-train/evaluation/baselines.h"
#include "tools/tgn-train/links/link_evaluation.h"

namespace frugal::tgn {

/// "model" or "anew": what memory a command went on from.
std::string memory_text(bool of_model);

/// Describes the metrics of all parts: of the test, of its events with new nodes (inductive), and
/// the same of validation.
void describe_tests(const ResultFields& f, const LinkTests& tests);

/// Describes the metrics of all baselines on the test part.
void describe_baselines(const ResultFields& f, const std::vector<BaselineResult>& baselines);
/// A row for the model and each baseline, for people.
std::vector<std::string> test_table(const LinkTests& tests,
                                    const std::vector<BaselineResult>& baselines);

/// Sentence about a baseline with a higher average precision of the test than the model; else "".
std::string baseline_text(const LinkTests& tests, const std::vector<BaselineResult>& baselines);

std::string tests_text(const LinkTests& tests);

}  // namespace frugal::tgn
