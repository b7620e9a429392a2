#pragma once
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/sparse-train/data/input_layout.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// Options of `train` and their values, as in a configuration file.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Candidate settings of a search. Tables without columns of text have no n-grams of either kind.
struct TextCandidate {
  int word_ngrams = 2;
  std::string char_ngrams;  ///< "" = none
  int min_count = 1;
  /// Linear classifiers (--architecture tree); otherwise the planner's choice: a network, with
  /// trees beside it if examples have several labels.
  bool linear = true;
  std::string activation;  ///< of the network; "" = the planner's choice
  // For linear classifiers:
  double cost = 1;
  double prune = 0;

  bool is_text() const { return word_ngrams > 0 || !char_ngrams.empty(); }
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
  bool linear = true;      ///< classifiers may be linear
  bool network = true;     ///< classifiers may be a network
  bool activation = true;  ///< the network may have hidden units of any size and kind
  bool cost = true;
  bool prune = true;

  bool any_features() const { return word_ngrams || char_ngrams || min_count; }
};
OpenSettings open_settings(const TrainOptions& options);

/// Initial candidates for text, the cheapest first: words, pairs of words, character n-grams, each
/// with linear classifiers, then a network. Fixed settings have the options' values.
/// has_dense_script: as in TextSample.
std::vector<TextCandidate> first_candidates(const TrainOptions& options, bool has_dense_script);

/// Initial candidates for a table without columns of text: linear classifiers of several costs,
/// then a network, with linear units, too, where the planner would choose others.
std::vector<TextCandidate> table_candidates(const TrainOptions& options, const InputLayout& layout);

/// Candidates that differ from `best` in one open setting. The second list is for where none of the
/// first is better: of two costs on either side of the best, one at most is.
std::array<std::vector<TextCandidate>, 2> neighbours(const TextCandidate& best,
                                                     const OpenSettings& open);

/// `candidate` as a network, with a network's initial settings.
TextCandidate as_network(TextCandidate candidate, const TrainOptions& options);

}  // namespace frugal::sparse
