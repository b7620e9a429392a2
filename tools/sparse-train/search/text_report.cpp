#include "tools/sparse-train/search/text_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

std::map<std::string, std::string> settings_from(const nlohmann::ordered_json& json) {
  return json.get<std::map<std::string, std::string>>();
}

}  // namespace

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

std::string trial_text(const TextTrial& trial) {
  return "tried " + settings_text(settings_of(trial.candidate)) + ": P@1 " +
         format_percent(trial.score) + " of " + std::to_string(trial.examples) + " held out, " +
         format_number(trial.cpu_seconds, 2) + " CPU s" +
         (trial.given_up ? ", given up early" : "");
}

std::string choice_text(const TextChoice& choice) {
  const TextTrial& best = choice.trials[choice.best];
  return settings_text(settings_of(best.candidate)) + ": best of " +
         std::to_string(choice.trials.size()) + " on " + std::to_string(best.examples) +
         " held-out examples, P@1 " + format_percent(best.score) +
         (choice.sampled ? ", in a sample of " + std::to_string(choice.examples) : "") +
         (choice.cut_short ? "; the time budget ended the search" : "");
}

nlohmann::ordered_json choice_json(const TextChoice& choice, bool with_times) {
  nlohmann::ordered_json json = {{"examples", choice.examples}, {"sampled", choice.sampled}};
  if (choice.cut_short) json["cut_short"] = true;
  for (const TextTrial& trial : choice.trials) {
    nlohmann::ordered_json one;
    for (const auto& [name, value] : settings_of(trial.candidate)) one["settings"][name] = value;
    one["held_out"] = trial.examples;
    one["p_at_1"] = trial.score;
    if (trial.given_up) one["given_up"] = true;
    if (with_times) one["cpu_seconds"] = trial.cpu_seconds;
    json["tried"].push_back(one);
  }
  for (const auto& [name, value] : settings_of(choice.trials[choice.best].candidate))
    json["chosen"][name] = value;
  return json;
}

TextChoice choice_from(const nlohmann::ordered_json& json) {
  TextChoice choice;
  choice.examples = json.at("examples");
  choice.sampled = json.at("sampled");
  choice.cut_short = json.value("cut_short", false);
  for (const auto& one : json.at("tried")) {
    TextTrial& trial = choice.trials.emplace_back();
    trial.candidate = candidate_from(settings_from(one.at("settings")));
    trial.examples = one.at("held_out");
    trial.score = one.at("p_at_1");
    trial.cpu_seconds = one.at("cpu_seconds");
    trial.given_up = one.value("given_up", false);
  }
  const TextCandidate chosen = candidate_from(settings_from(json.at("chosen")));
  const auto best = std::find_if(choice.trials.begin(), choice.trials.end(),
                                 [&](const TextTrial& t) { return t.candidate == chosen; });
  if (best == choice.trials.end()) throw std::runtime_error("what was chosen was not tried");
  choice.best = static_cast<std::size_t>(best - choice.trials.begin());
  return choice;
}

}  // namespace frugal::sparse
