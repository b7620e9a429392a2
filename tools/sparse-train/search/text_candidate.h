#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// Options of `train` and their values, as a configuration file has them.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What a search through settings for text chooses from.
struct TextCandidate {
  int word_ngrams = 2;
  std::string char_ngrams;  ///< "" = none
  int min_count = 1;
  /// Linear classifiers (--architecture tree); else what the planner chooses: a network, with
  /// several labels an example trees beside it.
  bool linear = true;
  // Of linear classifiers:
  double cost = 1;
  double prune = 0;

  bool operator==(const TextCandidate&) const = default;
};

/// Options and values of a candidate, "architecture=tree word-ngrams=2 ...".
Settings settings_of(const TextCandidate& candidate);

/// The candidate that has these settings, as settings_of() gives them. Throws std::exception where
/// no candidate has.
TextCandidate candidate_from(const std::map<std::string, std::string>& settings);

/// Puts a candidate's values where the options leave the choice to the data.
void apply_candidate(const TextCandidate& candidate, TrainOptions& options);

/// What the options leave open; candidates differ in nothing else.
struct OpenSettings {
  bool word_ngrams = true;
  bool char_ngrams = true;
  bool min_count = true;
  bool linear = true;   ///< classifiers may be linear
  bool network = true;  ///< and may be a network
  bool cost = true;
  bool prune = true;

  bool any_features() const { return word_ngrams || char_ngrams || min_count; }
};
OpenSettings open_settings(const TrainOptions& options);

/// The candidates to begin with, the cheapest first: words, pairs of words, character n-grams, each
/// with linear classifiers, then a network. Fixed settings have the value of the options.
/// has_dense_script: as TextSample says.
std::vector<TextCandidate> first_candidates(const TrainOptions& options, bool has_dense_script);

/// Candidates that differ from `best` in one setting that is open.
std::vector<TextCandidate> neighbours(const TextCandidate& best, const OpenSettings& open);

/// `candidate` with another kind of classifiers and the settings that these begin with.
TextCandidate as_network(TextCandidate candidate, const TrainOptions& options);

}  // namespace frugal::sparse
