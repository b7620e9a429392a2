#include "tools/gnn-sample/data/node_features.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "libcore/base/text.h"
#include "libcore/io/document_source.h"
#include "libcore/io/svmlight.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/number_tensor.h"

namespace frugal {
namespace {

/// Rows of svmlight one behind the other.
struct SparseRows {
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  std::vector<std::int32_t> labels;  ///< fewer than rows where some have none
  std::uint32_t largest = 0;

  void clear() { *this = {}; }
};

class SparseParser {
 public:
  explicit SparseParser(const FeatureOptions& options) : options_(options) {
    limit_ = options.dim == 0 ? 0xffffffff : options.dim + options.index_base;
  }

  void parse(const TextPiece& piece, const std::string& name, SparseRows& out) {
    out.clear();
    PieceLines lines(piece, name);
    for (std::string_view line; lines.next(line, true);) {
      lines.located([&] { parse_row(line, out); });
    }
  }

 private:
  void parse_row(std::string_view line, SparseRows& out) {
    parse_sparse_line(line, limit_, row_);
    if (!row_.features.empty() && row_.features.front() < options_.index_base) {
      fail(ExitStatus::bad_input, "feature 0, expected indices from 1 on (--index-base 0)");
    }
    for (const std::uint32_t index : row_.features) {
      out.indices.push_back(index - static_cast<std::uint32_t>(options_.index_base));
      out.largest = std::max(out.largest, out.indices.back());
    }
    out.values.insert(out.values.end(), row_.values.begin(), row_.values.end());
    out.ends.push_back(out.indices.size());
    if (row_.labels.empty()) return;
    const auto label = parse_number<std::int64_t>(row_.labels.substr(row_.labels.starts_with('+')));
    if (!label || *label < -1 || *label > 0x7ffffffe) {
      fail(ExitStatus::bad_input, "class '", printable(row_.labels, 40),
           "', expected a number, -1 for none");
    }
    out.labels.push_back(static_cast<std::int32_t>(*label));
  }

  const FeatureOptions& options_;
  std::uint64_t limit_;
  SparseLine row_;
};

Tensor make_features(const std::string& path, std::uint64_t rows, std::uint64_t dim) {
  if (dim == 0) fail(ExitStatus::bad_input, path, ": has no features");
  check_memory(
      path + ": features of " + format_count(rows, "node") + ", " + std::to_string(dim) + " each,",
      rows * dim * sizeof(float));
  return Tensor::make("features", Dtype::f32, {rows, dim});
}

void check_labelled(const std::string& path, std::size_t labels, std::size_t rows) {
  if (labels == 0 || labels == rows) return;
  fail(ExitStatus::bad_input, path, ": ", labels, " of ", rows,
       " lines have a class, expected all or none (-1 is no class)");
}

void read_sparse(PieceReader& reader, const FeatureOptions& options, NodeData& data,
                 const BytesRead& progress) {
  std::vector<SparseRows> pieces;
  std::uint64_t rows = 0, largest = 0;
  bool any = false;
  std::vector<std::int32_t> labels;
  read_pieces<SparseRows>(
      reader,
      [&](const TextPiece& piece, SparseRows& out) {
        SparseParser(options).parse(piece, reader.name(), out);
      },
      [&](SparseRows& piece) {
        rows += piece.ends.size();
        any |= !piece.indices.empty();
        largest = std::max<std::uint64_t>(largest, piece.largest);
        labels.insert(labels.end(), piece.labels.begin(), piece.labels.end());
        pieces.push_back(std::move(piece));
        if (progress) progress(reader.bytes_read());
      });
  check_labelled(reader.name(), labels.size(), rows);
  const std::uint64_t dim = options.dim != 0 ? options.dim : any ? largest + 1 : 0;
  data.features = make_features(reader.name(), rows, dim);
  std::vector<std::uint64_t> first(pieces.size() + 1, 0);
  for (std::size_t p = 0; p < pieces.size(); ++p) first[p + 1] = first[p] + pieces[p].ends.size();
  float* const to = data.features.as<float>().data();
  parallel_for(pieces.size(), 1, [&](std::size_t p) {
    SparseRows& piece = pieces[p];
    float* row = to + first[p] * dim;
    std::memset(row, 0, piece.ends.size() * dim * sizeof(float));
    for (std::size_t r = 0, i = 0; r < piece.ends.size(); ++r, row += dim) {
      for (; i < piece.ends[r]; ++i) row[piece.indices[i]] = piece.values[i];
    }
    piece.clear();
  });
  if (labels.empty()) return;
  data.labels = {};
  data.labels.num_classes =
      static_cast<std::size_t>(std::max(-1, *std::max_element(labels.begin(), labels.end())) + 1);
  data.labels.classes = std::move(labels);
}

/// Numbers of the lines of a piece; all lines have as many.
struct DenseRows {
  std::vector<float> values;
  std::size_t rows = 0;
};

void parse_dense(const TextPiece& piece, const std::string& name, const TextShape& shape,
                 std::uint64_t skip, DenseRows& out) {
  out = {};
  FieldSplitter splitter(shape.separator);
  PieceLines lines(piece, name);
  std::vector<std::string_view> fields;
  if (piece.index != 0) skip = 0;
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
  for (std::string_view line; lines.next(line);) {
    if (skip > 0) {
      --skip;
      continue;
    }
    lines.located([&] { parse_row(line); });
  }
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
        parse_dense(piece, reader.name(), shape, header ? 1 : 0, out);
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

bool is_sparse(const TextShape& shape) {
  if (shape.separator != ' ' || shape.empty) return false;
  const auto& fields = shape.first_fields;
  return fields.size() == 1 || fields.back().find(':') != std::string::npos;
}

/// The only array of a file of numpy or of tensors.
Tensor read_matrix(const std::string& path) {
  const auto source = open_documents(path, {});
  auto document = source->next();
  if (!document || document->tensors.size() != 1) {
    fail(ExitStatus::bad_input, path, ": holds ", document ? document->tensors.size() : 0,
         " arrays, expected one");
  }
  return std::move(document->tensors.front());
}

void normalize_rows(std::span<float> values, std::size_t dim) {
  parallel_for(values.size() / dim, 256, [&](std::size_t r) {
    float* const row = values.data() + r * dim;
    double sum = 0;
    for (std::size_t i = 0; i < dim; ++i) sum += std::abs(double{row[i]});
    const auto factor = static_cast<float>(sum > 0 ? 1 / sum : 0);
    for (std::size_t i = 0; i < dim; ++i) row[i] *= factor;
  });
}

/// Sums are those of fixed blocks of rows: the same for any number of threads.
void standardize_columns(std::span<float> values, std::size_t dim) {
  constexpr std::size_t kBlockRows = 4096;
  const std::size_t rows = values.size() / dim, blocks = (rows + kBlockRows - 1) / kBlockRows;
  const auto sum_columns = [&](const std::vector<double>& mean, bool squared) {
    std::vector<std::vector<double>> partial(blocks, std::vector<double>(dim));
    parallel_for(blocks, 1, [&](std::size_t b) {
      for (std::size_t r = b * kBlockRows; r < std::min(rows, (b + 1) * kBlockRows); ++r) {
        for (std::size_t i = 0; i < dim; ++i) {
          const double x = values[r * dim + i] - mean[i];
          partial[b][i] += squared ? x * x : x;
        }
      }
    });
    std::vector<double> sums(dim);
    for (const auto& part : partial) {
      for (std::size_t i = 0; i < dim; ++i) sums[i] += part[i];
    }
    for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(rows, 1));
    return sums;
  };
  const std::vector<double> mean = sum_columns(std::vector<double>(dim), false);
  const std::vector<double> variance = sum_columns(mean, true);
  parallel_for(rows, 256, [&](std::size_t r) {
    for (std::size_t i = 0; i < dim; ++i) {
      const double deviation = std::sqrt(variance[i]);
      const double centred = values[r * dim + i] - mean[i];
      values[r * dim + i] = static_cast<float>(deviation > 0 ? centred / deviation : 0);
    }
  });
}

template <class T, class Convert>
Tensor converted(const Tensor& features, const Convert& convert) {
  Tensor out = Tensor::make("features", dtype_of<T>(), features.shape);
  const auto from = features.as<float>();
  const auto to = out.as<T>();
  parallel_ranges(from.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) to[i] = convert(from[i]);
  });
  return out;
}

/// Each row by its largest value: x = scale * byte.
void quantize(NodeData& data) {
  const std::size_t rows = data.features.shape[0], dim = data.features.shape[1];
  Tensor out = Tensor::make("features", Dtype::i8, data.features.shape);
  data.scales = Array<float>(rows, uninitialized);
  const float* const from = data.features.as<float>().data();
  std::int8_t* const to = out.as<std::int8_t>().data();
  parallel_for(rows, 256, [&](std::size_t r) {
    float largest = 0;
    for (std::size_t i = 0; i < dim; ++i) largest = std::max(largest, std::abs(from[r * dim + i]));
    const float scale = largest / 127;
    data.scales[r] = scale;
    for (std::size_t i = 0; i < dim; ++i) {
      const float x = scale > 0 ? std::nearbyint(from[r * dim + i] / scale) : 0;
      to[r * dim + i] = static_cast<std::int8_t>(std::clamp(x, -127.0F, 127.0F));
    }
  });
  data.features = std::move(out);
}

void check_half_range(const Tensor& features) {
  const std::size_t dim = features.shape[1];
  const auto values = features.as<float>();
  constexpr float kLargestHalf = 65504;
  const auto beyond = std::find_if(values.begin(), values.end(),
                                   [](float x) { return std::abs(x) > kLargestHalf; });
  if (beyond == values.end()) return;
  fail(ExitStatus::bad_input, "features of node ",
       static_cast<std::size_t>(beyond - values.begin()) / dim, " have ",
       format_number(double{*beyond}), ", --feature-type f16 holds at most 65504; use bf16");
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
  if (is_array) {
    data.features = as_features(read_matrix(path), path);
    return;
  }
  PieceReader reader(path);
  const TextShape shape = text_shape(reader.head());
  if (shape.empty) fail(ExitStatus::bad_input, path, ": is empty, expected a line for each node");
  if (is_sparse(shape)) {
    read_sparse(reader, options, data, progress);
  } else {
    read_dense(reader, shape, data, progress);
  }
}

void convert_features(const FeatureOptions& options, NodeData& data) {
  const std::size_t dim = data.features.shape[1];
  if (options.normalize == "row") normalize_rows(data.features.as<float>(), dim);
  if (options.normalize == "standardize") standardize_columns(data.features.as<float>(), dim);
  if (options.type == "f16") {
    check_half_range(data.features);
    data.features = converted<Float16>(data.features, [](float x) { return to_float16(x); });
  } else if (options.type == "bf16") {
    data.features = converted<BFloat16>(data.features, [](float x) { return to_bfloat16(x); });
  } else if (options.type == "i8") {
    quantize(data);
  }
}

}  // namespace frugal
