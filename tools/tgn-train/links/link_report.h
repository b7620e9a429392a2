#pragma once
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"
#include "tools/tgn-train/evaluation/baselines.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/mix/mix_fit.h"

namespace frugal::tgn {

/// "model" if a command used the memory in the model file, "anew" if it made one from the events.
std::string memory_text(bool of_model);

/// Whether a command can rank events among other destinations.
enum class Ranks { none, may_be };
/// Describes the metrics of all parts: test, test events with new nodes (inductive), and both of
/// validation.
void describe_tests(const ResultFields& f, const LinkTests& tests, Ranks ranks);

/// Describes what the model answers with, and why.
void describe_mix(const ResultFields& f, const MixChoice& choice);
/// Sentences that say what the model answers with, and why; "" if nothing was to be chosen.
std::string mix_text(const MixChoice& choice);

/// Describes the metrics of all baselines on the test part.
void describe_baselines(const ResultFields& f, const std::vector<BaselineResult>& baselines);
/// Table with a row for the model and for each baseline.
std::vector<std::string> test_table(const LinkTests& tests,
                                    const std::vector<BaselineResult>& baselines);

/// Sentence about the best baseline if its average precision in the test is above the model's;
/// otherwise "".
std::string baseline_text(const LinkTests& tests, const std::vector<BaselineResult>& baselines);

std::string tests_text(const LinkTests& tests);

}  // namespace frugal::tgn
