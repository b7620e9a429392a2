#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "libcore/io/tensor_file.h"
#include "tools/robe-compress/embedding/embedding.h"

namespace frugal {

/// What files may hold.
inline constexpr std::uint64_t kMaxTables = 4096;
inline constexpr std::uint64_t kMaxDim = 4096;
inline constexpr std::uint64_t kMaxCopies = 64;

/// Values in the metadata of a document; every error is bad_input (65) with the path and the key.
class MetadataReader {
 public:
  MetadataReader(const Document& document, const std::string& path)
      : metadata_(document.metadata), path_(path) {}
  const std::string& text(const std::string& key) const;
  std::uint64_t number(const std::string& key, std::uint64_t low = 0,
                       std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) const;
  bool flag(const std::string& key) const;

 private:
  const Metadata& metadata_;
  const std::string& path_;
};

/// Names and rows of the tables, their dimension, and the method.
void save_tables(const Embedding& embedding, Document& document);

/// The embedding that Embedding::save() wrote, of any method. Fails (bad_input) with `path` on
/// anything else, before memory is taken that the file's size does not bear out.
std::unique_ptr<Embedding> load_embedding(const Document& document, const std::string& path);

}  // namespace frugal
