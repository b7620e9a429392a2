#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tgn-train/data/event_parser.h"

namespace frugal::tgn {

/// As a field of a line of CSV: in quotation marks where it needs them.
std::string csv_field(std::string_view text);
/// The probability that a logit stands for, as all answers have it.
std::string probability_text(float logit);

/// A batch of lines to be answered: what they asked, and the text of the answers.
class PredictionAnswers {
 public:
  /// format: csv or json. Fails (usage) for others. ranks: answers have ranks, too.
  PredictionAnswers(const std::string& format, bool ranks);

  /// The line above all answers, where the input has one, too.
  std::string_view header() const;
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
  /// Adds the line of a pair of nodes and a time, which is answered at once; ranks begin with 1.
  void add(std::string_view source, std::string_view destination, const TextTime& time, bool names,
           float logit, std::optional<double> rank);
  /// The lines added since clear().
  const std::string& text() const { return text_; }

 private:
  std::string question(std::string_view source, std::string_view destination, const TextTime& time,
                       bool names) const;

  bool json_, ranks_;
  std::vector<std::string> asked_;  ///< lines up to the answer
  std::string text_;
};

}  // namespace frugal::tgn
