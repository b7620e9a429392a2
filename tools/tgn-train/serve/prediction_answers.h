#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tgn-train/data/event_parser.h"
#include "tools/tgn-train/model/label_task.h"

namespace frugal::tgn {

/// Text as a CSV field, in quotation marks if needed.
std::string csv_field(std::string_view text);
/// Form of scores in answers: probabilities, or logits.
enum class ScoreForm : std::uint8_t { probability, logit };
/// Text of a score. Probabilities near 1 get as many digits after the nines as others, so that they
/// differ like their logits as far as a double can.
std::string score_text(float logit, ScoreForm form);

/// Fails (usage) if logits are wanted of labels that are numbers.
void check_logits(bool wanted, const LabelTask& task);
/// Header of what label_answer() writes: "score", "class,score" or "value".
std::string label_header(const LabelTask& task, ScoreForm form);
/// Text of what outputs predict: the probability of label 1, the likeliest class and its
/// probability, or a number. json: members of an object with these names.
std::string label_answer(const LabelTask& task, std::span<const float> outputs, ScoreForm form,
                         bool json);

/// Rank of a node among nodes and their logits: 1 plus the number of higher ones plus half of the
/// equal ones, as in eval.
double rank_among(std::span<const NodeId> nodes, NodeId node, float logit,
                  std::span<const float> logits);

/// Numbers of the highest logits, at most `count`, the highest first; of equal ones the first.
std::vector<std::size_t> highest(std::span<const float> logits, std::size_t count);

/// A batch of questions, and the text of their answers.
class PredictionAnswers {
 public:
  /// format: csv or json; fails (usage) for others. ranks: answers also have ranks.
  PredictionAnswers(const std::string& format, ScoreForm form, bool ranks);

  bool json() const { return json_; }
  ScoreForm form() const { return form_; }
  /// Header line of the answers, for inputs with a header. types: events have edge types.
  std::string header(const LabelTask& task, bool types) const;
  std::size_t size() const { return asked_.size(); }
  void clear() {
    asked_.clear();
    text_.clear();
  }
  /// Adds a question. names: node ids are any text.
  void ask(const TextEvent& event, bool names);
  /// Answers with a line for each event asked since clear(), from their logits; valid until the
  /// next call.
  const std::string& text(std::span<const float> logits);
  /// As text(), from answers of label_answer().
  const std::string& text(std::span<const std::string> answers);
  /// Adds an answered line for the event's source and time and a destination. rank: from 1 on.
  void add(std::string_view destination, const TextEvent& event, bool names, float logit,
           std::optional<double> rank);
  /// Lines added since clear().
  const std::string& text() const { return text_; }

 private:
  std::string question(const TextEvent& event, std::string_view destination, bool names) const;
  std::string time_text(const TextEvent& event) const;

  bool json_, ranks_;
  ScoreForm form_;
  std::vector<std::string> asked_;  ///< lines without the answer
  std::string text_;
};

}  // namespace frugal::tgn
