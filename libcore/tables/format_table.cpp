#include "libcore/tables/format_table.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

FormatSample::FormatSample(std::string_view name_of_input, std::string_view begin)
    : name(name_of_input),
      path(name_of_input),
      head(begin),
      line(begin.substr(0, begin.find('\n'))) {
  if (path.ends_with(".zst")) path.remove_suffix(4);
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
}

void fail_unknown_format(std::string_view name, std::span<const std::string> known) {
  fail(ExitStatus::usage, "format '", printable(name), "' is not known, expected auto, ",
       joined(known), did_you_mean(name, known));
}

void fail_to_detect(const FormatSample& sample, std::span<const std::string> known) {
  fail(ExitStatus::bad_input, sample.name,
       ":1: cannot tell the format from the name or the first line '", printable(sample.line),
       "', expected --format with one of ", joined(known));
}

}  // namespace frugal
