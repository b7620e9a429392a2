#include "tools/robe-compress/fit/table_file.h"

#include <limits>

#include "libcore/arrays/npy.h"
#include "tests/tools/robe-compress/fit/fit_samples.h"

using namespace frugal;
using namespace frugal::robe;
using namespace fit_samples;

namespace {

std::string table_refusal(const Tensor& tensor, const std::vector<std::string>& names = {}) {
  const ScratchFolder folder;
  Document document;
  document.tensors.push_back(normal_table("good", 3, 4, 1));
  document.tensors.push_back(tensor.clone());
  write_document(folder.file("t.safetensors"), document);
  const std::string error = error_of([&] {
    TableFile file(folder.file("t.safetensors"), names, {});
    file.begin();
    for (TablePiece piece; file.next(piece);) file.to_floats(piece);
  });
  const std::size_t path = error.find(folder.path());
  return path == std::string::npos ? error : error.substr(0, path) + error.substr(error.find(": "));
}

}  // namespace

TEST_CASE("pieces cover the tables in order, as often as asked") {
  const ScratchFolder folder;
  const Document document = sample_tables({{"a", 50'000}, {"b", 3}, {"c", 9'000}}, 32);
  write_document(folder.file("t.safetensors.zst"), document);
  TableFile file(folder.file("t.safetensors.zst"), {}, {});
  CHECK(file.tables().size() == 3);
  CHECK(file.tables().dim() == 32);
  CHECK(file.num_bytes() == 59'003 * 32 * 4);
  for (int pass = 0; pass < 2; ++pass) {
    file.begin();
    std::size_t table = 0;
    std::uint64_t row = 0;
    int pieces = 0;
    for (TablePiece piece; file.next(piece); ++pieces) {
      file.to_floats(piece);
      if (piece.table != table) row = 0;
      table = piece.table;
      CHECK(piece.row == row);
      const float* const expected =
          document.at(file.tables().table(table).name).as<float>().data() + row * 32;
      CHECK(std::equal(expected, expected + piece.values.rows * 32, piece.values.data));
      row += piece.values.rows;
    }
    CHECK(pieces == 10);
  }
}

TEST_CASE("tables are chosen by name") {
  const ScratchFolder folder;
  Document document = sample_tables({{"emb.0", 10}, {"emb.1", 20}}, 4);
  document.tensors.push_back(normal_table("top.weight", 7, 9, 1));
  write_document(folder.file("t.safetensors"), document);
  const TableFile file(folder.file("t.safetensors"), {"emb.?"}, {});
  CHECK(file.tables().size() == 2);
  CHECK(file.tables().table(1).name == "emb.1");
  const std::vector<std::string> unknown = {"emb.*", "x"};
  const std::string error = error_of([&] { TableFile(folder.file("t.safetensors"), unknown, {}); });
  CHECK(error == "2 " + folder.file("t.safetensors") + ": no table is named 'x'");
}

TEST_CASE("what is no table is refused by name") {
  CHECK(table_refusal(normal_table("x", 3, 5, 1)) ==
        "65 : tensor 'x' is F32 [3, 5], expected rows of 4 numbers like those of 'good'; --select "
        "says which tensors are tables");
  CHECK(table_refusal(normal_table("x", 3, 5, 1), {"go*"}).empty());
  CHECK(table_refusal(Tensor::make("x", Dtype::f32, {4})).find("expected a table [rows, dim]") !=
        std::string::npos);
  CHECK(table_refusal(Tensor::make("x", Dtype::i32, {2, 4}))
            .find("a table of F32, BF16, F16 or F64") != std::string::npos);
  CHECK(table_refusal(Tensor::make("x", Dtype::f32, {0, 4})).find("at least one row") !=
        std::string::npos);
  Tensor nan = normal_table("x", 9, 4, 1);
  nan.as<float>()[21] = std::numeric_limits<float>::quiet_NaN();
  CHECK(table_refusal(nan) ==
        "65 : table 'x', row 5: holds NaN or infinity, expected finite numbers");
  Tensor large = Tensor::make("x", Dtype::f64, {1, 4});
  for (double& value : large.as<double>()) value = 1e300;
  CHECK(table_refusal(large).find(
            "row 0: holds NaN or infinity, expected finite numbers in the range") !=
        std::string::npos);
}

TEST_CASE("files without tables are refused") {
  const ScratchFolder folder;
  write_document(folder.file("t.safetensors"), {});
  CHECK(error_of([&] { TableFile(folder.file("t.safetensors"), {}, {}); }).find("no tables") !=
        std::string::npos);
}
