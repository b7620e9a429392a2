#include "tools/tgn-train/data/feature_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "libcore/arrays/document_source.h"
#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"
#include "libcore/tables/skipped_comments.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/table_rows.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/number_tensor.h"
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

struct ParsedRows {
  std::vector<float> values;
  std::vector<FloatLoss> losses;  ///< of each column
};

void parse_rows(const TextPiece& piece, TableRows rows, std::size_t dim, ParsedRows& out) {
  out.values.clear();
  out.losses.assign(dim, {});
  for_each_row(rows, piece, [&] {
    std::size_t column = 0;
    for (const std::string_view field : rows.fields()) {
      const auto value = parse_number<float>(without_plus(field));
      ++column;
      if (!value) {
        fail(ExitStatus::bad_input, "found '", printable(field, 40), "' in column ", column,
             ", expected a number");
      }
      out.values.push_back(*value);
      add_field(field.substr(field.starts_with('+')), ',', *value, out.losses[column - 1]);
    }
  });
}

Tensor read_text(const std::string& path) {
  PieceReader reader(path);
  const TextShape shape = head_shape(line_head(reader, false));
  if (shape.empty) fail_without_rows(reader, "a line for each row");
  std::vector<std::vector<float>> pieces;
  std::vector<FloatLoss> losses;
  std::size_t size = 0;
  const std::size_t dim = shape.first_fields.size();
  read_pieces<ParsedRows>(
      reader,
      [&](const TextPiece& piece, ParsedRows& out) {
        parse_rows(piece, {line_form(shape, false), reader.name()}, dim, out);
      },
      [&](ParsedRows& rows) {
        size += rows.values.size();
        pieces.push_back(std::move(rows.values));
        add_losses(rows.losses, losses);
      });
  warn_of_losses(losses, [&](std::size_t c) { return path + ": column " + std::to_string(c + 1); });
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

namespace {

/// Whether none of the numbers has all bits of the exponent set; a loop that compilers vectorise.
template <class Bits>
bool all_finite(const std::byte* data, std::size_t n, Bits exponent) {
  const Bits* const numbers = reinterpret_cast<const Bits*>(data);
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) finite &= (numbers[i] & exponent) != exponent;
  return finite;
}

template <class T>
void widen(const std::byte* from, std::size_t n, float* to) {
  const T* const numbers = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < n; ++i) to[i] = to_float(numbers[i]);
}

}  // namespace

void FeatureRows::read(std::size_t r, float* out) const {
  assert(r < rows);
  const std::byte* const row = data + r * row_bytes();
  switch (dtype) {
    case Dtype::f16: widen<Float16>(row, dim, out); break;
    case Dtype::bf16: widen<BFloat16>(row, dim, out); break;
    default:
      if (dim != 0) std::memcpy(out, row, row_bytes());
  }
  if (is_scaled()) scaling->apply(out);
  if (num_types == 0) return;
  std::fill_n(out + dim, num_types, 0.0F);
  out[dim + types[r]] = 1;
}

bool FeatureRows::is_finite(std::size_t r) const {
  assert(r < rows);
  const std::byte* const row = data + r * row_bytes();
  switch (dtype) {
    case Dtype::f16: return all_finite<std::uint16_t>(row, dim, 0x7c00U);
    case Dtype::bf16: return all_finite<std::uint16_t>(row, dim, 0x7f80U);
    default: return all_finite<std::uint32_t>(row, dim, 0x7f800000U);
  }
}

void store_features(const float* from, std::size_t n, Dtype dtype, std::byte* to) {
  if (dtype == Dtype::f32) {
    if (n != 0) std::memcpy(to, from, n * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t bits =
        dtype == Dtype::f16 ? to_float16(from[i]).bits : to_bfloat16(from[i]).bits;
    std::memcpy(to + i * sizeof bits, &bits, sizeof bits);
  }
}

}  // namespace frugal::tgn
