#pragma once
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// Options of `train` and their values, as in a configuration file.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Candidate settings of a search for text.
struct TextCandidate {
  int word_ngrams = 2;
  std::string char_ngrams;  ///< "" = none
  int min_count = 1;
  /// Linear classifiers (--architecture tree); otherwise the planner's choice: a network, with
  /// trees beside it if examples have several labels.
  bool linear = true;
  // For linear classifiers:
  double cost = 1;
  double prune = 0;

  bool operator==(const TextCandidate&) const = default;
};

/// Settings of a candidate: "architecture=tree word-ngrams=2 ...".
Settings settings_of(const TextCandidate& candidate);

/// The candidate with these settings, the inverse of settings_of(). Throws std::exception if there
/// is none.
TextCandidate candidate_from(const std::map<std::string, std::string>& settings);

/// Sets the options that are left to the data to a candidate's values.
void apply_candidate(const TextCandidate& candidate, TrainOptions& options);

/// Settings that the options leave open; candidates differ only in these.
struct OpenSettings {
  bool word_ngrams = true;
  bool char_ngrams = true;
  bool min_count = true;
  bool linear = true;   ///< classifiers may be linear
  bool network = true;  ///< classifiers may be a network
  bool cost = true;
  bool prune = true;

  bool any_features() const { return word_ngrams || char_ngrams || min_count; }
};
OpenSettings open_settings(const TrainOptions& options);

/// Initial candidates, the cheapest first: words, pairs of words, character n-grams, each with
/// linear classifiers, then a network. Fixed settings have the options' values. has_dense_script:
/// as in TextSample.
std::vector<TextCandidate> first_candidates(const TrainOptions& options, bool has_dense_script);

/// Candidates that differ from `best` in one open setting. The second list is for where none of the
/// first is better: of two costs on either side of the best, one at most is.
std::array<std::vector<TextCandidate>, 2> neighbours(const TextCandidate& best,
                                                     const OpenSettings& open);

/// `candidate` as a network, with a network's initial settings.
TextCandidate as_network(TextCandidate candidate, const TrainOptions& options);

}  // namespace frugal::sparse
