#include "tools/tgn-train/serve/prediction_answers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

constexpr int kDigits = 7;
constexpr int kLogitDigits = 9, kMostDigits = 17;  // that tell floats apart, and doubles

std::string json_text(std::string_view name) {
  using Json = nlohmann::json;
  // Bytes that are no UTF-8 cannot be told in JSON.
  return Json(std::string(name)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string score_text(float logit, ScoreForm form) {
  if (form == ScoreForm::logit) return format_number(logit, kLogitDigits);
  const double odds = std::exp(-static_cast<double>(logit));
  const double rest = odds / (1 + odds);
  const int nines = rest < 0.1 && rest > 0 ? static_cast<int>(-std::log10(rest)) : 0;
  return format_number(1 / (1 + odds), std::min(kDigits + nines, kMostDigits));
}

void check_logits(bool wanted, const LabelTask& task) {
  if (!wanted || task.type != LabelType::numbers) return;
  fail(ExitStatus::usage, "--logits is of probabilities, and the model predicts numbers");
}

std::string label_header(const LabelTask& task, ScoreForm form) {
  if (task.type == LabelType::numbers) return "value";
  return std::string(task.type == LabelType::classes ? "class," : "") +
         (form == ScoreForm::logit ? "logit" : "score");
}

std::string label_answer(const LabelTask& task, std::span<const float> outputs, ScoreForm form,
                         bool json) {
  const auto member = [&](const char* name) {
    return json ? '"' + std::string(name) + "\":" : std::string();
  };
  if (task.type == LabelType::numbers) {
    return member("value") + format_number(task.scale.value(outputs[0]), kDigits);
  }
  float logit = outputs[0];
  std::string answer;
  if (task.type == LabelType::classes) {
    const auto best = std::max_element(outputs.begin(), outputs.end());
    double others = 0;
    for (auto x = outputs.begin(); x != outputs.end(); ++x) {
      if (x != best) others += std::exp(static_cast<double>(*x) - *best);
    }
    // The probability 1 / (1 + others) is that of this logit.
    logit = static_cast<float>(-std::log(others));
    const std::string& name = task.classes[static_cast<std::size_t>(best - outputs.begin())];
    answer = member("class") + (json ? json_text(name) : csv_field(name)) + ',';
  }
  return answer + member(form == ScoreForm::logit ? "logit" : "score") + score_text(logit, form);
}

double rank_among(std::span<const NodeId> nodes, NodeId node, float logit,
                  std::span<const float> logits) {
  double rank = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == node) continue;
    rank += logits[i] > logit ? 1 : logits[i] == logit ? 0.5 : 0;
  }
  return rank;
}

std::vector<std::size_t> highest(std::span<const float> logits, std::size_t count) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  order.erase(end, order.end());
  return order;
}

PredictionAnswers::PredictionAnswers(const std::string& format, ScoreForm form, bool ranks)
    : json_(format == "json"), ranks_(ranks), form_(form) {
  if (!json_ && format != "csv") {
    fail(ExitStatus::usage, "--answers is '", printable(format), "', expected csv or json");
  }
}

std::string PredictionAnswers::header(const LabelTask& task, bool types) const {
  if (json_) return "";
  return "source,destination,time," + std::string(types ? "edge_type," : "") +
         label_header(task, form_) + (ranks_ ? ",rank\n" : "\n");
}

/// Numbers as numbers, dates as they were written.
std::string PredictionAnswers::time_text(const TextEvent& event) const {
  if (!event.time.is_date) return event.time.text();
  return json_ ? json_text(event.time_text) : csv_field(event.time_text);
}

/// The line up to the answer.
std::string PredictionAnswers::question(const TextEvent& event, std::string_view destination,
                                        bool names) const {
  const std::string time = time_text(event);
  if (!json_) {
    return csv_field(event.source) + ',' + csv_field(destination) + ',' + time + ',' +
           (event.type.empty() ? "" : csv_field(event.type) + ',');
  }
  const auto node = [&](std::string_view name) {
    return names ? json_text(name) : std::string(name);
  };
  return "{\"source\":" + node(event.source) + ",\"destination\":" + node(destination) +
         ",\"time\":" + time +
         (event.type.empty() ? "," : ",\"edge_type\":" + json_text(event.type) + ',');
}

void PredictionAnswers::ask(const TextEvent& event, bool names) {
  asked_.push_back(question(event, event.destination, names));
}

const std::string& PredictionAnswers::text(std::span<const float> logits) {
  std::vector<std::string> answers;
  for (const float logit : logits) answers.push_back(label_answer({}, {&logit, 1}, form_, json_));
  return text(answers);
}

const std::string& PredictionAnswers::text(std::span<const std::string> answers) {
  assert(answers.size() == asked_.size());
  text_.clear();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    text_ += asked_[i];
    text_ += answers[i];
    text_ += json_ ? "}\n" : "\n";
  }
  return text_;
}

void PredictionAnswers::add(std::string_view destination, const TextEvent& event, bool names,
                            float logit, std::optional<double> rank) {
  text_ += question(event, destination, names) + label_answer({}, {&logit, 1}, form_, json_);
  if (rank) text_ += (json_ ? ",\"rank\":" : ",") + format_number(*rank);
  text_ += json_ ? "}\n" : "\n";
}

}  // namespace frugal::tgn
