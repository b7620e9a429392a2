#include "libcore/tables/record_reader.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

RecordReader::RecordReader(const std::string& path, DelimitedStyle style, std::size_t max_record)
    : lines_(path, max_record), style_(style), max_record_(max_record) {}

bool RecordReader::next(std::string_view& record) {
  if (!lines_.next(record)) return false;
  first_line_ = lines_.line_number();
  if (!style_.quotes || record.find('"') == std::string_view::npos) return true;
  joined_ = record;
  RecordScanner scanner(style_);
  scanner.scan(joined_);
  while (scanner.in_quotes()) {
    if (joined_.size() > max_record_ || !lines_.next(record)) {
      fail(ExitStatus::bad_input, place(), ": a quote is opened in this record and not closed ",
           joined_.size() > max_record_ ? "within " + format_bytes(max_record_) : "at all");
    }
    joined_ += '\n';
    joined_ += record;
    scanner.scan(joined_);
  }
  record = joined_;
  return true;
}

std::string RecordReader::place() const {
  return lines_.path() + ":" + std::to_string(first_line_);
}

}  // namespace frugal
