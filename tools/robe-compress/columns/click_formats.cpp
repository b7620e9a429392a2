#include "tools/robe-compress/columns/click_formats.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/text_kind.h"
#include "tools/robe-compress/columns/libfm_pairs.h"

namespace frugal::robe {
namespace {

constexpr std::string_view kCriteoColumns =
    "label,I1,I2,I3,I4,I5,I6,I7,I8,I9,I10,I11,I12,I13,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,"
    "C14,C15,C16,C17,C18,C19,C20,C21,C22,C23,C24,C25,C26";
constexpr std::string_view kCriteoDeclaration =
    "label:label,I1:log,I2:log,I3:log,I4:log,I5:log,I6:log,I7:log,I8:log,I9:log,I10:log,I11:log,"
    "I12:log,I13:log,*:category";
constexpr std::string_view kAvazuColumns =
    "id,click,hour,C1,banner_pos,site_id,site_domain,site_category,app_id,app_domain,app_category,"
    "device_id,device_ip,device_model,device_type,device_conn_type,C14,C15,C16,C17,C18,C19,C20,C21";
constexpr std::string_view kAvazuDeclaration =
    "id:ignore,click:label,hour:hour,hour:weekday,*:category";

bool consists_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_criteo(const FormatSample& sample) {
  const auto fields = split(sample.line, '\t');
  if (fields.size() != 40 || (fields[0] != "0" && fields[0] != "1")) return false;
  return std::all_of(fields.begin() + 1, fields.begin() + 14,
                     [](std::string_view field) { return consists_of(field, "-0123456789"); }) &&
         std::all_of(fields.begin() + 14, fields.end(), [](std::string_view field) {
           return consists_of(field, "0123456789abcdefABCDEF");
         });
}

bool is_avazu(const FormatSample& sample) {
  const auto fields = split(sample.line, ',');
  if (fields.size() != 24) return false;
  if (fields[1] == "click" && fields[2] == "hour") return true;
  return (fields[1] == "0" || fields[1] == "1") && fields[2].size() == 8 &&
         consists_of(fields[2], "0123456789");
}

/// "label id:value": the first two words.
bool is_libfm(const FormatSample& sample) {
  const std::string_view line = sample.line;
  std::vector<std::string_view> words;
  split_words(line, words);
  if (words.size() < 2) return false;
  const std::size_t colon = words[1].find(':');
  return colon != std::string_view::npos && colon > 0 &&
         consists_of(words[1].substr(0, colon), "0123456789") &&
         parse_finite<double>(words[0]).has_value();
}

bool is_json_lines(const FormatSample& sample) {
  return text_kind(sample.head) == TextKind::json_lines;
}
bool is_tsv(const FormatSample& sample) { return sample.line.find('\t') != std::string_view::npos; }
bool is_csv(const FormatSample& sample) {
  if (sample.line.find(',') != std::string_view::npos) return true;
  const char separator = find_separator(sample.head, /*comments=*/false);
  return separator == ';' || separator == '|';
}

constexpr std::array kFormats{
    ClickFormat{.name = "criteo",
                .description = "40 columns separated by tabs (label, 13 integers, 26 categories in "
                               "hexadecimal), no header, fields may be empty",
                .style = DelimitedStyle::tsv(),
                .columns = kCriteoColumns,
                .declaration = kCriteoDeclaration,
                .may_have_header = false,
                .scale_numbers = false,
                .hex_ids = true,
                .recognises = is_criteo},
    ClickFormat{.name = "avazu",
                .description =
                    "csv with id, click, hour (YYMMDDHH, becomes hour and weekday) and 21 "
                    "categories, with or without a header",
                .style = DelimitedStyle::csv(),
                .columns = kAvazuColumns,
                .declaration = kAvazuDeclaration,
                .recognises = is_avazu},
    ClickFormat{.name = "libfm",
                .description =
                    "'label id:1 id:1 ...', whose columns are the places in a line, so that ids "
                    "must have the same order in each line; or libffm's 'label field:id:1 ...', "
                    "whose columns are the fields, in any order. Each line has the same fields",
                .style = DelimitedStyle::lines(),
                .pairs = true,
                .may_have_header = false,
                .recognises = is_libfm},
    ClickFormat{.name = "jsonl",
                .description = "one JSON object a line, whose names are the columns",
                .style = DelimitedStyle::lines(),
                .json = true,
                .recognises = is_json_lines},
    ClickFormat{.name = "tsv",
                .description = "columns separated by tabs, without quotes",
                .style = DelimitedStyle::tsv(),
                .recognises = is_tsv},
    ClickFormat{
        .name = "csv",
        .description = "columns separated by commas, semicolons or bars (|), quotes as in RFC 4180",
        .style = DelimitedStyle::csv(),
        .recognises = is_csv},
};

constexpr FormatTable<ClickFormat> kTable{kFormats};

constexpr std::array<ColumnTypeRow, 7> kColumnRows{{{.name = "label", .once = true},
                                                    {.name = "category"},
                                                    {.name = "hour", .shared = true},
                                                    {.name = "weekday", .shared = true},
                                                    {.name = "number"},
                                                    {.name = "log"},
                                                    {.name = "ignore"}}};
constexpr ColumnTypes<ClickColumnType> kColumnTypes{kColumnRows};

}  // namespace

const ColumnTypes<ClickColumnType>& click_column_types() { return kColumnTypes; }
const FormatTable<ClickFormat>& click_formats() { return kTable; }

}  // namespace frugal::robe
