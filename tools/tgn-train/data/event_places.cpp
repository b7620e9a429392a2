#include "tools/tgn-train/data/event_places.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/graph/node_names.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/moment.h"
#include "tools/tgn-train/data/event_file.h"

namespace frugal::tgn {
namespace {

using Place = std::optional<std::size_t>;

/// Numbers from here on are times of our days in seconds or less, rarely ids of few nodes.
constexpr double kLikeUnixTime = 1e8;

std::string lower_case(const std::string& name) {
  std::string lower;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return lower;
}

Place find_name(const TableRow& header, std::string_view name) {
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (lower_case(header[c]) == name) return c;
  }
  return std::nullopt;
}

/// "20240229", "2024022913", "202402291305" or "20240229130559".
bool is_digit_date(std::string_view text) {
  const auto moment = parse_digit_date(text);
  const bool is_short_year = moment && moment->has_time && text.size() == 8;  // YYMMDDHH
  const auto date = moment && !is_short_year ? calendar_date(*moment) : std::nullopt;
  return date && date->year >= 1900 && date->year <= 2100;
}

/// "product_id" and "movieId".
bool is_id_name(const std::string& name) {
  for (const char* end : {"_id", "-id", " id", ".id"}) {
    if (name.ends_with(end)) return true;
  }
  const std::size_t n = name.size();
  return n > 2 && (name.ends_with("Id") || name.ends_with("ID")) && name[n - 3] >= 'a' &&
         name[n - 3] <= 'z';
}

/// Profiles of the columns: evidence beside their names.
class Contents {
 public:
  explicit Contents(const EventRows& table) : table_(table) {}

  bool is_dated(std::size_t c) const {
    if (!has(c)) return false;
    // A number of a day that comes once may be an id.
    return has_dates(c) || (profile(c).distinct > 1 && all_of(c, is_digit_date));
  }
  bool has_times_of_dates(std::size_t c) const {
    return has(c) && (has_dates(c) || has_digit_dates(c));
  }
  bool has_digit_dates(std::size_t c) const { return has(c) && all_of(c, is_digit_date); }
  bool is_numeric(std::size_t c) const { return has(c) && profile(c).is_numeric(); }
  bool has_words(std::size_t c) const { return has(c) && !profile(c).is_numeric(); }
  bool falls(std::size_t c) const { return has(c) && !profile(c).grows; }
  bool rises(std::size_t c) const {
    return is_numeric(c) && profile(c).grows && profile(c).distinct > 2;
  }
  bool is_like_time(std::size_t c) const {
    return is_dated(c) || (is_numeric(c) && all_of(c, [](std::string_view text) {
                             return parse_finite<double>(text).value_or(0) >= kLikeUnixTime;
                           }));
  }
  bool is_binary(std::size_t c) const {
    return all_of(c, [](std::string_view text) {
      const auto value = parse_finite<double>(text);
      return value && (*value == 0 || *value == 1);
    });
  }
  /// Values that come again and again, as ids do.
  bool repeats(std::size_t c) const {
    constexpr std::size_t kEnough = 10;
    return has(c) && profile(c).filled >= kEnough && profile(c).distinct * 2 <= profile(c).filled;
  }

 private:
  bool has(std::size_t c) const {
    return c < table_.profiles.size() && profile(c).filled > 0 && table_.rows.size() > 0;
  }
  const ColumnProfile& profile(std::size_t c) const { return table_.profiles[c]; }
  /// Whether the first value is a date, as are most: others are errors.
  bool has_dates(std::size_t c) const {
    const TableRow& first = table_.rows.front();
    return profile(c).dates * 2 >= profile(c).filled && c < first.size() &&
           parse_calendar_moment(first[c]);
  }
  template <class Predicate>
  bool all_of(std::size_t c, const Predicate& holds) const {
    return std::all_of(table_.rows.begin(), table_.rows.end(), [&](const TableRow& row) {
      return c >= row.size() || is_missing_number(row[c]) || holds(trim(row[c]));
    });
  }

  const EventRows& table_;
};

/// The places that a header names, and those that it does not.
class HeaderPlaces {
 public:
  explicit HeaderPlaces(const EventRows& table) : table_(table), contents_(table) {
    source_ = find_role(ColumnRole::source, table.header);
    destination_ = find_role(ColumnRole::destination, table.header);
    time_ = find_role(ColumnRole::time, table.header);
    const Place i = find_name(table.header, "i"), j = find_name(table.header, "j");
    if (i && j) source_ = i, destination_ = j;
  }

  EventPlaces find() {
    EventPlaces places;
    places.by_names = source_ && destination_ && time_;
    places.assumed = !places.by_names;
    if (!time_) time_ = time_by_content();
    if (!source_ && !destination_) {
      source_ = next_free(0);
      destination_ = next_free(*source_ + 1);
    } else if (!source_ || !destination_) {
      find_missing(!source_ ? 0 : 1);
    }
    places.source = *source_;
    places.destination = *destination_;
    places.time = *time_;
    return places;
  }

 private:
  bool is_taken(std::size_t c) const { return c == source_ || c == destination_ || c == time_; }
  /// Whether it may be a node's column.
  bool is_free(std::size_t c) const {
    const std::string& name = table_.header[c];
    return !is_taken(c) && !is_row_number(name) && !is_usual_name(ColumnRole::weight, name) &&
           !is_usual_name(ColumnRole::time, name);
  }
  std::size_t next_free(std::size_t c) const {
    while (c < table_.header.size() && !is_free(c)) ++c;
    if (c < table_.header.size()) return c;
    fail(ExitStatus::bad_input, table_.place, ": the header (", joined(table_.header),
         ") has no column left for ", source_ ? "destination" : "source",
         "; --columns says what columns are");
  }

  std::size_t time_by_content() const {
    const auto first = [&](const auto& holds) -> Place {
      for (std::size_t c = 0; c < table_.header.size(); ++c) {
        if (!is_taken(c) && !is_row_number(table_.header[c]) && holds(c)) return c;
      }
      return std::nullopt;
    };
    Place time = first([&](std::size_t c) { return contents_.is_dated(c); });
    if (!time) time = first([&](std::size_t c) { return c > 1 && contents_.rises(c); });
    if (!time) time = first([&](std::size_t c) { return contents_.rises(c); });
    if (!time) time = first([&](std::size_t c) { return c == 2 && contents_.is_numeric(c); });
    if (time) return *time;
    fail(ExitStatus::bad_input, table_.place, ": no column of the header (", joined(table_.header),
         ") is called time, has dates or rises; --columns NAME:time says which it is");
  }

  /// The only free column for which it holds.
  template <class Holds>
  Place only_free(const Holds& holds) const {
    Place found;
    for (std::size_t c = 0; c < table_.header.size(); ++c) {
      if (!is_free(c) || !holds(c)) continue;
      if (found) return std::nullopt;
      found = c;
    }
    return found;
  }

  /// The column that must be of nodes, as only its name is one of ids or it alone has words.
  Place nodes_left() const {
    const Place ids = only_free([&](std::size_t c) { return is_id_name(table_.header[c]); });
    if (ids) return ids;
    const auto is_usual = [&](std::size_t c) {
      return is_usual_name(ColumnRole::label, table_.header[c]);
    };
    const Place words = only_free([&](std::size_t c) { return !is_usual(c); });
    return words && contents_.has_words(*words) ? words : std::nullopt;
  }

  /// The source (0) or the destination (1), which is not named beside the other one: the column at
  /// its own place if the others are at theirs, else one that must be of nodes.
  void find_missing(std::size_t role) {
    const bool at_their_places = time_ == 2U && (role == 0 ? destination_ == 1U : source_ == 0U);
    if (at_their_places && is_free(role)) {
      (role == 0 ? source_ : destination_) = role;
      return;
    }
    if (const Place left = nodes_left()) {
      (role == 0 ? source_ : destination_) = left;
      return;
    }
    fail(ExitStatus::bad_input, table_.place, ": the header (", joined(table_.header),
         ") names column ", 1 + (role == 0 ? *destination_ : *source_), " as ",
         role == 0 ? "destination" : "source", " and none as ",
         role == 0 ? "source" : "destination", "; --columns says what columns are");
  }

  const EventRows& table_;
  Contents contents_;
  Place source_, destination_, time_;
};

/// The columns before and behind the time in their order.
EventPlaces around_time(std::size_t time) {
  EventPlaces places;
  places.time = time;
  places.source = time == 0 ? 1 : 0;
  places.destination = time <= 1 ? 2 : 1;
  places.assumed = true;
  return places;
}

}  // namespace

EventPlaces places_of_header(const EventRows& table) { return HeaderPlaces(table).find(); }

std::optional<EventPlaces> places_of_names(const TableRow& header, const TableRow& names) {
  if (names.size() != 3) return std::nullopt;
  std::array<std::size_t, 3> found{};
  for (std::size_t r = 0; r < found.size(); ++r) {
    const auto at = std::find(header.begin(), header.end(), names[r]);
    if (at == header.end()) return std::nullopt;
    found[r] = static_cast<std::size_t>(at - header.begin());
  }
  return EventPlaces{found[0], found[1], found[2], true, false};
}

EventPlaces places_of_rows(const EventRows& table) {
  const Contents contents(table);
  if (contents.is_dated(2)) return {};
  for (std::size_t c = 0; c < table.profiles.size(); ++c) {
    if (contents.is_dated(c)) return around_time(c);
  }
  const bool weighted = table.profiles.size() == 4 && !contents.is_binary(3) &&
                        !contents.rises(2) && !contents.is_like_time(2);
  if (weighted && (contents.rises(3) || contents.is_like_time(3))) return around_time(3);
  if (!contents.rises(0) || !contents.falls(2) || contents.is_like_time(2)) return {};
  if (contents.is_like_time(0)) return around_time(0);
  if (!contents.repeats(2)) return {};
  fail(ExitStatus::bad_input, table.place,
       ": column 1 rises from line to line, as times do, and column 3 does not: --columns "
       "1:time,2:source,3:destination if it is the time, else --columns "
       "1:source,2:destination,3:time and --sort");
}

std::string assumption_note(const EventPlaces& places, const TableRow& header, bool own_ids) {
  std::vector<std::string> names;
  for (const std::size_t c : {places.source, places.destination, places.time}) {
    names.push_back(header.empty() ? std::to_string(c + 1) : header[c]);
  }
  return (header.empty() ? "columns " : "") + joined(names, "and") +
         " are taken as source, destination and time (--columns says otherwise); the same id in "
         "both columns is " +
         (own_ids ? "two nodes (--bipartite no: one)" : "one node (--bipartite yes: two)");
}

TimeForm time_form(const EventRows& table, std::size_t column) {
  return Contents(table).has_times_of_dates(column) ? TimeForm::date : TimeForm::number;
}

std::string digit_date_note(const EventRows& table, std::size_t column) {
  if (!Contents(table).has_digit_dates(column)) return "";
  for (const TableRow& row : table.rows) {
    if (column >= row.size() || is_missing_number(row[column])) continue;
    const std::string_view text = trim(std::string_view(row[column]));
    const std::string_view form = std::string_view("YYYYMMDDHHMMSS").substr(0, text.size());
    return "times such as " + std::string(text) + " are taken as dates " + std::string(form);
  }
  return "";
}

bool have_names(const EventRows& table, const EventPlaces& places) {
  if (table.rows.empty()) return false;
  const TableRow& first = table.rows.front();
  const auto is_name = [&](std::size_t c) {
    if (c >= first.size() || is_missing(first[c])) return false;
    const auto id = parse_finite<double>(trim(first[c]));
    return !id || *id >= static_cast<double>(kMostNodes);
  };
  return is_name(places.source) || is_name(places.destination);
}

bool begins_with_whole_id(const EventRows& table, std::size_t column) {
  if (table.rows.empty()) return false;
  const TableRow& first = table.rows.front();
  return column < first.size() && whole_number_text(first[column]);
}

bool is_row_number(const std::string& name) { return is_usual_name(ColumnRole::row_id, name); }

bool names_two_kinds(const std::string& source, const std::string& destination) {
  constexpr std::array<std::string_view, 10> kUsers = {
      "user",       "userid", "customer", "author",   "authorid",
      "customerid", "player", "playerid", "reviewer", "reviewerid"};
  constexpr std::array<std::string_view, 18> kItems = {
      "item", "itemid", "page",   "pageid", "product", "productid", "movie", "movieid", "file",
      "song", "songid", "artist", "genre",  "game",    "gameid",    "book",  "bookid",  "track"};
  const auto is_one = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), lower_case(name)) != names.end();
  };
  return is_one(kUsers, source) && is_one(kItems, destination);
}

}  // namespace frugal::tgn
