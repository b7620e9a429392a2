#include "libcore/tables/piece_reader.h"

#include <doctest/doctest.h>

#include <thread>

#include "libcore/base/error.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

struct Cut {
  std::string text;
  std::uint64_t first_line;
  bool operator==(const Cut&) const = default;
};

std::vector<Cut> cuts_of(const std::string& path, std::size_t piece_size, DelimitedStyle style,
                         Pace pace = Pace::steady) {
  PieceReader reader(path, piece_size);
  reader.set_pace(pace);
  reader.set_style(style);
  std::vector<Cut> cuts;
  for (TextPiece piece; reader.next(piece);) {
    CHECK(piece.index == cuts.size());
    cuts.push_back({std::string(piece.text()), piece.first_line});
  }
  return cuts;
}

}  // namespace

TEST_CASE("pieces hold whole records and together the text, with their line numbers") {
  const std::string text = "1,\"a\nb\"\n2,c\n\n3,\"d\n\n\ne\"\n4,f";
  for (std::size_t size = 1; size < 40; ++size) {
    std::string all;
    for (const Cut& cut : cuts_of(TextFile(text).path(), size, DelimitedStyle::csv())) {
      CHECK(cut.first_line == 1 + count_lines(all));
      all += cut.text;
      CHECK((all.size() == text.size() || text[all.size() - 1] == '\n'));
      CHECK((cut.text.front() != 'b' && cut.text.front() != 'e'));
    }
    CHECK(all == text);
  }
}

TEST_CASE("a pipe's small parts do not change the pieces") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const auto expected = cuts_of(TextFile(text).path(), 10000, DelimitedStyle::lines());
  CHECK(expected.size() > 10);
  const PipedStdin input(text);
  CHECK(cuts_of("-", 10000, DelimitedStyle::lines()) == expected);
}

TEST_CASE("a byte order mark is dropped") {
  CHECK(cuts_of(TextFile("\xef\xbb\xbf"
                         "a,b\n")
                    .path(),
                100, DelimitedStyle::csv()) == std::vector<Cut>{{"a,b\n", 1}});
}

TEST_CASE("the head can be looked at before the pieces") {
  const TextFile file("one\ntwo\nthree\n");
  PieceReader reader(file.path(), 9);
  CHECK(reader.head() == "one\ntwo\nt");
  TextPiece piece;
  REQUIRE(reader.next(piece));
  CHECK(piece.text() == "one\ntwo\n");
}

TEST_CASE("the head has a header and a row, however long they are") {
  const std::string header(1000, 'h'), row(500, 'r');
  const TextFile file(header + "\n" + row + "\n" + row + "\n" + row + "\n"), one(header);
  CHECK(PieceReader(file.path(), 16).head().starts_with(header + "\n" + row + "\n"));
  CHECK(PieceReader(one.path(), 16).head() == header);
  CHECK(PieceReader(file.path(), 16, 64).head().size() == 64);
  PieceReader prompt(file.path(), 1001);
  prompt.set_pace(Pace::prompt);
  CHECK(prompt.head() == header + "\n");
}

TEST_CASE("a longer head is the first piece, and more is read behind it") {
  const TextFile file("one\ntwo\nthree\nfour\n");
  PieceReader reader(file.path(), 5);
  CHECK(reader.head() == "one\ntwo\nth");
  CHECK(reader.longer_head() == "one\ntwo\nthree\nfour\n");
  TextPiece piece;
  REQUIRE(reader.next(piece));
  CHECK(piece.text() == "one\ntwo\nthree\nfour\n");
  CHECK(!reader.next(piece));
  PieceReader whole(file.path(), 5);
  for (int i = 0; i < 5; ++i) whole.longer_head();
  CHECK(whole.head() == "one\ntwo\nthree\nfour\n");
}

TEST_CASE("a prompt reader gives what a pipe has as soon as it is whole, and waits where it may") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto put = [&](std::string_view text) {
    CHECK(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  put("\xef\xbb\xbf"
      "1,\"a\n");
  PieceReader reader("/dev/fd/" + std::to_string(ends[0]));
  reader.set_pace(Pace::prompt);
  CHECK(reader.head() == "1,\"a\n");
  put("b\"\n2,c");
  reader.set_style(DelimitedStyle::csv());
  CHECK(reader.head() == "1,\"a\nb\"\n2,c");
  TextPiece piece;
  REQUIRE(reader.next(piece));
  CHECK(piece.text() == "1,\"a\nb\"\n");
  CHECK(!reader.next(piece, false));
  put("\n3,d\n4");
  REQUIRE(reader.next(piece, false));
  CHECK(piece.text() == "2,c\n3,d\n");
  CHECK(piece.index == 1);
  CHECK(piece.first_line == 3);
  std::thread late([&] { put(",e\n5"); });
  REQUIRE(reader.next(piece));
  CHECK(piece.text() == "4,e\n");
  late.join();
  CHECK(!reader.next(piece, false));
  CHECK(!reader.at_end());
  close(ends[1]);
  REQUIRE(reader.next(piece, false));
  CHECK(piece.text() == "5");
  CHECK(!reader.next(piece));
  CHECK(reader.at_end());
  close(ends[0]);
}

TEST_CASE("a prompt reader looks as far into a pipe as is asked for, and waits so long at most") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto put = [&](std::string_view text) {
    CHECK(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  PieceReader reader("/dev/fd/" + std::to_string(ends[0]));  // nothing is read yet
  reader.set_pace(Pace::prompt);
  CHECK(!reader.wait(0.001));
  put("one\n");
  CHECK(reader.wait(10));
  CHECK(reader.head() == "one\n");
  put("two\nthr");
  CHECK(reader.longer_head() == "one\ntwo\nthr");
  std::thread writer([&] {
    put("e");
    usleep(20000);
    put("e\n");
  });
  CHECK(reader.longer_head() == "one\ntwo\nthree\n");
  writer.join();
  close(ends[1]);
  CHECK(reader.longer_head() == "one\ntwo\nthree\n");
  TextPiece piece;
  REQUIRE(reader.next(piece));
  CHECK(piece.text() == "one\ntwo\nthree\n");
  CHECK(!reader.next(piece));
  CHECK(reader.at_end());
  close(ends[0]);
}

TEST_CASE("a prompt reader cuts a file as a steady one does") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919) + "\n";
  const TextFile file(text);
  CHECK(cuts_of(file.path(), 1000, DelimitedStyle::lines(), Pace::prompt) ==
        cuts_of(file.path(), 1000, DelimitedStyle::lines()));
}

TEST_CASE("an unclosed quote says where it began, a record without end that it is too long") {
  const TextFile unclosed("1,a\n2,\"b\nc\n3,d\n");
  CHECK(error_of([&] { cuts_of(unclosed.path(), 8, DelimitedStyle::csv()); }) ==
        "65 " + unclosed.path() +
            ":2: a quote is opened here and never closed (the file ends in line 4)");
  const auto read_all = [](const std::string& path) {
    PieceReader reader(path, 16, 100);
    reader.set_style(DelimitedStyle::csv());
    for (TextPiece piece; reader.next(piece);) {
    }
  };
  const TextFile quoted("1,a\n2,\n3,\"" + std::string(500, 'x'));
  CHECK(error_of([&] { read_all(quoted.path()); }) ==
        "65 " + quoted.path() +
            ":3: record is longer than 100 B, expected the end of the quote opened in "
            "line 3");
  const TextFile endless("1,a\n2," + std::string(500, 'x'));
  CHECK(error_of([&] { read_all(endless.path()); }) ==
        "65 " + endless.path() +
            ":2: record is longer than 100 B, expected a line end: is this a text file?");
}

TEST_CASE("line ends are counted in long and short texts") {
  for (const std::size_t n : {0u, 1u, 254u, 255u, 256u, 1000u}) {
    CHECK(count_lines(std::string(n, '\n')) == n);
    CHECK(count_lines(std::string(n, 'x')) == 0);
  }
}

TEST_CASE("a longer head is refused where no record ends in it, and where all of it is comments") {
  const auto refusal = [](const std::string& text, Pace pace) -> std::string {
    const TextFile file(text);
    PieceReader reader(file.path(), 16, 64);
    reader.set_pace(pace);
    try {
      reader.head();
      for (int i = 0; i < 10; ++i) reader.longer_head();
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      return std::string(error.what()).substr(file.path().size());
    }
    return "";
  };
  for (const Pace pace : {Pace::steady, Pace::prompt}) {
    CHECK(refusal(std::string(1000, 'x'), pace) ==
          ":1: record is longer than 64 B, expected a line end: is this a text file?");
    std::string comments;
    for (int i = 0; i < 100; ++i) comments += "# comment\n";
    CHECK(refusal(comments, pace) ==
          ": begins with more than 64 B of comments and empty lines: is this a text file?");
    CHECK(refusal(comments.substr(0, 60), pace).empty());
  }
}

TEST_CASE("a prompt reader looks at a long line once, whatever parts a pipe hands over") {
  const std::string text = std::string(3 << 20, 'x') + "\n";
  const PipedStdin input(text);
  PieceReader reader("-", std::size_t{1} << 16);
  reader.set_pace(Pace::prompt);
  std::size_t looks = 1;
  for (std::string_view head = reader.head(); head.find('\n') == std::string_view::npos; ++looks) {
    head = reader.longer_head();
  }
  CHECK(looks <= 8);  // each twice as long as the one before it
}
