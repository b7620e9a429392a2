#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/tables/table_rows.h"

namespace frugal {

/// Fails (bad_input) because the text has no rows: "FILE: is empty, expected events" or, if it has
/// comments, "FILE: has 2 lines that begin with # or %, which are comments (...), and no other,
/// ...".
[[noreturn]] void fail_without_rows(PieceReader& reader, const std::string& expected);

/// Counts the comments behind the first row of a text, which may be rows that begin with '#'.
class SkippedComments {
 public:
  /// form: that of the rows; without `lines` there are no comments.
  explicit SkippedComments(const TableForm& form)
      : has_comments_(form.lines),
        first_row_(form.header_line != 0 ? form.header_line : form.model_line) {}

  /// Begins a piece; call it beside TableRows::start().
  void start(const TextPiece& piece);
  /// Counts the comments between the row before and this one.
  void pass(const TableRows& rows) {
    if (!has_comments_) return;
    if (rows.offset() > at_ + kLineEnd) look_at(rows.offset());
    at_ = rows.offset() + rows.row().size();
  }
  /// Counts the comments behind the last row of the piece.
  void finish();
  /// Adds those of the next pieces.
  void add(const SkippedComments& next);

  std::uint64_t count() const { return count_; }
  /// Tells the user of the comments; does nothing if there are none.
  void tell(const std::string& name) const;

 private:
  static constexpr std::size_t kLineEnd = 2;  ///< most bytes of the end of a row

  void look_at(std::size_t end);

  bool has_comments_ = false;
  std::uint64_t first_row_ = 0;  ///< line of the header or, without one, of the first row
  std::uint64_t count_ = 0;
  std::uint64_t first_line_ = 0;  ///< of the first comment
  std::string_view text_;         ///< of the piece
  std::size_t at_ = 0;            ///< behind the last row
  std::size_t counted_ = 0;       ///< up to here lines are counted,
  std::uint64_t line_ = 1;        ///< of that place
};

}  // namespace frugal
