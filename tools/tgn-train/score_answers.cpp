#include "tools/tgn-train/score_answers.h"

#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr int kDigits = 7;

std::string json_text(std::string_view name) {
  using Json = nlohmann::json;
  // Bytes that are no UTF-8 cannot be told in JSON.
  return Json(std::string(name)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string csv_text(std::string_view name) {
  if (name.find_first_of(",\"\n") == std::string_view::npos) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

ScoreAnswers::ScoreAnswers(const std::string& format) : json_(format == "json") {
  if (!json_ && format != "csv") {
    fail(ExitStatus::usage, "--answers is '", printable(format), "', expected csv or json");
  }
}

std::string_view ScoreAnswers::header() const {
  return json_ ? "" : "source,destination,time,score\n";
}

void ScoreAnswers::ask(const TextEvent& event, bool names) {
  const std::string time = event.time.text();
  if (json_) {
    const auto node = [&](std::string_view name) {
      return names ? json_text(name) : std::string(name);
    };
    asked_.push_back("{\"source\":" + node(event.source) + ",\"destination\":" +
                     node(event.destination) + ",\"time\":" + time + ",\"score\":");
  } else {
    asked_.push_back(csv_text(event.source) + ',' + csv_text(event.destination) + ',' + time + ',');
  }
}

const std::string& ScoreAnswers::text(std::span<const float> logits) {
  assert(logits.size() == asked_.size());
  text_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double probability = 1 / (1 + std::exp(-static_cast<double>(logits[i])));
    text_ += asked_[i];
    text_ += format_number(probability, kDigits);
    text_ += json_ ? "}\n" : "\n";
  }
  return text_;
}

}  // namespace frugal
