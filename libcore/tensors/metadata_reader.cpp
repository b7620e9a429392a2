#include "libcore/tensors/metadata_reader.h"

#include <cmath>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

MetadataReader::MetadataReader(const Metadata& metadata, const std::string& path)
    : metadata_(metadata), where_(path.empty() ? "" : path + ": ") {}

const std::string& MetadataReader::text(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    fail(ExitStatus::bad_input, where_, "metadata '", key, "' is missing");
  }
  return found->second;
}

std::uint64_t MetadataReader::number(const std::string& key, std::uint64_t low,
                                     std::uint64_t high) const {
  const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(text(key));
  if (!value || *value < low || *value > high || std::to_string(*value) != text(key)) {
    refuse(key, "a number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return *value;
}

double MetadataReader::real(const std::string& key) const {
  const std::optional<double> value = parse_number<double>(text(key));
  if (!value) refuse(key, "a number");
  return *value;
}

double MetadataReader::finite(const std::string& key, double low, double high) const {
  const double value = real(key);
  if (std::isfinite(value) && value >= low && value <= high) return value;
  std::string expected = "a finite number";
  if (low > std::numeric_limits<double>::lowest()) expected += " from " + format_number(low);
  if (high < std::numeric_limits<double>::max()) expected += " to " + format_number(high);
  refuse(key, expected);
}

bool MetadataReader::flag(const std::string& key) const {
  const std::string& value = text(key);
  if (value == "true" || value == "1") return true;
  if (value != "false" && value != "0") refuse(key, "true or false");
  return false;
}

void MetadataReader::refuse(const std::string& key, const std::string& expected) const {
  fail(ExitStatus::bad_input, where_, "metadata '", key, "' is '", printable(text(key)),
       "', expected ", expected);
}

}  // namespace frugal
