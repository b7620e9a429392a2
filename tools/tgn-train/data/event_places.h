#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "libcore/tables/column_profile.h"
#include "libcore/tables/table_head.h"

namespace frugal::tgn {

/// Form of times in a column: numbers of any unit, or calendar dates, which are read as seconds
/// since 1970.
enum class TimeForm { automatic, number, date };

/// The first rows of a text of events.
struct EventRows {
  std::string place;                    ///< "log.csv:1" of the first row, for messages
  TableRow header;                      ///< the header, or empty
  std::span<const TableRow> rows;       ///< rows after the header; empty while a pipe has no more
  std::vector<ColumnProfile> profiles;  ///< profile of each column of these rows
};

/// Columns of source, destination and time.
struct EventPlaces {
  std::size_t source = 0, destination = 1, time = 2;
  bool by_names = false;  ///< a header names all three
  bool assumed = false;   ///< inferred from the columns' contents: the user is told

  bool uses(std::size_t column) const {
    return column == source || column == destination || column == time;
  }
};

/// Determines the columns by the names of the header, otherwise by positions and contents. Fails
/// (bad_input) if columns could be confused.
EventPlaces places_of_header(const EventRows& table);
/// Columns of the header with those three names; nothing if one is missing.
std::optional<EventPlaces> places_of_names(const TableRow& header, const TableRow& names);
/// Columns of lines without a header: source, destination, time, unless the contents differ.
EventPlaces places_of_rows(const EventRows& table);

/// Tells the user which columns were chosen by their contents, and whether the same id in both
/// columns of nodes is two nodes.
std::string assumption_note(const EventPlaces& places, const TableRow& header, bool own_ids);

/// Form of the times in that column. Digits are dates if all times of the first rows can be.
TimeForm time_form(const EventRows& table, std::size_t column);
/// Tells the user that times of digits are taken as dates; "" where they are not.
std::string digit_date_note(const EventRows& table, std::size_t column);

/// True if nodes have names: an id of the first event is no number that ids can be.
bool have_names(const EventRows& table, const EventPlaces& places);
/// True if the first event's field of the column is a whole number, in any form.
bool begins_with_whole_id(const EventRows& table, std::size_t column);

/// True for names of columns that number the rows.
bool is_row_number(const std::string& name);
/// True if the names, without case, blanks and '_', are those of two kinds of nodes, such as users
/// and items.
bool names_two_kinds(const std::string& source, const std::string& destination);

}  // namespace frugal::tgn
