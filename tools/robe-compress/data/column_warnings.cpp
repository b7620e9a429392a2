#include "tools/robe-compress/data/column_warnings.h"

#include <algorithm>
#include <cctype>

#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kFewestSamples = 100;  ///< fewer say nothing about what repeats
constexpr double kNearlyAll = 0.8;
/// Fewer different numbers are categories as well as quantities.
constexpr std::size_t kFewestValues = 20;

/// "user_id", "movieId", and what columns of identifiers are called besides.
bool is_named_id(const std::string& name) {
  if (name == "user" || name == "item") return true;
  if (name.size() < 2) return false;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(name[name.size() - 2]) == 'i' && lower(name.back()) == 'd';
}

bool may_be_quantity(const ClickColumn& column) {
  return column.look && column.look->are_numbers && column.look->values >= kFewestValues &&
         !is_named_id(column.name);
}

bool has_written_numbers(const ClickColumn& column) {
  return column.look && column.look->are_written && !column.look->are_numbers &&
         column.look->values >= kFewestValues;
}

}  // namespace

std::vector<std::string> doubtful_columns(const ClickEncoder& encoder) {
  const ClickSchema& schema = encoder.schema();
  std::vector<std::string> doubts;
  for (std::size_t f = 0; f < encoder.num_fields(); ++f) {
    const ValueCount& count = encoder.num_values(f);
    const double most = static_cast<double>(count.samples);
    if (count.samples < kFewestSamples || static_cast<double>(count.values) < kNearlyAll * most) {
      continue;
    }
    const std::string name = printable(encoder.field_name(f));
    doubts.push_back("column '" + name + "' has " + count.text() + " different values in " +
                     std::to_string(count.samples) +
                     " samples: what nearly every sample has for itself teaches little about "
                     "others; --columns " +
                     name + ":ignore leaves it out");
  }
  std::vector<std::string> written;
  for (const ClickColumn& column : schema.categories) {
    if (has_written_numbers(column)) written.push_back(column.name);
  }
  if (!written.empty()) {
    doubts.push_back(
        "numbers with signs or separators, like 1,030 or $5, are read as categories: " +
        joined(written) + "; as numbers they are written like 1030");
  }
  std::vector<std::string> quantities;
  std::string declaration;
  for (const ClickColumn& column : schema.categories) {
    if (!may_be_quantity(column)) continue;
    quantities.push_back(column.name);
    (declaration += declaration.empty() ? "" : ",") += column.name + ":number";
  }
  if (!quantities.empty()) {
    doubts.push_back("whole numbers are read as categories: " + joined(quantities) +
                     "; declare those that measure or count something, like --columns " +
                     printable(declaration));
  }
  return doubts;
}

void warn_of_columns(const ClickEncoder& encoder) {
  for (const std::string& doubt : doubtful_columns(encoder)) log_warning(doubt);
}

}  // namespace frugal::robe
