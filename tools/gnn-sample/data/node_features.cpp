#include "tools/gnn-sample/data/node_features.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/io/document_source.h"
#include "libcore/io/number_tensor.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/feature_array.h"
#include "tools/gnn-sample/data/finite_features.h"
#include "tools/gnn-sample/data/numpy_arrays.h"
#include "tools/gnn-sample/data/svmlight_features.h"

namespace frugal {
namespace {

Tensor make_features(const std::string& path, std::uint64_t rows, std::uint64_t dim) {
  if (dim == 0) fail(ExitStatus::bad_input, path, ": has no features");
  check_memory(
      path + ": features of " + format_count(rows, "node") + ", " + std::to_string(dim) + " each,",
      rows * dim * sizeof(float));
  return Tensor::make("features", Dtype::f32, {rows, dim});
}

/// Numbers of the lines of a piece; all lines have as many.
struct DenseRows {
  std::vector<float> values;
  std::size_t rows = 0;
};

void parse_dense(const TextPiece& piece, const std::string& name, const TextShape& shape,
                 std::uint64_t header_line, DenseRows& out) {
  out = {};
  FieldSplitter splitter(shape.separator);
  PieceLines lines(piece, name, header_line);
  std::vector<std::string_view> fields;
  const auto parse_row = [&](std::string_view line) {
    splitter.split(line, fields);
    if (fields.size() != shape.first_fields.size()) {
      fail(ExitStatus::bad_input, "found ", format_count(fields.size(), "column"), ", expected ",
           shape.first_fields.size(), " as in the first line");
    }
    for (const std::string_view field : fields) {
      const auto value = parse_number<float>(field.substr(field.starts_with('+')));
      if (!value || !std::isfinite(*value)) {
        fail(ExitStatus::bad_input, "found '", printable(field, 40), "', expected a finite number");
      }
      out.values.push_back(*value);
    }
    ++out.rows;
  };
  for (std::string_view line; lines.next(line);) lines.located([&] { parse_row(line); });
}

void read_dense(PieceReader& reader, const TextShape& shape, NodeData& data,
                const BytesRead& progress) {
  const bool header = std::none_of(
      shape.first_fields.begin(), shape.first_fields.end(),
      [](const std::string& field) { return parse_number<double>(field).has_value(); });
  std::vector<std::vector<float>> pieces;
  std::uint64_t rows = 0;
  read_pieces<DenseRows>(
      reader,
      [&](const TextPiece& piece, DenseRows& out) {
        parse_dense(piece, reader.name(), shape, header ? shape.line : 0, out);
      },
      [&](DenseRows& piece) {
        rows += piece.rows;
        pieces.push_back(std::move(piece.values));
        if (progress) progress(reader.bytes_read());
      });
  data.features = make_features(reader.name(), rows, shape.first_fields.size());
  float* to = data.features.as<float>().data();
  for (std::vector<float>& values : pieces) {
    to = std::copy(values.begin(), values.end(), to);
    values = {};
  }
}

bool is_sparse(const TextShape& shape, std::string_view head) {
  if (shape.separator != ' ') return false;
  const auto& fields = shape.first_fields;
  if (fields.back().find(':') != std::string::npos) return true;
  if (fields.size() != 1) return false;
  // A class without features, or one feature: other lines tell.
  const std::vector<std::string_view> lines = split(head, '\n');
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return !is_comment(line) && line.find(':') != std::string_view::npos;
  });
}

/// A file of numpy or of tensors that holds one of them, or what robe-compress wrote.
void read_tensors(const std::string& path, NodeData& data) {
  const auto source = open_documents(path, {});
  auto document = source->next();
  if (document) data.array = load_feature_array(*document, path);
  if (data.array) return check_finite(view_of(*data.array), path);
  if (!document || document->tensors.size() != 1) {
    fail(ExitStatus::bad_input, path, ": holds ", document ? document->tensors.size() : 0,
         " arrays, expected one");
  }
  data.features = as_features(document->tensors.front(), path);
}

}  // namespace

Tensor as_features(const Tensor& matrix, const std::string& place) {
  if (matrix.shape.size() != 2 || matrix.shape[1] == 0) {
    fail(ExitStatus::bad_input, place, ": is ", dtype_name(matrix.dtype), " ",
         shape_text(matrix.shape), ", expected [nodes, features]");
  }
  Tensor features = to_floats(matrix, place);
  features.name = "features";
  const auto values = features.as<float>();
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
  if (bad != values.end()) {
    const auto at = static_cast<std::size_t>(bad - values.begin());
    fail(ExitStatus::bad_input, place, ": row ", at / matrix.shape[1], ", column ",
         at % matrix.shape[1], " is ", format_number(double{*bad}), ", expected finite numbers");
  }
  return features;
}

void read_features(const std::string& path, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress) {
  const bool is_array = path.ends_with(".npy") || path.ends_with(".npz") ||
                        path.ends_with(".safetensors") || path.ends_with(".safetensors.zst");
  if (path.ends_with(".npz")) {
    NumpyArrays arrays(path);
    if (!arrays.first({"indptr"}).empty() && !arrays.first({"shape"}).empty()) {
      data.sparse = read_sparse_features(arrays, "");
      return;
    }
  }
  if (is_array) return read_tensors(path, data);
  PieceReader reader(path);
  const TextShape shape = text_shape(reader);
  if (shape.empty) fail(ExitStatus::bad_input, path, ": is empty, expected a line for each node");
  if (is_sparse(shape, reader.head())) {
    read_svmlight(reader, options, data, progress);
  } else {
    read_dense(reader, shape, data, progress);
  }
}

}  // namespace frugal
