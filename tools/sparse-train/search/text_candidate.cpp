#include "tools/sparse-train/search/text_candidate.h"

#include <algorithm>
#include <stdexcept>

#include "libcore/base/text.h"
#include "tools/sparse-train/fit/plan.h"

namespace frugal::sparse {
namespace {

/// Linear classifiers of many rare features are best when errors cost more: of pairs of words, and
/// of characters in scripts without blanks (Chinese 62.9 -> 65.0 %, Thai 78.5 -> 79.3, Korean 67.2
/// -> 67.4).
constexpr double kRareCost = 2;
constexpr const char* kCharacters = "3:5";
constexpr const char* kDenseCharacters = "1:4";  ///< where a character is a syllable or a word
constexpr double kTableCosts[] = {0.25, 1, 4};
constexpr int kMostWordNgrams = 5;  ///< as of --word-ngrams

/// The kinds of n-grams that the options allow; without any there is nothing to learn from.
std::vector<TextCandidate> feature_kinds(const TrainOptions& options, const OpenSettings& open,
                                         bool has_dense_script) {
  TextCandidate words, pairs, characters;
  words.word_ngrams = 1;
  pairs.cost = kRareCost;
  characters.char_ngrams = has_dense_script ? kDenseCharacters : kCharacters;
  if (has_dense_script) characters.cost = kRareCost;
  std::vector<TextCandidate> kinds;
  for (TextCandidate kind : {words, pairs, characters}) {
    if (!open.word_ngrams) kind.word_ngrams = options.features.word_ngrams;
    if (!open.char_ngrams) kind.char_ngrams = options.features.char_ngrams;
    if (!open.min_count) kind.min_count = options.features.min_count;
    if (!open.cost) kind.cost = options.settings.forest.nodes.solver.cost;
    if (!open.prune) kind.prune = options.settings.forest.nodes.prune;
    if (kind.word_ngrams == 0 && kind.char_ngrams.empty()) continue;
    const auto same = [&](const TextCandidate& other) {
      return other.word_ngrams == kind.word_ngrams && other.char_ngrams == kind.char_ngrams;
    };
    if (std::none_of(kinds.begin(), kinds.end(), same)) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace

Settings settings_of(const TextCandidate& c) {
  Settings settings = {{"architecture", c.linear ? "tree" : "auto"}};
  if (c.is_text()) {
    settings.emplace_back("word-ngrams", std::to_string(c.word_ngrams));
    settings.emplace_back("char-ngrams", c.char_ngrams.empty() ? "none" : c.char_ngrams);
  }
  settings.emplace_back("min-count", std::to_string(c.min_count));
  if (!c.activation.empty()) settings.emplace_back("activation", c.activation);
  if (!c.linear) return settings;
  settings.emplace_back("tree-cost", format_number(c.cost));
  settings.emplace_back("tree-prune", format_number(c.prune));
  return settings;
}

TextCandidate candidate_from(const std::map<std::string, std::string>& settings) {
  TextCandidate c;
  c.linear = settings.at("architecture") == "tree";
  const auto text = [&settings](const char* name, const char* otherwise) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string(otherwise) : found->second;
  };
  c.word_ngrams = std::stoi(text("word-ngrams", "0"));
  c.char_ngrams = text("char-ngrams", "none");
  if (c.char_ngrams == "none") c.char_ngrams.clear();
  c.activation = text("activation", "");
  c.min_count = std::stoi(settings.at("min-count"));
  if (c.linear) {
    c.cost = std::stod(settings.at("tree-cost"));
    c.prune = std::stod(settings.at("tree-prune"));
  }
  const Settings all = settings_of(c);  // 1x is no number
  const bool same = std::map<std::string, std::string>(all.begin(), all.end()) == settings;
  const bool in_range = c.word_ngrams >= 0 && c.word_ngrams <= kMostWordNgrams &&
                        c.min_count >= 1 && c.cost > 0 && c.prune >= 0;
  if (!same || !in_range) throw std::runtime_error("settings that no search chooses");
  return c;
}

void apply_candidate(const TextCandidate& c, TrainOptions& options) {
  const OpenSettings open = open_settings(options);
  if (open.word_ngrams && c.is_text()) options.features.word_ngrams = c.word_ngrams;
  if (open.char_ngrams && c.is_text()) options.features.char_ngrams = c.char_ngrams;
  if (open.min_count) options.features.min_count = c.min_count;
  if (!c.activation.empty()) options.settings.activation = c.activation;
  if (!c.linear) return;
  if (options.settings.architecture == "auto") options.settings.architecture = "tree";
  if (open.cost) options.settings.forest.nodes.solver.cost = c.cost;
  if (open.prune) options.settings.forest.nodes.prune = c.prune;
}

OpenSettings open_settings(const TrainOptions& options) {
  const TrainSettings& s = options.settings;
  OpenSettings open;
  open.word_ngrams = options.features.word_ngrams == kNgramsByData;
  open.char_ngrams = options.features.char_ngrams == kCharsByData;
  open.min_count = options.features.min_count == 0;
  open.linear = s.architecture == "tree" || (s.architecture == "auto" && !asks_for_network(s));
  open.network = s.architecture != "tree";
  open.activation = s.activation == "auto" && s.hidden == 0 && s.layers.empty();
  open.cost = s.forest.nodes.solver.cost <= 0;
  open.prune = s.forest.nodes.prune < 0;
  return open;
}

std::vector<TextCandidate> first_candidates(const TrainOptions& options, bool has_dense_script) {
  const OpenSettings open = open_settings(options);
  std::vector<TextCandidate> candidates;
  for (const TextCandidate& kind : feature_kinds(options, open, has_dense_script)) {
    if (open.linear) candidates.push_back(kind);
    const bool pairs = kind.word_ngrams == 2 && kind.char_ngrams.empty();
    const bool default_kind = pairs || !open.word_ngrams || !open.char_ngrams;
    if (open.network && (default_kind || !open.linear))
      candidates.push_back(as_network(kind, options));
  }
  std::stable_partition(candidates.begin(), candidates.end(),
                        [](const TextCandidate& c) { return c.linear; });
  return candidates;
}

std::vector<TextCandidate> table_candidates(const TrainOptions& options,
                                            const InputLayout& layout) {
  const OpenSettings open = open_settings(options);
  TextCandidate first;
  first.word_ngrams = 0;
  if (!open.min_count) first.min_count = options.features.min_count;
  std::vector<TextCandidate> candidates;
  if (open.linear && open.cost) {
    for (const double cost : kTableCosts) {
      candidates.push_back(first);
      candidates.back().cost = cost;
    }
  } else if (open.linear) {
    candidates.push_back(first);
    candidates.back().cost = options.settings.forest.nodes.solver.cost;
  }
  for (TextCandidate& candidate : candidates) {
    if (!open.prune) candidate.prune = options.settings.forest.nodes.prune;
  }
  if (!open.network) return candidates;
  candidates.push_back(as_network(first, options));
  if (!layout.is_number_table() || layout.has_several_labels() || !open.activation)
    return candidates;
  candidates.push_back(candidates.back());
  candidates.back().activation = "linear";
  return candidates;
}

TextCandidate as_network(TextCandidate candidate, const TrainOptions& options) {
  candidate.linear = false;
  candidate.cost = TextCandidate().cost;
  candidate.prune = TextCandidate().prune;
  if (open_settings(options).min_count) candidate.min_count = kDefaultMinCount;
  return candidate;
}

/// --min-count 2 was worse with n-grams of characters, or level, on all sets: those leave it alone.
std::array<std::vector<TextCandidate>, 2> neighbours(const TextCandidate& best,
                                                     const OpenSettings& open) {
  std::array<std::vector<TextCandidate>, 2> found;
  if (best.linear && open.cost) {
    found[0].push_back(best);
    found[0].back().cost *= 2;
    found[1].push_back(best);
    found[1].back().cost /= 2;
  }
  if (open.min_count && (best.char_ngrams.empty() || !best.linear)) {
    found[0].push_back(best);
    found[0].back().min_count = 3 - best.min_count;
  }
  return found;
}

}  // namespace frugal::sparse
