#pragma once
#include <cstdint>
#include <string>

namespace frugal::robe {

struct LookupOptions {
  std::string array;
  std::string table;  ///< "" = the only one
  std::string ids = "-";
  std::string form = "auto";  ///< of the ids: open_ids(), or "categories" of a model's column
  std::string output = "-";
  std::string dtype = "f32";
};

struct LookupResult {
  std::uint64_t rows = 0;
  std::uint64_t unknown = 0;  ///< categories without a row of their own, which got row 0
  double seconds = 0;         ///< after the array was loaded
};

/// Writes the rows of a table that ids name, in their order and constant memory: to a stream of
/// tensor files ("-", *.tzs) a document for each part of the ids, as soon as a pipe has it; else
/// one tensor named as the table.
LookupResult lookup_rows(const LookupOptions& options);

}  // namespace frugal::robe
