#include "tools/tgn-train/link_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr int kDigits = 5;

}  // namespace

void add_tests(const LinkTests& tests, nlohmann::ordered_json& json) {
  const std::pair<const char*, const std::optional<LinkMetrics>&> parts[] = {
      {"test_", tests.test},
      {"inductive_", tests.inductive_test},
      {"validation_", tests.valid},
      {"inductive_validation_", tests.inductive_valid}};
  for (const auto& [prefix, metrics] : parts) {
    if (!metrics) continue;
    for (const auto& [name, value] : metrics->values()) json[prefix + name] = value;
  }
  if (tests.test && !std::isnan(tests.test->mrr())) json["mrr"] = tests.test->mrr();
}

std::string metrics_text(const std::string& part,
                         const std::vector<std::pair<std::string, double>>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += ", " + part + " " + name + " " + format_number(value, kDigits);
  }
  return text;
}

std::string tests_text(const LinkTests& tests) {
  std::string text;
  if (tests.test) text += metrics_text("test", tests.test->values());
  if (tests.inductive_test) text += metrics_text("inductive", tests.inductive_test->values());
  return text;
}

}  // namespace frugal
