#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Values in the metadata of a document. Every error is bad_input (65) with the key, what was found
/// and what was expected, behind the path unless that is "".
class MetadataReader {
 public:
  /// Borrows the document.
  explicit MetadataReader(const Document& document, const std::string& path = "")
      : MetadataReader(document.metadata, path) {}
  explicit MetadataReader(const Metadata& metadata, const std::string& path = "");

  bool has(const std::string& key) const { return metadata_.contains(key); }

  const std::string& text(const std::string& key) const;
  /// Written as the tools write numbers: without leading zeros.
  std::uint64_t number(const std::string& key, std::uint64_t low = 0,
                       std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) const;
  /// Any number: a loss may be infinite or none.
  double real(const std::string& key) const;
  /// A finite number from low to high.
  double finite(const std::string& key, double low = std::numeric_limits<double>::lowest(),
                double high = std::numeric_limits<double>::max()) const;
  /// "true" or "1", "false" or "0".
  bool flag(const std::string& key) const;
  /// The same of a key that may be missing, which then means `standard`.
  bool flag(const std::string& key, bool standard) const { return has(key) ? flag(key) : standard; }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

  const Metadata& metadata_;
  std::string where_;  ///< path and colon
};

}  // namespace frugal
