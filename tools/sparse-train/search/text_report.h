#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/sparse-train/search/text_choice.h"

namespace frugal::sparse {

/// Settings as "name=value name=value".
std::string settings_text(const Settings& settings);

/// A line for people on one candidate.
std::string trial_text(const TextTrial& trial);

/// A line for people on what was chosen, and of what.
std::string choice_text(const TextChoice& choice);

/// The trials of a search as JSON. with_times: adds CPU times, which model files must not have.
nlohmann::ordered_json choice_json(const TextChoice& choice, bool with_times);

/// Reads a choice that choice_json() wrote with times. Throws std::exception for other JSON.
TextChoice choice_from(const nlohmann::ordered_json& json);

}  // namespace frugal::sparse
