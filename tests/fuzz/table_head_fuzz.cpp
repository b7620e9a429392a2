// Feeds bytes to what is told of a table before its rows are read: kind of the text, separator,
// header, profiles of columns, and the values in them. The first byte chooses.
#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_profile.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/header_guess.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/moment.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/text_kind.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace frugal;

void check_value(std::string_view field) {
  if (const auto moment = parse_moment(field)) {
    require(moment->nanoseconds >= 0 && moment->nanoseconds < 1'000'000'000, "a second has 1e9 ns");
    if (const auto date = calendar_date(*moment)) {
      require(date->month >= 1 && date->month <= 12 && date->day >= 1 && date->day <= 31 &&
                  date->weekday >= 0 && date->weekday <= 6 && date->hour >= -1 && date->hour <= 23,
              "a calendar shows a day that exists");
    }
    if (const auto nanoseconds = moment->in_nanoseconds()) {
      const auto again = parse_moment(std::to_string(moment->seconds));
      require(*nanoseconds / 1'000'000'000 == moment->seconds || moment->seconds < 0 || !again,
              "nanoseconds hold the seconds");
    }
  }
  if (is_missing(field)) require(!parse_whole(field), "a missing value is no number");
}

void check_head(const TableHead& head) {
  require(head.rows.size() <= TableHead::kMostRows, "a head is no longer than it says");
  const HeaderGuess guess = guess_header(head.rows);
  require(!head.empty() || !guess.is_header, "an empty table has no header");
  for (const ColumnProfile& profile : profile_columns(head.rows)) {
    require(profile.filled <= head.rows.size() && profile.distinct <= profile.filled &&
                profile.numbers <= profile.filled && profile.dates <= profile.filled,
            "a profile counts fields that are there");
  }
  if (head.empty()) return;
  for (const ColumnRole role : {ColumnRole::label, ColumnRole::time, ColumnRole::row_id}) {
    const auto column = find_role(role, head.first());
    require(!column || *column < head.first().size(), "a role is a column's");
  }
  for (const TableRow& row : head.rows) {
    for (const std::string& field : row) check_value(field);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input(data, size, 1);
  reading(ExitStatus::bad_input, [&] {
    const bool is_whole = (input.choice(0) & 4) != 0;
    const TextKind kind = text_kind(input.text());
    description(kind);
    if (kind == TextKind::json_lines) check_head(json_head(input.text(), "input"));
    switch (input.choice(0) % 4) {
      case 0: return check_head(record_head(input.text(), DelimitedStyle::csv(), is_whole));
      case 1: return check_head(record_head(input.text(), DelimitedStyle::tsv(), is_whole));
      default: break;
    }
    PieceReader reader(input.path());
    check_head(line_head(reader, input.choice(0) % 4 == 2));
  });
  return 0;
}
