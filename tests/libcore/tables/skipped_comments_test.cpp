#include "libcore/tables/skipped_comments.h"

#include <doctest/doctest.h>

using namespace frugal;

namespace {

TextPiece piece_of(const std::string& text, std::uint64_t first_line = 1) {
  TextPiece piece;
  piece.memory.assign(text.begin(), text.end());
  piece.size = text.size();
  piece.first_line = first_line;
  return piece;
}

SkippedComments comments_in(const TextPiece& piece, std::uint64_t header, std::uint64_t model) {
  TableForm form{.style = {',', true}, .lines = true, .header_line = header, .model_line = model};
  form.num_columns = 2;
  TableRows rows(form, "t");
  SkippedComments comments(form);
  comments.start(piece);
  for_each_row(rows, piece, [&] { comments.pass(rows); });
  comments.finish();
  return comments;
}

}  // namespace

TEST_CASE("comments count from the header or the first row on") {
  const std::string text = "# a\n%b\n1,2\r\n\r\n#c\r\n\n3,4\n#N/A,5\n 5,#6\n%d\n#e";
  CHECK(comments_in(piece_of(text), 0, 3).count() == 3);
  CHECK(comments_in(piece_of("a,b\n#c,d\n1,2\n"), 1, 1).count() == 1);
  CHECK(comments_in(piece_of("#c,d\n1,2\n"), 0, 2).count() == 0);
  CHECK(comments_in(piece_of(""), 0, 1).count() == 0);
  // Later pieces, without and with a row.
  CHECK(comments_in(piece_of("#a\n#b\n", 7), 0, 1).count() == 2);
  SkippedComments all = comments_in(piece_of("1,2\n"), 0, 1);
  all.add(comments_in(piece_of("#a\n1,2\n", 2), 0, 1));
  all.add(comments_in(piece_of("1,2\n#b\n", 4), 0, 1));
  CHECK(all.count() == 2);
}
