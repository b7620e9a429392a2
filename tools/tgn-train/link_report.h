#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/tgn-train/link_evaluation.h"

namespace frugal {

/// Adds the metrics of all parts: test_ap, inductive_ap (of the test part), validation_ap,
/// inductive_validation_ap and so on; mrr and hits of the test part without a prefix, too.
void add_tests(const LinkTests& tests, nlohmann::ordered_json& json);

/// ", test ap 0.98, test auc 0.97": for people.
std::string metrics_text(const std::string& part,
                         const std::vector<std::pair<std::string, double>>& values);
std::string tests_text(const LinkTests& tests);

}  // namespace frugal
