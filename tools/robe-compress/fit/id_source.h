#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::robe {

/// Row numbers of a table, some at a time.
class IdSource {
 public:
  virtual ~IdSource() = default;
  /// The next ones, at least one: of a pipe as many as it has ready. False at the end. Fails
  /// (bad_input) with the place of one that is not below the number of rows.
  virtual bool next(std::vector<std::uint32_t>& ids) = 0;
};

/// Ids below `rows` in a path or "-". form "text": one a line; "tensors": the only integer tensor,
/// or that named ids, of each document of a tensor file, .npy or .npz; "auto": tensors where the
/// path has such a suffix, else text.
std::unique_ptr<IdSource> open_ids(const std::string& path, const std::string& form,
                                   std::uint64_t rows);

/// The row that a line of text stands for, if any.
using RowOfText = std::function<std::optional<std::uint32_t>(std::string_view line)>;
/// Categories, one a line as it is, in a path or "-".
std::unique_ptr<IdSource> open_categories(const std::string& path, RowOfText row_of);

}  // namespace frugal::robe
