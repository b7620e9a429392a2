#pragma once
#include <string>
#include <vector>

#include "tools/sparse-train/scoring/evaluation.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::sparse {

/// CSV "actual,predicted,count": the pairs that occur, most frequent first.
std::string confusion_csv(const Evaluation& evaluation, const std::vector<std::string>& names);

/// CSV "label,training_examples,actual,predicted,hits,precision,recall,f1", a line for each label.
std::string label_csv(const Evaluation& evaluation, const LabelCounts& training,
                      const std::vector<std::string>& names);

/// The page of an evaluation: key figures, figures by rank, labels by their frequency, the pairs
/// that are confused most.
void add_eval_report(const Evaluation& evaluation, const LabelCounts& training,
                     const std::vector<std::string>& names, Report& report);

}  // namespace frugal::sparse
