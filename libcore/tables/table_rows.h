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

/// A field without the quotes around it, if there are no others in it.
std::string_view unquoted(std::string_view field);

/// Splits lines into fields: at each separator, with quotes as in CSV. The separator ' ' means any
/// run of blanks and tabs; there, a quote inside a field is an ordinary character.
class FieldSplitter {
 public:
  explicit FieldSplitter(char separator) : separator_(separator), records_({separator, true}) {}
  /// Splits a line into fields without blanks around them, valid until the next call. Fails
  /// (bad_input) without a place.
  void split(std::string_view line, std::vector<std::string_view>& fields);

 private:
  char separator_;
  RecordParser records_;
};

/// Separator and first line of a text; comments do not count as lines.
struct TextShape {
  char separator = ' ';
  std::string first;  ///< the line
  std::vector<std::string> first_fields;
  bool empty = true;       ///< there is no such line
  std::uint64_t line = 0;  ///< number of that line
};
/// True for a line that begins with '#' or '%', except "#N/A", a missing value.
bool is_comment(std::string_view line);
/// Examines the start of the reader's text. strict_tabs: if the line has tabs, they separate, so
/// that fields may contain blanks. Fails (bad_input) if the line contains a NUL byte, or does not
/// end within the reader's max_record.
TextShape text_shape(PieceReader& reader, bool strict_tabs = false);

class JsonColumns;

/// How the text of a table is divided into rows, and rows into fields.
struct TableForm {
  DelimitedStyle style = DelimitedStyle::csv();
  /// True: each line is a row, blanks around fields are ignored, lines that begin with '#' or '%'
  /// are comments, and the separator ' ' means any run of blanks and tabs. False: as `style` says.
  bool lines = false;
  bool empty_rows = false;        ///< an empty line is a row, too
  std::uint64_t header_line = 0;  ///< rows begin after this line; 0: at the first
  /// Names in that line, or empty: a later row of the same names is an error, as in two files put
  /// together by `cat`.
  std::vector<std::string> header = {};
  std::size_t num_columns = 0;  ///< of every row
  /// Number of the line that defines num_columns, for messages; or 0.
  std::uint64_t model_line = 0;
  /// If not null, each line is a JSON object with fields of these columns, and `style` is lines.
  std::shared_ptr<const JsonColumns> json = {};

  /// Fails (bad_input), without a place, if a row has another number of columns. hint: follows the
  /// message.
  void check(std::size_t found, std::string_view hint = "") const;
  /// Says how to keep the empty fields between tabs of a row that is divided at blanks; "" for
  /// others.
  std::string_view tab_hint(std::string_view row) const;
};
/// Form of JSON Lines.
TableForm json_form(std::shared_ptr<const JsonColumns> columns);
/// Form of lines like the first one. is_header: that line names the columns.
TableForm line_form(const TextShape& shape, bool is_header);

/// The rows of a table, piece by piece. Each thread uses an object of its own.
class TableRows {
 public:
  TableRows(const TableForm& form, std::string name)
      : form_(form), name_(std::move(name)), quoted_(form.style) {}

  /// Starts at the first row of a piece, or of a text that begins with line `first_line`, or at the
  /// row of a piece at byte `offset`.
  void start(const TextPiece& piece) { start(piece.text(), piece.first_line); }
  void start(std::string_view text, std::uint64_t first_line = 1);
  void start_at(const TextPiece& piece, std::size_t offset);
  /// Moves to the next row without splitting it; false after the last. Skips empty rows unless the
  /// form counts them.
  bool pass();
  /// Moves to the next row as pass() does, and splits it. Fails (bad_input), without a place, on a
  /// wrong number of fields or misplaced quotes.
  bool next() {
    if (!pass()) return false;
    split();
    check_width();
    return true;
  }
  /// Fails (bad_input), without a place, if the row has another number of fields than the form.
  void check_width() const;
  /// Splits the current row. Fails (bad_input), without a place, on misplaced quotes, or if the row
  /// repeats the header.
  void split() {
    split_fields();
    // In a single column, the name may be a value, too.
    if (form_.header.size() > 1 && fields_.size() == form_.header.size()) refuse_header();
  }
  /// Uses a text of one row instead of a piece.
  void take(std::string_view row);

  std::string_view row() const { return row_; }  ///< without its line end
  /// Fields of the row, valid until the next row.
  const std::vector<std::string_view>& fields() const { return fields_; }
  const TableForm& form() const { return form_; }
  /// Position at which the row begins in its piece.
  std::size_t offset() const { return begin_; }
  std::uint64_t num_empty() const { return num_empty_; }  ///< empty rows of the piece so far
  std::uint64_t line();  ///< line of the text in which the row begins
  /// Place of the row for messages: "edges.csv:17".
  std::string place() { return name_ + ":" + std::to_string(line()); }
  /// Calls body(); errors that it throws get the row's place.
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
  void split_fields();
  void refuse_header() const;

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
  std::size_t counted_ = 0;  ///< bytes of the text whose lines have been counted
  std::uint64_t line_ = 1;   ///< line number after those bytes
};

/// Calls body() for each row of a piece; errors get the row's place.
template <class Body>
void for_each_row(TableRows& rows, const TextPiece& piece, const Body& body) {
  rows.start(piece);
  rows.located([&] {
    while (rows.next()) body();
  });
}

/// Receives the number of bytes read so far.
using BytesRead = std::function<void(std::uint64_t)>;

/// Processes a text: parse(piece, result) runs on all threads, take(result) in the order of the
/// pieces.
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
