#include "libcore/tables/skipped_comments.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"

namespace frugal {

void fail_without_rows(PieceReader& reader, const std::string& expected) {
  std::uint64_t comments = 0;
  for (const std::string_view line : split(reader.head(), '\n'))
    comments += is_comment(line) ? 1 : 0;
  if (comments == 0) {
    fail(ExitStatus::bad_input, reader.name(), ": is empty, expected ", expected);
  }
  fail(ExitStatus::bad_input, reader.name(), ": has only comments (",
       format_count(comments, "line"), " behind # or %), expected ", expected,
       "; quotes around the first field make a line a row");
}

void SkippedComments::start(const TextPiece& piece) {
  text_ = piece.text();
  at_ = 0;
  counted_ = 0;
  line_ = piece.first_line;
}

void SkippedComments::finish() {
  if (has_comments_ && text_.size() > at_ + kLineEnd) look_at(text_.size());
}

void SkippedComments::look_at(std::size_t end) {
  line_ += count_lines(text_.substr(counted_, at_ - counted_));
  for (; at_ < end; ++line_) {
    const std::size_t line_end = std::min(text_.find('\n', at_), end);
    const bool is_counted = line_ > first_row_ && is_comment(text_.substr(at_, line_end - at_));
    if (is_counted && count_++ == 0) first_line_ = line_;
    at_ = line_end + 1;
  }
  counted_ = std::min(at_, text_.size());
}

void SkippedComments::add(const SkippedComments& next) {
  if (count_ == 0) first_line_ = next.first_line_;
  count_ += next.count_;
}

void SkippedComments::tell(const std::string& name) const {
  if (count_ == 0) return;
  const std::uint64_t others = count_ - 1;
  const std::string more =
      others == 0 ? ""
                  : (others == 1 ? "; so is " : "; so are ") + format_count(others, "later line");
  log_warning(name, ":", first_line_, ": taken as a comment, as it begins with # or %", more,
              " (quotes around the first field make a row of it)");
}

}  // namespace frugal
