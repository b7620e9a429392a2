#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/sparse-train/search/text_choice.h"

namespace frugal::sparse {

/// "name=value name=value".
std::string settings_text(const Settings& settings);

/// A line for people on one candidate.
std::string trial_text(const TextTrial& trial);

/// A line for people on what was chosen, and of what.
std::string choice_text(const TextChoice& choice);

/// What was tried, with CPU times where they are asked for: models must not have them.
nlohmann::ordered_json choice_json(const TextChoice& choice, bool with_times);

/// The choice that choice_json() gave, with times. Throws std::exception where the JSON is another.
TextChoice choice_from(const nlohmann::ordered_json& json);

}  // namespace frugal::sparse
