#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/io/piece_reader.h"
#include "libcore/threading/ordered_pipeline.h"

namespace frugal {

/// How a text's lines fall into fields: at each separator, quotes as in CSV; ' ' stands for any run
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
/// Lines that begin with '#' or '%' are comments.
bool is_comment(std::string_view line);
/// Of what `reader` is about to give. `strict_tabs`: tabs separate where there are any, so that
/// fields may have blanks in them. Fails (bad_input) where the line has a byte 0, or
/// none comes within the reader's max_record.
TextShape text_shape(PieceReader& reader, bool strict_tabs = false);

/// Lines of a piece, one after another, without comments and, unless asked for, empty ones.
class PieceLines {
 public:
  /// Those behind line `header_line` of the text alone.
  PieceLines(const TextPiece& piece, const std::string& name, std::uint64_t header_line = 0);
  bool next(std::string_view& line, bool with_empty = false);
  /// Where the piece's text goes on behind the line given out last.
  std::size_t offset() const { return at_; }
  /// "edges.csv:17" of the line given out last, or that begins at `offset`.
  std::string place() const { return place(line_begin_); }
  std::string place(std::size_t offset) const;
  /// Calls body() and puts the place before its errors.
  template <class Body>
  void located(const Body& body) const {
    try {
      body();
    } catch (const Error& error) {
      fail(error.status(), place(), ": ", error.what());
    }
  }

 private:
  const TextPiece& piece_;
  const std::string& name_;
  std::size_t at_ = 0, line_begin_ = 0;
};

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
