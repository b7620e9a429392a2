#include "libcore/io/file_kind.h"

#include <doctest/doctest.h>

#include "libcore/io/line_reader.h"
#include "libcore/io/piece_reader.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace std::string_view_literals;

namespace {

std::string_view kind(std::string_view head) {
  const FileKind* found = binary_kind(head);
  return found == nullptr ? "text" : found->name;
}

}  // namespace

TEST_CASE("binary files are told by their first bytes") {
  CHECK(kind("PK\3\4\x14\0\0\0\0\0words.csv"sv) == "a zip archive");
  CHECK(kind("PK\3\4\x14\0\0\0\0\0[Content_Types].xml"sv) == "an Excel workbook");
  CHECK(kind("PK\3\4\x14\0\0\0\0\0docProps/app.xml"sv) == "an Excel workbook");
  CHECK(kind("PK\3\4\0\0\x08\x08\0\0model/data.pkl"sv) == "a PyTorch file (.pt)");
  CHECK(kind("PK\3\4\x14\0\0\0\0\0arr_0.npy"sv) == "a NumPy archive (.npz)");
  CHECK(kind("PAR1\x15\0\x15"sv) == "a Parquet file");
  CHECK(kind("ARROW1\0\0"sv) == "an Arrow or Feather file");
  CHECK(kind("\x89HDF\r\n\x1a\n"sv) == "an HDF5 file");
  CHECK(kind("BZh91AY&SY\x12"sv) == "compressed with bzip2");
  CHECK(kind("\x80\x04\x95\x10"sv) == "a Python pickle");
  CHECK(kind("\xff\xfe\x61\0"sv) == "UTF-16 text");
  CHECK(kind(std::string(257, 'a') + std::string("\0ustar", 6)) == "a tar archive");
}

TEST_CASE("texts that begin with the letters of a magic are texts") {
  for (const char* text :
       {"", "PAR1,2\n", "ORC elf\n", "ARROW1 is a word\n", "BZhello\n", "a,b\n"}) {
    CAPTURE(text);
    CHECK(kind(text) == "text");
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
