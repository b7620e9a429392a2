#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/train/checkpoint.h"
#include "tools/sparse-train/search/text_candidate.h"

namespace frugal::sparse {

/// Score of a candidate on one fold: of each held-out example, 1 if it was right.
struct FoldResult {
  std::vector<std::uint8_t> hits;
  std::vector<std::uint8_t> pruned_hits;  ///< the same without small weights; may be empty
  double cpu_seconds = 0;
  bool given_up = false;  ///< far behind during its first epochs
};

/// Finished folds of a search for settings, in a checkpoint that precedes the training's.
/// A run that continues takes them from there instead of training again.
class TrialLog {
 public:
  /// options: as the user gave them. Needs options.checkpoint.
  explicit TrialLog(const TrainOptions& options);

  /// Begins a search of that text. With --resume, loads the folds of the checkpoint. Fails (usage)
  /// if they belong to another search, and (bad_input) if they are damaged.
  void begin(const std::string& text_fingerprint);
  /// Result of a fold of the candidate; null if it is not there. Valid until the next add().
  const FoldResult* find(const TextCandidate& candidate, std::uint64_t fold) const;
  void add(const TextCandidate& candidate, std::uint64_t fold, FoldResult result);
  /// Writes the checkpoint, unless there is nothing new to be kept.
  void save();

 private:
  struct Entry {
    TextCandidate candidate;
    std::uint64_t fold = 0;
    FoldResult result;
  };
  void load(const Document& state);

  std::string path_;
  bool resumes_;
  OptionTexts options_;
  std::unique_ptr<CheckpointFile> file_;
  std::vector<Entry> entries_;
  std::size_t num_saved_ = 0;
};

/// Metadata of a checkpoint; empty if the file is missing or damaged, which reading all of it will
/// report.
Metadata metadata_of(const std::string& path);

/// Whether the checkpoint at a path has folds of a search alone, and no training.
bool is_trial_log(const std::string& path);

}  // namespace frugal::sparse
