#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/float_loss.h"
#include "libcore/base/text.h"
#include "libcore/tables/skipped_comments.h"
#include "libcore/tables/table_rows.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/event_layout.h"

namespace frugal::tgn {

struct EventTextOptions {
  std::uint64_t num_nodes = kMostNodes;  ///< all ids are below it
  bool names = false;                    ///< ids are any text
  bool own_names = false;  ///< a destination is another node than the source with the same name
  bool any_order = false;  ///< otherwise times must not fall
  /// Advice in the error message about falling times.
  std::string_view order_hint = "; --sort sorts them";
};

/// A time in the text: an integer if possible.
struct TextTime {
  bool is_whole = true;
  std::int64_t whole = 0;
  double real = 0;
  bool is_rounded = false;  ///< a double cannot hold all digits of the date
  bool is_date = false;     ///< written as a date; the number is seconds since 1970

  double value() const { return is_whole ? static_cast<double>(whole) : real; }
  /// "1433252647", "0.5" or "2015-06-02T13:44:07Z".
  std::string text() const;
};

/// Parses a date, or a number of seconds since 1970. Fails (bad_input), without the place.
TextTime parse_date_time(std::string_view text);

inline bool is_before(const TextTime& a, const TextTime& b) {
  return a.is_whole && b.is_whole ? a.whole < b.whole : a.value() < b.value();
}

/// Time of the event in a line.
struct TimedLine {
  TextTime time;
  std::uint64_t line = 0;
};

/// A label -1, which stands for 0 in a text without 0.
inline constexpr std::uint8_t kMinusOne = 2;

/// Events of a piece of the text.
struct EventPiece {
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> whole;
  std::vector<double> real;  ///< times of all events, once one is fractional
  std::vector<std::uint8_t> labels;
  std::vector<float> targets;               ///< labels that are numbers; NaN: none
  std::vector<std::string_view> classes;    ///< labels that are classes, as names; "": none
  std::vector<std::string_view> types;      ///< names of edge types
  std::vector<std::uint32_t> type_numbers;  ///< number of each event's type
  std::vector<std::uint32_t> rows;
  std::vector<float> features;
  std::vector<FloatLoss> losses;        ///< of features, then of the target; empty: not measured
  std::vector<std::string_view> names;  ///< source, destination, source, ...; views of the text
  std::deque<std::string> copies;       ///< names that are not in the text literally
  std::size_t missing = 0;              ///< features without a value, which are 0
  std::size_t rounded_times = 0;        ///< dates whose last digits are lost
  std::size_t no_classes = 0;           ///< labels that are words for a missing value
  SkippedComments comments{TableForm()};
  TimedLine first, last;
  bool in_order = true;

  std::size_t size() const { return whole.empty() ? real.size() : whole.size(); }
  /// Removes all events and keeps the memory.
  void clear();
};

/// Fails (bad_input), without the place, because `time` follows a later one.
[[noreturn]] void fail_order(const TimedLine& before, const TextTime& time,
                             const EventTextOptions& options);

/// Parses lines of events.
class EventParser {
 public:
  /// layout, options: must outlive the parser.
  EventParser(const EventLayout& layout, const EventTextOptions& options)
      : layout_(layout), options_(options) {}

  /// Parses the events of a piece of the text `name`. Fails (bad_input) with the place.
  EventPiece parse(const TextPiece& piece, const std::string& name) const;
  /// Adds the event of a row. Fails (bad_input) without the place.
  void add(TableRows& rows, EventPiece& out) const;

 private:
  void add_nodes(const TableRows& rows, EventPiece& out) const;
  void add_label(const TableRows& rows, EventPiece& out) const;
  void add_type(const TableRows& rows, EventPiece& out) const;
  void add_time(const TextTime& time, std::uint64_t line, EventPiece& out) const;
  NodeId parse_id(std::string_view text, const char* what) const;

  const EventLayout& layout_;
  const EventTextOptions& options_;
};

/// The event of a line; views are valid until the next one is read.
struct TextEvent {
  std::string_view source, destination;  ///< names, or ids without leading zeros
  TextTime time;
  std::string_view time_text;  ///< time as written
  std::span<const float> features;
  /// Label, if the layout has a column of labels: 0, 1 or a number (NaN: none), or a class.
  float target = std::numeric_limits<float>::quiet_NaN();
  std::string_view class_name;
  std::string_view type;  ///< name of the edge type, if the layout has a column of them
};

/// Reads events line by line, as soon as a pipe has them.
class EventLines {
 public:
  /// All must outlive the object. reader: prompt, with a text of that layout.
  EventLines(PieceReader& reader, const EventLayout& layout, const EventTextOptions& options)
      : reader_(reader),
        layout_(layout),
        options_(options),
        parser_(layout, options),
        rows_(layout.form, reader.name()),
        comments_(layout.form) {}

  /// Called for each line that is skipped. After skip_bad(), lines that are not events, or whose
  /// time falls, are skipped.
  using Skipped = std::function<void(const Error&)>;
  void skip_bad(Skipped skipped) { skipped_ = std::move(skipped); }
  /// Reads the next event; false at the end, or if it would have to wait and may not. Fails
  /// (bad_input) with the line, also if its time is before that of the event before.
  bool next(TextEvent& event, bool may_wait);
  bool at_end() const { return reader_.at_end(); }
  const SkippedComments& comments() const { return comments_; }
  /// Calls body() for the last line, whose place is added to errors. Returns false if the line was
  /// skipped.
  template <class Body>
  bool take(const Body& body) {
    try {
      rows_.located(body);
      return true;
    } catch (const Error& error) {
      if (!skipped_ || error.status() != ExitStatus::bad_input) throw;
      skipped_(error);
      return false;
    }
  }

 private:
  void parse();

  PieceReader& reader_;
  const EventLayout& layout_;
  const EventTextOptions& options_;
  EventParser parser_;
  TextPiece piece_;
  TableRows rows_;
  SkippedComments comments_;
  Skipped skipped_;
  EventPiece event_;
  std::optional<TimedLine> last_;
  std::string source_, destination_;
};

}  // namespace frugal::tgn
