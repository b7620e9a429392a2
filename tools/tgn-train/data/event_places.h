#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "libcore/tables/column_profile.h"
#include "libcore/tables/table_head.h"

namespace frugal::tgn {

/// How a column has times: as numbers that count anything, or as calendar dates, which are read as
/// seconds since 1970.
enum class TimeForm { automatic, number, date };

/// The first rows of a text of events.
struct EventRows {
  std::string place;                    ///< "log.csv:1" of the first row, for messages
  TableRow header;                      ///< or empty
  std::span<const TableRow> rows;       ///< behind the header; none while a pipe has no more
  std::vector<ColumnProfile> profiles;  ///< of each column of these
};

/// Where a line has source, destination and time.
struct EventPlaces {
  std::size_t source = 0, destination = 1, time = 2;
  bool by_names = false;  ///< a header names all three
  bool assumed = false;   ///< told by what the columns look like: the user should know

  bool uses(std::size_t column) const {
    return column == source || column == destination || column == time;
  }
};

/// By the names of a header, and where these do not tell, by places and contents. Fails (bad_input)
/// where the columns may be taken for each other.
EventPlaces places_of_header(const EventRows& table);
/// The columns of a header that have those three names; nothing where one is not there.
std::optional<EventPlaces> places_of_names(const TableRow& header, const TableRow& names);
/// Places in lines without a header: source, destination, time, unless the contents tell otherwise.
EventPlaces places_of_rows(const EventRows& table);

/// How that column has its times.
TimeForm time_form(const EventRows& table, std::size_t column);

/// Names of columns that number the rows, which no event needs.
bool is_row_number(const std::string& name);
/// A name of a header without case, blanks and '_'; is that of two kinds of nodes, users and items?
bool names_two_kinds(const std::string& source, const std::string& destination);

}  // namespace frugal::tgn
