#pragma once
#include <string>
#include <string_view>

namespace frugal {

/// A binary format that is not read, and how to convert it.
struct FileKind {
  std::string_view name;    ///< completes "is ...": "a Parquet file"
  std::string_view way_in;  ///< how to convert it to text
};

/// Recognises a binary file by its first bytes: archives, unsupported compressions, and formats of
/// Python and spreadsheets. Null for text and for unknown bytes.
const FileKind* binary_kind(std::string_view head);

/// Fails (bad_input) if `head`, the first bytes of `name`, begins a known binary format or Excel's
/// line with the separator, and says how to convert the file.
void refuse_foreign(std::string_view head, const std::string& name);

/// Fails (bad_input) if `head`, the text of `name` or its first part, has CR but no LF. Its lines
/// would be one.
void refuse_cr_lines(std::string_view head, const std::string& name);

}  // namespace frugal
