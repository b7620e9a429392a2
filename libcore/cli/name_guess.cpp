#include "libcore/cli/name_guess.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"

namespace frugal {
namespace {

struct Synonym {
  std::string_view elsewhere, here;
};
constexpr std::array<Synonym, 35> kSynonyms{{{"arch", "architecture"},
                                             {"batch", "batch-size"},
                                             {"batches", "batch-size"},
                                             {"best", "output"},
                                             {"eval-batch", "eval-batch-size"},
                                             {"evaluate", "eval"},
                                             {"fit", "train"},
                                             {"id-column", "columns"},
                                             {"infer", "predict"},
                                             {"infer", "eval"},
                                             {"label-column", "columns"},
                                             {"lr", "learning-rate"},
                                             {"max-header", "limit"},
                                             {"max-metadata", "limit"},
                                             {"max-name", "limit"},
                                             {"max-rank", "limit"},
                                             {"max-tensors", "limit"},
                                             {"model", "architecture"},
                                             {"model", "output"},
                                             {"num-epochs", "epochs"},
                                             {"preset", "architecture"},
                                             {"score", "predict"},
                                             {"source-column", "columns"},
                                             {"split-column", "columns"},
                                             {"target-column", "columns"},
                                             {"test", "eval"},
                                             {"time-column", "columns"},
                                             {"type-fanouts", "fanouts"},
                                             {"type-features", "features"},
                                             {"type-labels", "labels"},
                                             {"type-nodes", "nodes"},
                                             {"type-split", "split"},
                                             {"wd", "weight-decay"},
                                             {"weight-column", "columns"},
                                             {"workers", "threads"}}};

}  // namespace

std::string name_guess(std::string_view word, std::span<const std::string> candidates) {
  const std::string_view dashes = word.starts_with("--") ? "--" : "";
  std::string names;
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.elsewhere != word.substr(dashes.size())) continue;
    const std::string name = std::string(dashes) + std::string(synonym.here);
    if (std::find(candidates.begin(), candidates.end(), name) == candidates.end()) continue;
    names += (names.empty() ? "'" : " or '") + name + "'";
  }
  if (!names.empty()) return "; did you mean " + names + "?";
  return did_you_mean(word, candidates);
}

}  // namespace frugal
