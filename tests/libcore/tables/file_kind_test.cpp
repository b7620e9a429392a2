#include "libcore/streams/file_kind.h"

#include <doctest/doctest.h>

#include "libcore/streams/line_reader.h"
#include "libcore/tables/piece_reader.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace std::string_view_literals;

namespace {

std::string_view file_kind(std::string_view head) {
  const FileKind* found = binary_kind(head);
  return found == nullptr ? "text" : found->name;
}

}  // namespace

TEST_CASE("binary files are told by their first bytes") {
  CHECK(file_kind("PK\3\4\x14\0\0\0\0\0words.csv"sv) == "a zip archive");
  CHECK(file_kind("PK\3\4\x14\0\0\0\0\0[Content_Types].xml"sv) == "an Excel workbook");
  CHECK(file_kind("PK\3\4\x14\0\0\0\0\0docProps/app.xml"sv) == "an Excel workbook");
  CHECK(file_kind("PK\3\4\0\0\x08\x08\0\0model/data.pkl"sv) == "a PyTorch file (.pt)");
  CHECK(file_kind("PK\3\4\x14\0\0\0\0\0arr_0.npy"sv) == "a NumPy archive (.npz)");
  CHECK(file_kind("PAR1\x15\0\x15"sv) == "a Parquet file");
  CHECK(file_kind("ARROW1\0\0"sv) == "an Arrow or Feather file");
  CHECK(file_kind("\x89HDF\r\n\x1a\n"sv) == "an HDF5 file");
  CHECK(file_kind("BZh91AY&SY\x12"sv) == "compressed with bzip2");
  CHECK(file_kind("\x80\x04\x95\x10"sv) == "a Python pickle");
  CHECK(file_kind("MATLAB 5.0 MAT-file Platform: posix\0\1IM"sv) == "a MATLAB file (.mat)");
  CHECK(file_kind("MATLAB 7.3 MAT-file, Platform: GLNXA64\0\2IM"sv) == "a MATLAB file (.mat)");
  CHECK(file_kind("\xff\xfe\x61\0"sv) == "UTF-16 text");
  CHECK(file_kind(std::string(257, 'a') + std::string("\0ustar", 6)) == "a tar archive");
}

TEST_CASE("texts that begin with the letters of a magic are texts") {
  for (const char* text : {"", "PAR1,2\n", "ORC elf\n", "ARROW1 is a word\n", "BZhello\n", "a,b\n",
                           "MATLAB 5.0 MAT-file is a format\n"}) {
    CAPTURE(text);
    CHECK(file_kind(text) == "text");
  }
}

TEST_CASE("readers of text refuse binary files and say the way in") {
  const TextFile parquet("PAR1\x15\0\x15"sv);
  const std::string expected = "65 " + parquet.path() +
                               ": is a Parquet file, expected text; make it readable with: "
                               "pandas.read_parquet(FILE).to_csv(OUT, index=False)";
  CHECK(error_of([&] { PieceReader(parquet.path()).head(); }) == expected);
  std::string_view line;
  CHECK(error_of([&] { LineReader(parquet.path()).next(line); }) == expected);
}

TEST_CASE("readers of text refuse lines that end with CR alone") {
  const TextFile mac("a,b\r1,2\r"), last("a\rb");
  const std::string expected =
      ": its lines end with CR alone, expected LF or CR LF; make them so with: tr '\\r' '\\n'";
  std::string_view line;
  for (const TextFile* file : {&mac, &last}) {
    CHECK(error_of([&] { PieceReader(file->path()).head(); }) == "65 " + file->path() + expected);
    CHECK(error_of([&] { LineReader(file->path()).next(line); }) ==
          "65 " + file->path() + expected);
  }
  for (const char* text : {"a,b\r\n1,2\r\n", "a\rb\n", "a\r", "\r\n", "a,b", ""}) {
    CAPTURE(text);
    const TextFile file(text);
    CHECK(PieceReader(file.path()).head() == text);
    CHECK(error_of([&] { LineReader(file.path()).next(line); }) == "no error");
  }
}
