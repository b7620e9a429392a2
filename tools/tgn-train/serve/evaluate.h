#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "tools/tgn-train/evaluation/baselines.h"
#include "tools/tgn-train/labels/tests.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/memory/memory_options.h"

namespace frugal::tgn {

/// Options of `tgn-train eval`.
struct EvalOptions {
  std::string model;  ///< "" = baselines only
  std::string events;
  std::string task = "auto";          ///< link, node-label, or auto: the task trained last
  std::string negatives = "uniform";  ///< kind of given_negatives()
  std::string ranks = "uniform";      ///< RankOptions::kind
  std::size_t num_ranked = 100;
  std::size_t shortlist = LinkMix::kShortlist;  ///< LinkEvaluation::Options::shortlist
  std::vector<std::string> for_mix;             ///< given options that only a mix has a use for
  std::string predictions;                      ///< file for all scores, or ""
  std::string rank_scores;  ///< file for the nodes to rank among and their logits; "" = none
  std::string history_entry;
  bool logits = false;  ///< the file has logits, not probabilities
  bool baselines = true;
  std::size_t batch = 200;
  std::string ties = "auto";  ///< strict, order, or auto: strict
  std::uint64_t seed = 0;     ///< seed of negatives; 0: those of the training's own test
  Precision precision = Precision::f32;
  MemoryPlace place;
  std::string device = "cpu";  ///< --device
};

struct EvalResult {
  std::uint64_t parameters = 0;
  std::optional<LabelTests> labels;  ///< for node-label; otherwise `tests` is set
  LinkTests tests;
  /// Events with a negative that was not drawn uniformly; empty if all were to be.
  std::optional<std::uint64_t> given_negatives;
  /// True if the memory after the training events was the model's; false if it was computed anew by
  /// its weights.
  bool memory_of_model = false;
  std::vector<BaselineResult> baselines;
  double read_seconds = 0, seconds = 0, baseline_seconds = 0;
};

/// Tests a model on a stream with the split of its training, and compares it with predictions
/// without learning.
EvalResult evaluate(const EvalOptions& options);

}  // namespace frugal::tgn
