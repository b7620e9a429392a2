#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/tgn-train/data/event_parser.h"

namespace frugal::tgn {

/// An event as a line has it; views are valid until the next is read.
struct TextEvent {
  std::string_view source, destination;  ///< names, or ids without zeros before them
  TextTime time;
  std::span<const float> features;
};

/// Reads a text of events line by line, as soon as a pipe has them.
class EventLines {
 public:
  /// All outlive the object. reader: prompt; its text has that layout.
  EventLines(PieceReader& reader, const EventLayout& layout, const EventTextOptions& options)
      : reader_(reader),
        layout_(layout),
        options_(options),
        parser_(layout, options),
        rows_(layout.form, reader.name()) {}

  /// The next event; false at the end and where it may not wait. Fails (bad_input) with the line,
  /// also where its time is before that of the event before.
  bool next(TextEvent& event, bool may_wait);
  bool at_end() const { return reader_.at_end(); }
  /// Puts the place of the line given out last before errors of body().
  template <class Body>
  void located(const Body& body) {
    rows_.located(body);
  }

 private:
  void parse();

  PieceReader& reader_;
  const EventLayout& layout_;
  const EventTextOptions& options_;
  EventParser parser_;
  TextPiece piece_;
  TableRows rows_;
  EventPiece event_;
  std::optional<TimedLine> last_;
  std::string source_, destination_;
};

}  // namespace frugal::tgn
