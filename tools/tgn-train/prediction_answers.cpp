#include "tools/tgn-train/prediction_answers.h"

#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {
namespace {

constexpr int kDigits = 7;

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

std::string probability_text(float logit) {
  return format_number(1 / (1 + std::exp(-static_cast<double>(logit))), kDigits);
}

PredictionAnswers::PredictionAnswers(const std::string& format, bool ranks)
    : json_(format == "json"), ranks_(ranks) {
  if (!json_ && format != "csv") {
    fail(ExitStatus::usage, "--answers is '", printable(format), "', expected csv or json");
  }
}

std::string_view PredictionAnswers::header() const {
  if (json_) return "";
  return ranks_ ? "source,destination,time,score,rank\n" : "source,destination,time,score\n";
}

/// The line up to the answer.
std::string PredictionAnswers::question(std::string_view source, std::string_view destination,
                                        const TextTime& time, bool names) const {
  if (!json_) return csv_field(source) + ',' + csv_field(destination) + ',' + time.text() + ',';
  const auto node = [&](std::string_view name) {
    return names ? json_text(name) : std::string(name);
  };
  return "{\"source\":" + node(source) + ",\"destination\":" + node(destination) +
         ",\"time\":" + time.text() + ",\"score\":";
}

void PredictionAnswers::ask(const TextEvent& event, bool names) {
  asked_.push_back(question(event.source, event.destination, event.time, names));
}

const std::string& PredictionAnswers::text(std::span<const float> logits) {
  assert(logits.size() == asked_.size());
  text_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    text_ += asked_[i];
    text_ += probability_text(logits[i]);
    text_ += json_ ? "}\n" : "\n";
  }
  return text_;
}

void PredictionAnswers::add(std::string_view source, std::string_view destination,
                            const TextTime& time, bool names, float logit,
                            std::optional<double> rank) {
  text_ += question(source, destination, time, names) + probability_text(logit);
  if (rank) text_ += (json_ ? ",\"rank\":" : ",") + format_number(*rank);
  text_ += json_ ? "}\n" : "\n";
}

}  // namespace frugal::tgn
