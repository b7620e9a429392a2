#pragma once
#include <string>
#include <string_view>

namespace frugal {

/// A format of other programs.
struct FileKind {
  std::string_view name;    ///< "a Parquet file", to be read behind "is"
  std::string_view way_in;  ///< how its owner makes text of it
};

/// The kind of a binary file by its first bytes: archives, compressions that are not read, and the
/// formats of Python's and spreadsheets' programs. Null for text and for bytes of no known kind.
const FileKind* binary_kind(std::string_view head);

/// Fails (bad_input) where `head`, the first bytes of `name`, begins a binary file of a known kind,
/// with the way in.
void refuse_binary(std::string_view head, const std::string& name);

}  // namespace frugal
