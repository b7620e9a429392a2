#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tgn-train/data/event_lines.h"

namespace frugal {

/// A batch of lines to be answered: what they asked, and the text of the answers.
class ScoreAnswers {
 public:
  /// format: csv or json. Fails (usage) for others.
  explicit ScoreAnswers(const std::string& format);

  /// The line above all answers, where the input has one, too.
  std::string_view header() const;
  std::size_t size() const { return asked_.size(); }
  void clear() { asked_.clear(); }
  /// names: nodes are called by any text.
  void ask(const TextEvent& event, bool names);
  /// A line for each event asked since clear(), by the logits of its probability; valid until the
  /// next call.
  const std::string& text(std::span<const float> logits);

 private:
  bool json_;
  std::vector<std::string> asked_;  ///< lines up to the answer
  std::string text_;
};

}  // namespace frugal
