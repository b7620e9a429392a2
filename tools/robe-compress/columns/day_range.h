#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace frugal::robe {

/// One end of a range of days, and how fields are compared with it.
class DayBound {
 public:
  /// Fails (usage) if the text is a date of a form that libcore/tables/moment.h has not.
  explicit DayBound(std::string_view text);

  bool is_open() const { return text_.empty(); }
  /// Order of a field and this bound: negative if it is before all of the bound's day, hour, minute
  /// or second, 0 within it, positive behind it. Fails (bad_input), without a place, if the field
  /// is of another kind, as "abc" beside 3 or beside 2024-02-01.
  int order(std::string_view field) const;

 private:
  enum class Kind { text, number, compact_date, date };
  static Kind kind_of(std::string_view text);
  int order_in_time(std::string_view field) const;
  [[noreturn]] void refuse(std::string_view field, std::string_view expected) const;

  std::string text_;
  Kind kind_ = Kind::text;
  double number_ = 0;
  std::int64_t begin_ = 0;     ///< seconds since 1970
  std::int64_t duration_ = 1;  ///< seconds
  bool has_zone_ = false;      ///< else the clocks of the fields count
};

/// "COLUMN=FROM..TO": samples whose column lies between, both included; an end may be missing.
/// Fields and ends are compared as dates if an end is one, however each is written, else as numbers
/// or texts. A missing value lies in no range.
struct DayRange {
  std::string column;

  explicit DayRange(std::string_view text);  ///< fails (usage)
  /// Fails (bad_input) without a place, as DayBound::order() does.
  bool contains(std::string_view value) const;

 private:
  DayBound from_{""}, to_{""};
};

}  // namespace frugal::robe
