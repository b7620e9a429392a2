#include "tools/sparse-train/text/number_features.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"
#include "tools/sparse-train/data/column_types.h"

namespace frugal::sparse {
namespace {

constexpr std::size_t kMostSampled = std::size_t{1} << 20;
constexpr std::size_t kFewColumns = 256;
constexpr std::uint64_t kFewNumbers = 2'000'000;
constexpr std::size_t kGroupsOfBin = 4;  ///< in a coarse bin

std::string bound(const std::vector<double>& edges, std::size_t i) {
  return std::abs(edges[i]) < 1e6 ? format_number(edges[i], 6) : format_number(edges[i]);
}

}  // namespace

std::optional<double> parse_value(std::string_view field, char separator) {
  field = trim(field);
  if (is_missing_number(field)) return std::numeric_limits<double>::quiet_NaN();
  return parse_number_between<double>(field, separator);
}

void NumberSample::add(std::span<const double> numbers) {
  if (num_columns_ == 0) return;
  for (; !numbers.empty(); numbers = numbers.subspan(num_columns_)) {
    if (num_examples_++ % every_ != 0) continue;
    kept_.insert(kept_.end(), numbers.begin(),
                 numbers.begin() + static_cast<std::ptrdiff_t>(num_columns_));
    if (kept_.size() < kMostSampled * num_columns_) continue;
    std::size_t to = 0;
    for (std::size_t from = 0; from < kept_.size(); ++from) {
      if (from / num_columns_ % 2 == 0) kept_[to++] = kept_[from];
    }
    kept_.resize(to);
    every_ *= 2;
  }
}

std::vector<double> NumberSample::column(std::size_t column) const {
  std::vector<double> values;
  for (std::size_t i = column; i < kept_.size(); i += num_columns_) values.push_back(kept_[i]);
  return values;
}

NumberFeatures::NumberFeatures(std::string column, Kind kind, std::vector<double> edges)
    : column_(std::move(column)),
      kind_(kind),
      salt_(column_salt(column_)),
      edges_(std::move(edges)) {}

std::size_t NumberFeatures::groups_for(std::size_t num_columns, std::uint64_t num_examples) {
  if (num_columns > kFewColumns) return 8;
  return num_columns * num_examples <= kFewNumbers ? 32 : 16;
}

NumberFeatures NumberFeatures::learn(std::string column, std::vector<double> values,
                                     std::size_t groups) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  std::vector<double> edges;
  if (values.empty()) return NumberFeatures(std::move(column), Kind::steps, std::move(edges));
  // Where the lowest number fills a group alone, as in counts, the others are divided.
  const auto above = std::upper_bound(values.begin(), values.end(), values.front());
  const auto lowest = static_cast<std::size_t>(above - values.begin());
  const bool divides_others = lowest * groups >= values.size();
  const std::size_t parts = divides_others ? groups - 1 : groups;
  const std::span<const double> divided =
      std::span<const double>(values).subspan(divides_others ? lowest : 0);
  for (std::size_t part = divides_others ? 0 : 1; part < parts && !divided.empty(); ++part) {
    const double edge = divided[part * divided.size() / parts];
    const bool splits = edge > values.front() && (edges.empty() || edge > edges.back());
    if (splits) edges.push_back(edge);
  }
  return NumberFeatures(std::move(column), Kind::steps, std::move(edges));
}

std::size_t NumberFeatures::num_features() const {
  if (kind_ == Kind::steps) return num_groups() + 1;
  return num_groups() + edges_.size() / kGroupsOfBin + 2;
}

std::uint64_t NumberFeatures::hash(std::size_t feature) const {
  return hash_combine(salt_, feature);
}

std::string NumberFeatures::name(std::size_t feature) const {
  if (feature + 1 == num_features()) return column_ + " missing";
  if (kind_ == Kind::steps) return name_of_groups(feature, num_groups());
  if (feature < num_groups()) return name_of_groups(feature, feature + 1);
  const std::size_t begin = (feature - num_groups()) * kGroupsOfBin;
  return name_of_groups(begin, std::min(begin + kGroupsOfBin, num_groups()));
}

std::string NumberFeatures::name_of_groups(std::size_t begin, std::size_t end) const {
  if (begin == 0 && end == num_groups()) return column_ + " there";
  if (begin == 0) return column_ + " < " + bound(edges_, end - 1);
  if (end == num_groups()) return column_ + " >= " + bound(edges_, begin - 1);
  return column_ + " in [" + bound(edges_, begin - 1) + ", " + bound(edges_, end - 1) + ")";
}

void NumberFeatures::append_features(double number, std::vector<std::uint32_t>& features) const {
  if (std::isnan(number)) {
    features.push_back(static_cast<std::uint32_t>(num_features() - 1));
    return;
  }
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), number);
  const auto group = static_cast<std::size_t>(above - edges_.begin());
  if (kind_ == Kind::bins) {
    features.push_back(static_cast<std::uint32_t>(group));
    features.push_back(static_cast<std::uint32_t>(num_groups() + group / kGroupsOfBin));
    return;
  }
  for (std::size_t step = 0; step <= group; ++step) {
    features.push_back(static_cast<std::uint32_t>(step));
  }
}

}  // namespace frugal::sparse
