#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/streams/json_text.h"
#include "libcore/tables/piece_reader.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal {

/// How lines fall into fields: at each separator, quotes as in CSV; ' ' stands for any run
/// of blanks and tabs, without quotes.
class FieldSplitter {
 public:
  explicit FieldSplitter(char separator) : separator_(separator), records_({separator, true}) {}
  /// Fields without blanks around them, valid until the next call. Fails (bad_input) without place.
  void split(std::string_view line, std::vector<std::string_view>& fields);

 private:
  char separator_;
  RecordParser records_;
};

/// What the first line that is no comment says about a text.
struct TextShape {
  char separator = ' ';
  std::string first;  ///< the line
  std::vector<std::string> first_fields;
  bool empty = true;       ///< no such line
  std::uint64_t line = 0;  ///< its number
};
/// Lines that begin with '#' or '%' are comments, but for "#N/A", a missing value.
bool is_comment(std::string_view line);
/// Of what `reader` is about to give. `strict_tabs`: tabs separate where there are any, so that
/// fields may have blanks in them. Fails (bad_input) where the line has a byte 0, or
/// none comes within the reader's max_record.
TextShape text_shape(PieceReader& reader, bool strict_tabs = false);

class JsonColumns;

/// How the text of a table falls into rows, and these into fields.
struct TableForm {
  DelimitedStyle style = DelimitedStyle::csv();
  /// Rows are lines, blanks around fields are none of them, and a line that begins with '#' or '%'
  /// is a comment; a separator ' ' is any run of blanks and tabs. Else as the style says.
  bool lines = false;
  bool empty_rows = false;        ///< a line without anything is a row, too
  std::uint64_t header_line = 0;  ///< where not 0, rows stand behind this line
  std::size_t num_columns = 0;    ///< of each row
  std::uint64_t model_line = 0;   ///< the line that says so, for messages; or 0
  /// Not null: each line is a JSON object with fields of these columns; style has lines.
  std::shared_ptr<const JsonColumns> json = {};

  /// Fails (bad_input), without place, where a row has another number of columns.
  void check(std::size_t found) const;
};
/// The form of JSON Lines.
TableForm json_form(std::shared_ptr<const JsonColumns> columns);
/// Of lines like the first one, which names the columns or does not.
TableForm line_form(const TextShape& shape, bool is_header);

/// The rows of a table, piece by piece. One a thread.
class TableRows {
 public:
  TableRows(const TableForm& form, std::string name)
      : form_(form), name_(std::move(name)), quoted_(form.style) {}

  /// Goes to the first row of a piece, or of a text that begins with that line, or to the row of a
  /// piece that begins there.
  void start(const TextPiece& piece) { start(piece.text(), piece.first_line); }
  void start(std::string_view text, std::uint64_t first_line = 1);
  void start_at(const TextPiece& piece, std::size_t offset);
  /// To the next row that is not empty, without a look at its fields; false behind the last.
  bool pass();
  /// The same, with its fields. Fails (bad_input), without place, where there are too few or too
  /// many, or quotes stand where they may not.
  bool next() {
    if (!pass()) return false;
    split();
    form_.check(fields_.size());
    return true;
  }
  /// Splits the row; fails for its quotes alone.
  void split();
  /// Takes a text of one row in the place of those of a piece.
  void take(std::string_view row);

  std::string_view row() const { return row_; }                            ///< without its line end
  const std::vector<std::string_view>& fields() const { return fields_; }  ///< valid until the next
  const TableForm& form() const { return form_; }
  /// Where the row begins in its piece.
  std::size_t offset() const { return begin_; }
  std::uint64_t num_empty() const { return num_empty_; }  ///< rows of the piece
  std::uint64_t line();                                   ///< of the text, where the row begins
  /// "edges.csv:17" of the row.
  std::string place() { return name_ + ":" + std::to_string(line()); }
  /// Calls body() and puts the row's place before its errors.
  template <class Body>
  void located(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      fail(error.status(), place(), ": ", error.what());
    }
  }

 private:
  bool pass_line();

  TableForm form_;
  std::string name_;
  RecordParser quoted_;
  JsonMembers members_;
  std::vector<std::string_view> fields_;
  std::string_view row_;
  bool is_split_ = false;
  std::string_view text_;            ///< of the piece
  std::size_t begin_ = 0, end_ = 0;  ///< of the row
  std::uint64_t num_empty_ = 0;
  std::size_t counted_ = 0;  ///< bytes of the text whose lines are counted
  std::uint64_t line_ = 1;   ///< there
};

/// body() for each row of a piece; errors get their place.
template <class Body>
void for_each_row(TableRows& rows, const TextPiece& piece, const Body& body) {
  rows.start(piece);
  rows.located([&] {
    while (rows.next()) body();
  });
}

/// Called with the bytes read so far.
using BytesRead = std::function<void(std::uint64_t)>;

/// Work on a text: parse(piece, result) on all threads, take(result) in order.
template <class Result, class Parse, class Take>
void read_pieces(PieceReader& reader, const Parse& parse, const Take& take) {
  struct Item {
    TextPiece piece;
    Result result;
  };
  OrderedPipeline<Item> pipeline;
  pipeline.produce = [&](Item& item) { return reader.next(item.piece); };
  pipeline.transform = [&](Item& item) { parse(item.piece, item.result); };
  pipeline.consume = [&](Item& item) { take(item.result); };
  pipeline.run(static_cast<std::size_t>(num_threads()) * 2 + 1);
}

}  // namespace frugal
