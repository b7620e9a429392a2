#include "tools/sparse-train/text/number_bins.h"

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

NumberBins::NumberBins(std::string column, std::vector<double> edges)
    : column_(std::move(column)), salt_(column_salt(column_)), edges_(std::move(edges)) {}

NumberBins NumberBins::learn(std::string column, std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  std::vector<double> edges;
  for (std::size_t bin = 1; bin < kFine && !values.empty(); ++bin) {
    const double edge = values[bin * values.size() / kFine];
    const bool splits = edge > values.front() && (edges.empty() || edge > edges.back());
    if (splits) edges.push_back(edge);
  }
  return NumberBins(std::move(column), std::move(edges));
}

std::uint64_t NumberBins::hash(std::size_t feature) const { return hash_combine(salt_, feature); }

std::string NumberBins::name(std::size_t feature) const {
  if (feature + 1 == num_features()) return column_ + " missing";
  std::size_t begin = feature, end = feature + 1;
  if (feature >= num_fine()) {
    begin = (feature - num_fine()) * kFinePerCoarse;
    end = std::min(begin + kFinePerCoarse, num_fine());
  }
  if (begin == 0 && end == num_fine()) return column_ + " there";
  if (begin == 0) return column_ + " < " + bound(edges_, end - 1);
  if (end == num_fine()) return column_ + " >= " + bound(edges_, begin - 1);
  return column_ + " in [" + bound(edges_, begin - 1) + ", " + bound(edges_, end - 1) + ")";
}

void NumberBins::append_features(double number, std::vector<std::uint32_t>& features) const {
  if (std::isnan(number)) {
    features.push_back(static_cast<std::uint32_t>(num_features() - 1));
    return;
  }
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), number);
  const auto fine = static_cast<std::size_t>(above - edges_.begin());
  features.push_back(static_cast<std::uint32_t>(fine));
  features.push_back(static_cast<std::uint32_t>(num_fine() + fine / kFinePerCoarse));
}

}  // namespace frugal::sparse
