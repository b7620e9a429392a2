#include "tools/tgn-train/data/feature_file.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/document_gate.h"
#include "libcore/io/document_source.h"
#include "libcore/io/number_tensor.h"
#include "libcore/io/table_rows.h"
#include "libcore/threading/find_bad.h"

namespace frugal::tgn {
namespace {

Tensor read_array(const std::string& path) {
  const auto source = open_documents(path, {});
  const auto document = source->next();
  if (document) {
    check_document(
        *document, path,
        {"an array of features", {"embeddings", "predictions"}, {}, ForeignDocuments::welcome});
  }
  if (!document || document->tensors.size() != 1) {
    fail(ExitStatus::bad_input, path, ": holds ", document ? document->tensors.size() : 0,
         " arrays, expected one");
  }
  const Tensor& matrix = document->tensors.front();
  if (matrix.shape.size() != 2 || matrix.shape[0] == 0 || matrix.shape[1] == 0) {
    fail(ExitStatus::bad_input, path, ": is ", dtype_name(matrix.dtype), " ",
         shape_text(matrix.shape), ", expected [rows, features]");
  }
  return to_floats(matrix, path);
}

void parse_rows(const TextPiece& piece, TableRows rows, std::vector<float>& out) {
  out.clear();
  for_each_row(rows, piece, [&] {
    for (const std::string_view field : rows.fields()) {
      const auto value = parse_number<float>(field.substr(field.starts_with('+')));
      if (!value) {
        fail(ExitStatus::bad_input, "found '", printable(field, 40), "', expected a number");
      }
      out.push_back(*value);
    }
  });
}

Tensor read_text(const std::string& path) {
  PieceReader reader(path);
  const TextShape shape = text_shape(reader);
  if (shape.empty) fail(ExitStatus::bad_input, path, ": is empty, expected a line for each row");
  std::vector<std::vector<float>> pieces;
  std::size_t size = 0;
  read_pieces<std::vector<float>>(
      reader,
      [&](const TextPiece& piece, std::vector<float>& out) {
        parse_rows(piece, {line_form(shape, false), reader.name()}, out);
      },
      [&](std::vector<float>& values) {
        size += values.size();
        pieces.push_back(std::move(values));
      });
  const std::size_t dim = shape.first_fields.size();
  Tensor rows = Tensor::make("features", Dtype::f32, {size / dim, dim});
  float* to = rows.as<float>().data();
  for (std::vector<float>& values : pieces) {
    to = std::copy(values.begin(), values.end(), to);
    values = {};
  }
  return rows;
}

}  // namespace

Tensor read_feature_file(const std::string& path) {
  const bool is_array = path.ends_with(".npy") || path.ends_with(".npz") ||
                        path.ends_with(".safetensors") || path.ends_with(".safetensors.zst");
  Tensor rows = is_array ? read_array(path) : read_text(path);
  const auto values = std::as_const(rows).as<float>();
  const std::size_t bad =
      find_bad(values.size(), [=](std::size_t i) { return std::isfinite(values[i]); });
  if (bad == values.size()) return rows;
  fail(ExitStatus::bad_input, path, ": row ", bad / rows.shape[1], ", column ", bad % rows.shape[1],
       " is ", format_number(double{values[bad]}), ", expected finite numbers");
}

bool is_all_zero(const Tensor& features) {
  const auto values = features.as<float>();
  return find_bad(values.size(), [=](std::size_t i) { return values[i] == 0; }) == values.size();
}

}  // namespace frugal::tgn
