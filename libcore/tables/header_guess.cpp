#include "libcore/tables/header_guess.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_profile.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/moment.h"

namespace frugal {
namespace {

/// Words in names of columns that hardly ever occur in values.
constexpr std::array<std::string_view, 21> kNameWords{
    "id",  "ids",   "name", "node", "source", "src",    "target",
    "dst", "label", "text", "time", "weight", "column", "column1",
    "key", "url",   "page", "user", "item",   "type",   "value"};

bool is_value(std::string_view field) {
  return parse_finite<double>(trim(field)) || parse_calendar_moment(field);
}

/// Splits a name into words: "txId1" -> tx, id; "liked_page" -> liked, page.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool after_lower = false;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
    if ((is_upper && after_lower) || !(is_upper || is_lower)) words.emplace_back();
    if (is_upper || is_lower) words.back() += is_upper ? static_cast<char>(c + 32) : c;
    after_lower = is_lower;
  }
  std::erase(words, "");
  return words;
}

bool has_name_word(std::string_view name) {
  const auto words = words_of(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(kNameWords.begin(), kNameWords.end(), word) != kNameWords.end();
  });
}

/// Evidence for or against a header, from the first field of a column.
struct Evidence {
  bool stands_over_values = false;  ///< a text over numbers or dates
  bool is_value = false;            ///< a number or date, as below it
  bool stands_over_texts = false;   ///< one or two words above long texts
  bool is_usual = false;            ///< a usual column name that does not recur below
  bool has_name_word = false;       ///< contains a usual word of column names
};

bool has_value(const TableRow& row, std::size_t column, const std::string& value) {
  return column < row.size() && row[column] == value;
}

/// Whether two columns have a value in common, as sources and targets of edges have. Two rows are
/// too few to tell.
bool share_values(std::span<const TableRow> rows, std::size_t a, std::size_t b) {
  if (rows.size() <= 2) return true;
  std::unordered_set<std::string_view> values;
  for (const TableRow& row : rows) {
    if (a < row.size()) values.insert(row[a]);
  }
  return std::any_of(rows.begin(), rows.end(), [&](const TableRow& row) {
    return b < row.size() && values.contains(row[b]);
  });
}

/// Whether a row has `value` as a value of that column or, in a list of edges, of the other one:
/// a node may be a source here and a target there. "home" may be a column, and a result.
bool may_be_in(std::span<const TableRow> rows, std::size_t column, const TableRow& row,
               const std::string& value) {
  constexpr std::size_t kFewColumns = 8;
  if (has_value(row, column, value)) return true;
  if (row.size() > kFewColumns) return false;
  for (std::size_t other = 0; other < row.size(); ++other) {
    if (row[other] == value && share_values(rows, column, other)) return true;
  }
  return false;
}

Evidence evidence_of(std::span<const TableRow> rows, std::size_t column,
                     const ColumnProfile& below) {
  Evidence evidence;
  const std::string& first = rows.front()[column];
  const bool numeric = below.filled > 0 && (below.is_numeric() || below.is_dated());
  evidence.is_value = is_value(first) && (numeric || below.filled == 0);
  if (is_missing_number(first) || is_value(first)) return evidence;
  evidence.stands_over_values = numeric;
  constexpr std::size_t kLongestName = 40;
  if (first.size() > kLongestName) return evidence;
  const auto below_first = rows.subspan(1);
  // The header of a second file, put behind the first by `cat`, is no value.
  const bool recurs = std::any_of(below_first.begin(), below_first.end(), [&](const TableRow& row) {
    return row != rows.front() && may_be_in(below_first, column, row, first);
  });
  if (recurs) return evidence;
  evidence.is_usual = evidence.has_name_word = is_usual_name(first);
  if (std::find(below_first.begin(), below_first.end(), rows.front()) != below_first.end()) {
    return evidence;
  }
  const auto words = std::count(first.begin(), first.end(), ' ') + 1;
  evidence.stands_over_texts = words <= 2 && below.mean_words() >= 5;
  evidence.has_name_word |= has_name_word(first);
  return evidence;
}

/// Whether the numbers in a row count its columns, as some headers do: 0, 1, 2.
bool counts_columns(const TableRow& row) {
  std::vector<std::int64_t> numbers;
  for (const std::string& field : row) {
    const auto number = parse_whole(field);
    if (!number && is_value(field)) return false;
    if (number) numbers.push_back(*number);
  }
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] != numbers[0] + static_cast<std::int64_t>(i)) return false;
  }
  return numbers.size() > 1 && (numbers[0] == 0 || numbers[0] == 1);
}

/// Whether the first row is 0, 1, 2 ... after an empty name over an index of the rows, as pandas
/// writes an array. Over two columns the index must grow: there, a number may be missing.
bool counts_beside_index(std::span<const TableRow> rows, std::span<const ColumnProfile> below) {
  const TableRow& first = rows.front();
  if (first.size() < 2 || below.empty() || !trim(first[0]).empty()) return false;
  for (std::size_t c = 1; c < first.size(); ++c) {
    if (parse_whole(first[c]) != static_cast<std::int64_t>(c - 1)) return false;
  }
  const ColumnProfile& index = below.front();
  const bool is_index = index.wholes == rows.size() - 1 && index.distinct == index.wholes;
  return is_index && (first.size() > 2 || index.grows);
}

}  // namespace

HeaderGuess guess_header(std::span<const TableRow> rows) {
  if (rows.empty()) return {};
  const auto profiles = profile_columns(rows.subspan(1));
  if (counts_beside_index(rows, profiles)) return {.is_header = true, .is_sure = true};
  std::size_t over_values = 0, values = 0, over_texts = 0, usual = 0, name_words = 0;
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    const Evidence evidence =
        evidence_of(rows, c, c < profiles.size() ? profiles[c] : ColumnProfile{});
    over_values += evidence.stands_over_values ? 1 : 0;
    values += evidence.is_value ? 1 : 0;
    over_texts += evidence.stands_over_texts ? 1 : 0;
    usual += evidence.is_usual ? 1 : 0;
    name_words += evidence.has_name_word ? 1 : 0;
  }
  // Features may be named by numbers, and a value may be a word by mistake: usual names decide.
  if (over_values > 0) {
    return {.is_header = values == 0 || usual > 0, .is_sure = values == 0 || usual > 0};
  }
  if (values > 0) {
    return {.is_header = usual > 1 || (usual == 1 && counts_columns(rows.front())),
            .is_sure = usual == 0};
  }
  if (over_texts > 0 && name_words > 0) return {.is_header = true, .is_sure = true};
  if (usual > 0) return {.is_header = true, .is_sure = usual > 1};
  return {.is_header = name_words > 0};
}

bool stands_apart(std::span<const TableRow> rows) {
  constexpr std::size_t kFewestRows = 10;
  if (rows.size() < kFewestRows) return false;
  bool recur = false;
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    std::unordered_map<std::string_view, std::size_t> counts;
    for (const TableRow& row : rows) {
      if (c < row.size()) ++counts[row[c]];
    }
    const std::string& first = rows.front()[c];
    if (is_missing(first)) continue;
    if (counts[first] > 1) return false;
    recur |= std::count_if(counts.begin(), counts.end(),
                           [](const auto& value) { return value.second == 1; }) == 1;
  }
  return recur;
}

void refuse_missing_name(std::span<const TableRow> rows, const std::string& name) {
  constexpr std::size_t kFewestRows = 3;
  if (rows.size() < kFewestRows) return;
  const std::size_t names = rows.front().size();
  std::unordered_set<std::string_view> first;
  const bool lacks_one = std::all_of(rows.begin() + 1, rows.end(), [&](const TableRow& row) {
    return row.size() == names + 1 && !row.back().empty() && first.insert(row.front()).second;
  });
  if (names < 2 || !lacks_one) return;
  fail(ExitStatus::bad_input, name, ":1: has ", names, " names, but each row has ", names + 1,
       " fields: R writes names of rows so; write.table(..., row.names = FALSE, qmethod = "
       "\"double\") leaves them out");
}

bool has_header(std::string_view option, const HeaderGuess& guess) {
  if (option == "yes") return true;
  if (option == "no") return false;
  if (option == "auto") return guess.is_header;
  fail(ExitStatus::usage, "--header is '", printable(option), "', expected auto, yes or no");
}

void say_header_assumption(std::string_view option, const HeaderGuess& guess,
                           const std::string& name, const TableRow& first) {
  if (option != "auto" || guess.is_sure) return;
  log_info(name, ": the first row (", joined(first), ") is taken as ",
           guess.is_header ? "names of columns (--header no: it is data)"
                           : "data (--header yes: it names the columns)");
}

}  // namespace frugal
