#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tgn-train/data/event_parser.h"

namespace frugal::tgn {

/// As a field of a line of CSV: in quotation marks where it needs them.
std::string csv_field(std::string_view text);
/// How answers tell a logit: as the probability that it stands for, or as it is.
enum class ScoreForm : std::uint8_t { probability, logit };
/// Probabilities near 1 have as many digits behind the nines as others have: they differ as their
/// logits do while a double can.
std::string score_text(float logit, ScoreForm form);

/// The rank of a node among nodes and their logits: 1, those with higher ones and half of those
/// with the same, as eval ranks.
double rank_among(std::span<const NodeId> nodes, NodeId node, float logit,
                  std::span<const float> logits);

/// A batch of lines to be answered: what they asked, and the text of the answers.
class PredictionAnswers {
 public:
  /// format: csv or json. Fails (usage) for others. ranks: answers have ranks, too.
  PredictionAnswers(const std::string& format, ScoreForm form, bool ranks);

  /// The line above all answers, where the input has one, too.
  std::string header() const;
  std::size_t size() const { return asked_.size(); }
  void clear() {
    asked_.clear();
    text_.clear();
  }
  /// names: nodes are called by any text.
  void ask(const TextEvent& event, bool names);
  /// A line for each event asked since clear(), by the logits of its probability; valid until the
  /// next call.
  const std::string& text(std::span<const float> logits);
  /// Adds the line of the event's source at its time and a destination, which is answered at once;
  /// ranks begin with 1.
  void add(std::string_view destination, const TextEvent& event, bool names, float logit,
           std::optional<double> rank);
  /// The lines added since clear().
  const std::string& text() const { return text_; }

 private:
  std::string question(const TextEvent& event, std::string_view destination, bool names) const;
  std::string time_text(const TextEvent& event) const;

  bool json_, ranks_;
  ScoreForm form_;
  std::vector<std::string> asked_;  ///< lines up to the answer
  std::string text_;
};

}  // namespace frugal::tgn
