#include "tools/sparse-train/data/data_gaps.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

constexpr double kWorthAWarning = 0.2;        ///< share of lines or examples
constexpr double kNearlyAll = 0.9;            ///< share of the examples with a label of their own
constexpr std::size_t kFewestForChoice = 20;  ///< examples that say whether labels repeat
constexpr double kManyJoined = 0.1;           ///< share of the names with a separator in them
constexpr std::size_t kMostNamed = 10;        ///< columns that have a warning of their own
constexpr std::size_t kNamesOfLabel = 3;      ///< names on average that begin with the same label

bool is_much(std::uint64_t part, std::uint64_t whole) {
  return part != 0 && static_cast<double>(part) >= kWorthAWarning * static_cast<double>(whole);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

/// Distinct parts of all names.
std::size_t num_parts(const std::vector<std::string>& names, char separator) {
  std::unordered_set<std::string_view> parts;
  for (const std::string& name : names) {
    for (const std::string_view part : split(name, separator)) {
      if (!trim(part).empty()) parts.insert(trim(part));
    }
  }
  return parts.size();
}

}  // namespace

void warn_of_empty_lines(const std::string& path, std::uint64_t empty, std::uint64_t lines) {
  if (!is_much(empty, lines)) return;
  log_warning(path, ": ", share_text(empty, lines), " lines are empty: they are no examples");
}

void warn_of_gaps(const std::string& path, const Dataset& data, const std::string& known) {
  std::uint64_t unlabelled = 0, featureless = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto labels = data.labels_of(i);
    unlabelled += std::none_of(labels.begin(), labels.end(),
                               [&](std::uint32_t l) { return data.is_known(l); });
    featureless += data.features_of(i).empty();
  }
  const std::string that = known.empty() ? "" : " that " + known + " knows";
  if (is_much(unlabelled, data.size())) {
    log_warning(path, ": ", share_text(unlabelled, data.size()), " examples have no label", that,
                ": is the label column the right one?");
  }
  warn_of_no_features(path, featureless, data.size(),
                      that + ": are these the right columns, and is --min-count too high?");
  warn_of_unknown_values(path, data.column_values);
}

void warn_of_no_features(const std::string& path, std::uint64_t featureless, std::uint64_t examples,
                         const std::string& advice) {
  if (!is_much(featureless, examples)) return;
  log_warning(path, ": ", share_text(featureless, examples), " examples have no feature", advice);
}

void warn_of_unknown_values(const std::string& path, const std::vector<ColumnValues>& columns) {
  std::size_t found = 0;
  for (const ColumnValues& c : columns) {
    if (!is_much(c.unknown, c.values) || ++found > kMostNamed) continue;
    log_warning(path, ": column '", printable(c.column), "': ", share_text(c.unknown, c.values),
                " values are unknown to the model");
  }
  if (found <= kMostNamed) return;
  log_warning(path, ": so are many values of ", format_count(found - kMostNamed, "other column"));
}

void check_labels_differ(const std::string& path, const Dataset& data,
                         const std::vector<std::string>& label_names) {
  if (data.labels.empty()) return;
  const std::uint32_t first = std::as_const(data.labels)[0];
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto labels = data.labels_of(i);
    if (labels.size() != 1 || labels[0] != first) return;
  }
  fail(ExitStatus::bad_input, path, ": all ", data.size(), " examples have the label '",
       printable(label_names[first]), "', expected two labels at least");
}

bool labels_hardly_repeat(const Dataset& data) {
  std::vector<bool> seen(data.num_labels);
  std::size_t distinct = 0;
  for (const std::uint32_t l : data.labels) {
    distinct += !seen[l];
    seen[l] = true;
  }
  return data.labels.size() >= kFewestForChoice &&
         static_cast<double>(distinct) >= kNearlyAll * static_cast<double>(data.labels.size());
}

JoinedLabels find_joined_labels(const std::vector<std::string>& names) {
  for (const char separator : {';', '|', ','}) {
    std::size_t joined = 0;
    const std::string* example = nullptr;
    for (const std::string& name : names) {
      if (name.find(separator) == std::string::npos) continue;
      if (example == nullptr || name.size() < example->size()) example = &name;
      ++joined;
    }
    const bool many =
        static_cast<double>(joined) >= kManyJoined * static_cast<double>(names.size());
    if (joined != 0 && many && num_parts(names, separator) < names.size()) {
      return {std::string(1, separator), *example};
    }
  }
  return {};
}

std::string find_label_with_word(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> labels;
  std::size_t joined = 0;
  const std::string* example = nullptr;
  for (const std::string& name : names) {
    const std::size_t comma = name.find(',');
    if (comma == std::string::npos || comma == 0) continue;
    labels.insert(std::string_view(name).substr(0, comma));
    if (example == nullptr || name.size() < example->size()) example = &name;
    ++joined;
  }
  const bool many = static_cast<double>(joined) >= kManyJoined * static_cast<double>(names.size());
  return many && joined >= kNamesOfLabel * labels.size() && example != nullptr ? *example : "";
}

}  // namespace frugal::sparse
