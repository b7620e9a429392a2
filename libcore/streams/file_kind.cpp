#include "libcore/streams/file_kind.h"

#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

using namespace std::string_view_literals;

struct BinaryKind {
  FileKind kind;
  std::string_view bytes;        ///< at the beginning
  std::string_view within = {};  ///< somewhere in the head as well
};

constexpr FileKind kWorkbook{"an Excel workbook",
                             "save it as CSV, or pandas.read_excel(FILE).to_csv(OUT, index=False)"};
constexpr FileKind kPickle{"a Python pickle",
                           "pickle.load() it, if you trust its origin, and write it as CSV"};
constexpr FileKind kUtf16{"UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE > OUT"};

// A more special kind stands before a more general one. A text may begin with letters as well: a
// kind whose bytes are all letters needs a byte 0 within the head.
constexpr std::array kBinaryKinds{
    BinaryKind{{"a NumPy archive (.npz)", "numpy.load() it, and numpy.savetxt() the columns"},
               "PK\3\4"sv,
               ".npy"},
    BinaryKind{{"a PyTorch file (.pt)", "torch.load() it, and write its columns as CSV"},
               "PK\3\4"sv,
               "data.pkl"},
    BinaryKind{kWorkbook, "PK\3\4"sv, "[Content_Types].xml"},
    BinaryKind{kWorkbook, "PK\3\4"sv, "docProps/"},
    BinaryKind{{"a zip archive", "unzip -p FILE | COMMAND ... -"}, "PK\3\4"sv},
    BinaryKind{
        {"a Parquet file", "pandas.read_parquet(FILE).to_csv(OUT, index=False)"}, "PAR1", "\0"sv},
    BinaryKind{{"an Arrow or Feather file", "pandas.read_feather(FILE).to_csv(OUT, index=False)"},
               "ARROW1",
               "\0"sv},
    BinaryKind{
        {"a Feather file", "pandas.read_feather(FILE).to_csv(OUT, index=False)"}, "FEA1", "\0"sv},
    BinaryKind{{"an ORC file", "pandas.read_orc(FILE).to_csv(OUT, index=False)"}, "ORC", "\0"sv},
    BinaryKind{{"an Avro file", "write its records as CSV"}, "Obj\1"},
    BinaryKind{{"an HDF5 file", "pandas.read_hdf(FILE).to_csv(OUT, index=False)"},
               "\x89HDF\r\n\x1a\n"},
    BinaryKind{{"compressed with bzip2", "bzip2 -dc FILE | COMMAND ... -"}, "BZh", "1AY&SY"},
    BinaryKind{{"compressed with xz", "xz -dc FILE | COMMAND ... -"}, "\xfd\x37\x7a\x58\x5a"},
    BinaryKind{{"compressed with lz4", "lz4 -dc FILE | COMMAND ... -"}, "\x04\x22\x4d\x18"},
    BinaryKind{{"a 7z archive", "7z x -so FILE | COMMAND ... -"}, "7z\xbc\xaf\x27\x1c"},
    BinaryKind{{"a NumPy array (.npy)", "numpy.savetxt(OUT, numpy.load(FILE), delimiter=',')"},
               "\x93NUMPY"},
    BinaryKind{
        {"a Python pickle", "pickle.load() it, if you trust its origin, and write it as CSV"},
        "\x80\x02"},
    BinaryKind{
        {"a Python pickle", "pickle.load() it, if you trust its origin, and write it as CSV"},
        "\x80\x03"},
    BinaryKind{
        {"a Python pickle", "pickle.load() it, if you trust its origin, and write it as CSV"},
        "\x80\x04"},
    BinaryKind{
        {"a Python pickle", "pickle.load() it, if you trust its origin, and write it as CSV"},
        "\x80\x05"},
    BinaryKind{{"an Excel workbook of the old kind", "save it as CSV"}, "\xd0\xcf\x11\xe0"},
    BinaryKind{{"an SQLite database", "sqlite3 -csv -header FILE 'select ...' > OUT"},
               "SQLite format 3"},
    BinaryKind{{"a MATLAB file (.mat)", "scipy.io.loadmat() it, and write its arrays as CSV"},
               "MATLAB 5.0 MAT-file",
               "\0"sv},
    BinaryKind{{"a MATLAB file (.mat)", "h5py.File() it, and write its arrays as CSV"},
               "MATLAB 7.3 MAT-file",
               "\0"sv},
    BinaryKind{{"a PDF document", "extract its table as CSV"}, "%PDF-"},
    BinaryKind{kUtf16, "\xff\xfe"},
    BinaryKind{kUtf16, "\xfe\xff"},
    BinaryKind{{"a tar archive", "tar -xOf FILE | COMMAND ... -"}, "", "\0ustar"sv},
};

}  // namespace

const FileKind* binary_kind(std::string_view head) {
  head = head.substr(0, 4096);
  for (const BinaryKind& row : kBinaryKinds) {
    if (!head.starts_with(row.bytes)) continue;
    if (head.find(row.within) != std::string_view::npos) return &row.kind;
  }
  return nullptr;
}

namespace {

/// "sep=;", which Excel writes above a table and understands itself.
bool is_separator_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.size() == 5 && (line.starts_with("sep=") || line.starts_with("SEP="));
}

}  // namespace

void refuse_foreign(std::string_view head, const std::string& name) {
  if (is_separator_line(head.substr(0, head.find('\n')))) {
    fail(ExitStatus::bad_input, name,
         ":1: tells Excel the separator, expected the first row of a table; tail -n +2 FILE leaves "
         "the line out");
  }
  const FileKind* kind = binary_kind(head);
  if (kind == nullptr) return;
  fail(ExitStatus::bad_input, name, ": is ", kind->name,
       ", expected text; make it readable with: ", kind->way_in);
}

void refuse_cr_lines(std::string_view head, const std::string& name) {
  if (head.find('\n') != std::string_view::npos) return;
  if (trim(head).find('\r') == std::string_view::npos) return;
  fail(ExitStatus::bad_input, name,
       ": its lines end with CR alone, expected LF or CR LF; make them so with: tr '\\r' '\\n'");
}

}  // namespace frugal
