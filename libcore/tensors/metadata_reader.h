#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Reads values of a document's metadata. Every error is bad_input (65) with the path (unless ""),
/// the key, what was found and what was expected.
class MetadataReader {
 public:
  /// Borrows the document.
  explicit MetadataReader(const Document& document, const std::string& path = "")
      : MetadataReader(document.metadata, path) {}
  explicit MetadataReader(const Metadata& metadata, const std::string& path = "");

  bool has(const std::string& key) const { return metadata_.contains(key); }

  const std::string& text(const std::string& key) const;
  /// A whole number from `low` on, without leading zeros, as the tools write them.
  std::uint64_t number(const std::string& key, std::uint64_t low = 0,
                       std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) const;
  /// Any number; infinities and NaN are allowed, as for a loss.
  double real(const std::string& key) const;
  /// A finite number from low to high.
  double finite(const std::string& key, double low = std::numeric_limits<double>::lowest(),
                double high = std::numeric_limits<double>::max()) const;
  /// A Boolean: "true" or "1", "false" or "0".
  bool flag(const std::string& key) const;
  /// A Boolean; `standard` if the key is missing.
  bool flag(const std::string& key, bool standard) const { return has(key) ? flag(key) : standard; }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

  const Metadata& metadata_;
  std::string where_;  ///< path and colon
};

}  // namespace frugal
