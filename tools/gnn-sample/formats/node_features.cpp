#include "tools/gnn-sample/formats/node_features.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "libcore/arrays/document_source.h"
#include "libcore/arrays/npy.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/tables/skipped_comments.h"
#include "libcore/tables/svmlight.h"
#include "libcore/tables/table_rows.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/number_tensor.h"
#include "tools/gnn-sample/data/class_numbers.h"
#include "tools/gnn-sample/data/feature_array.h"
#include "tools/gnn-sample/data/feature_view.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/numpy_arrays.h"
#include "tools/gnn-sample/formats/text_table.h"

namespace frugal::gnn {
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
  std::vector<FloatLoss> losses;  ///< of the columns that are features
  std::size_t rows = 0;
  RowIds ids;
  std::deque<std::string> texts;  ///< ids that do not stand in the text as they are
};

TableForm form_of_numbers(const FeatureTable& table) {
  std::vector<std::size_t> all(table.head.first().size());
  std::iota(all.begin(), all.end(), 0);
  return form_of_rows(table.head, table.header, all);
}

void parse_dense(const TextPiece& piece, const std::string& name, const FeatureTable& table,
                 const RowNodes* rows, DenseRows& out) {
  out = {};
  out.losses.resize(table.features().size());
  TableRows lines(form_of_numbers(table), name);
  for_each_row(lines, piece, [&] {
    const auto& fields = lines.fields();
    std::size_t f = 0;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (c == table.id) {
        rows->parse(kept_field(trim(fields[c]), lines.row(), out.texts), out.ids);
      } else if (table.is_feature(c)) {
        const std::string_view field = trim(fields[c]);
        out.values.push_back(parse_feature(field, table.head.separator));
        table.decimal_marks.check(c, field);
        add_field(field, table.head.separator, out.values.back(), out.losses[f++]);
      }
    }
    ++out.rows;
  });
}

/// True if a column has each of the numbers from 0 on, or from 1 on, once.
bool is_numbering(const Tensor& features, std::size_t column) {
  const auto values = features.as<float>();
  const std::size_t n = features.shape[0], dim = features.shape[1];
  std::vector<bool> seen(n + 1);
  for (std::size_t r = 0; r < n; ++r) {
    const float x = values[r * dim + column];
    if (!(x >= 0 && x <= static_cast<float>(n)) || x != std::floor(x)) return false;
    const auto number = std::min(static_cast<std::size_t>(x), n);
    if (seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

/// The first column that numbers the nodes, which is no feature, where that matters.
std::optional<std::size_t> find_numbering(const Tensor& features, const RowNodes* rows) {
  if (rows == nullptr || !rows->suspicious()) return std::nullopt;
  if (features.shape[0] < kFewestSuspicious || features.shape[1] < 2) return std::nullopt;
  for (std::size_t c = 0; c < features.shape[1]; ++c) {
    if (is_numbering(features, c)) return c;
  }
  return std::nullopt;
}

std::string numbering_text(std::size_t column) {
  return "column " + std::to_string(column + 1) + ", which numbers the rows,";
}

void read_dense(PieceReader& reader, const FeatureTable& table, NodeData& data,
                const BytesRead& progress, RowNodes* rows) {
  std::vector<std::vector<float>> pieces;
  std::vector<FloatLoss> losses;
  std::uint64_t num_rows = 0;
  const TableForm form = form_of_numbers(table);
  if (!form.lines) reader.set_style(form.style);
  read_pieces<DenseRows>(
      reader,
      [&](const TextPiece& piece, DenseRows& out) {
        parse_dense(piece, reader.name(), table, rows, out);
      },
      [&](DenseRows& piece) {
        num_rows += piece.rows;
        if (table.id) rows->take(piece.ids);
        pieces.push_back(std::move(piece.values));
        add_losses(piece.losses, losses);
        if (progress) progress(reader.bytes_read());
      });
  if (table.id) rows->check_distinct();
  const std::vector<std::size_t> columns = table.features();
  data.features = make_features(reader.name(), num_rows, columns.size());
  float* to = data.features.as<float>().data();
  for (std::vector<float>& values : pieces) {
    to = std::copy(values.begin(), values.end(), to);
    values = {};
  }
  const auto numbering = table.id ? std::nullopt : find_numbering(data.features, rows);
  if (!numbering) return table.warn_of_losses(losses, reader.name());
  const std::size_t column = columns[*numbering];
  rows->refuse(numbering_text(column), table.names(reader.name())[column]);
}

void read_text(PieceReader& reader, const FeatureOptions& options, NodeData& data,
               const BytesRead& progress, RowNodes* rows) {
  const FeatureTable table = feature_table(reader, options.table, rows);
  if (table.header) data.table_names = table.head.first();
  if (has_types(table, options.table)) {
    read_feature_table(reader, table, options.table, data, progress, rows);
  } else {
    read_dense(reader, table, data, progress, rows);
    if (table.header) data.columns = table.raw_columns(reader.name());
  }
}

/// True if a line has "index:value" behind its first blank, or nothing but that.
bool has_index(std::string_view line) {
  FieldSplitter splitter(' ');
  std::vector<std::string_view> words;
  splitter.split(line, words);
  return std::any_of(words.begin(), words.end(), [](std::string_view word) {
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos && colon != 0 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(colon), is_digit);
  });
}

/// The first line tells; where it has a word alone, a class without features, others do.
bool is_sparse(const TableHead& first, std::string_view head) {
  const std::vector<std::string_view> lines = split(head, '\n');
  const auto is_row = [](std::string_view line) {
    return !trim(line).empty() && !is_comment(line);
  };
  const auto row = std::find_if(lines.begin(), lines.end(), is_row);
  if (row == lines.end()) return false;
  if (has_index(*row)) return true;
  return first.separator == ' ' && first.first().size() == 1 &&
         std::any_of(row, lines.end(),
                     [&](std::string_view line) { return is_row(line) && has_index(line); });
}

/// A file of numpy or of tensors that holds one of them, or what robe-compress wrote.
void read_tensors(const std::string& path, NodeData& data, const RowNodes* rows) {
  if (path.ends_with(".npy") && npy_text_width(path) != 0) {
    fail(ExitStatus::bad_input, path, ": elements are texts, expected numbers");
  }
  const auto source = open_documents(path, {});
  auto document = source->next();
  if (document) {
    check_document(*document, path,
                   {"an array of features",
                    {"embedding", "embeddings", "predictions"},
                    {},
                    ForeignDocuments::welcome});
    data.array = load_feature_array(*document, path);
  }
  if (data.array) return check_finite(view_of(*data.array), path);
  if (!document || document->tensors.size() != 1) {
    fail(ExitStatus::bad_input, path, ": holds ", document ? document->tensors.size() : 0,
         " arrays, expected one");
  }
  data.features = as_features(document->tensors.front(), path);
  const auto numbering = find_numbering(data.features, rows);
  if (numbering) rows->refuse_array(numbering_text(*numbering));
}

/// Fails (usage) if options for tables are given for another format.
void check_table_options(const FeatureOptions& options, const std::string& path) {
  if (!asks_for_types(options.table)) return;
  fail(ExitStatus::usage, "--features-like, and --columns with a type of features, go with tables ",
       "in text; ", path, " is none");
}

/// Fails (usage) if options for svmlight are given for another format.
void check_dense_options(const FeatureOptions& options, const std::string& path) {
  if (options.index_base == 0 && options.dim == 0) return;
  fail(ExitStatus::usage, "--index-base and --num-features go with svmlight features, and ", path,
       " is no svmlight");
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
                   const BytesRead& progress, RowNodes* rows) {
  const bool is_array = path.ends_with(".npy") || path.ends_with(".npz") ||
                        path.ends_with(".safetensors") || path.ends_with(".safetensors.zst");
  if (is_array) {
    check_dense_options(options, path);
    check_table_options(options, path);
  }
  if (path.ends_with(".npz")) {
    NumpyArrays arrays(path);
    if (!arrays.first({"indptr"}).empty() && !arrays.first({"shape"}).empty()) {
      data.sparse = read_sparse_features(arrays, "");
      return;
    }
  }
  if (is_array) return read_tensors(path, data, rows);
  PieceReader reader(path);
  const TableHead head = first_rows(reader, false);
  if (head.empty()) fail_without_rows(reader, "a line for each node");
  if (!head.json && is_sparse(head, reader.head())) {
    check_table_options(options, path);
    read_svmlight(reader, options, data, progress, rows);
  } else {
    check_dense_options(options, path);
    read_text(reader, options, data, progress, rows);
  }
}

namespace {

/// Rows of svmlight one behind the other.
struct LineRows {
  std::vector<std::uint64_t> ends;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::int32_t> labels;  ///< fewer than rows where some have none
  std::uint32_t largest = 0;         ///< index, of numbers that are 0, too
  bool any = false;
  RowIds ids;  ///< where they are in the place of labels
  std::deque<std::string> texts;

  void clear() { *this = {}; }
};

class SparseParser {
 public:
  /// `rows`: not null where lines begin with ids instead of classes.
  SparseParser(const FeatureOptions& options, const RowNodes* rows)
      : options_(options), rows_(rows) {
    limit_ = (options.dim == 0 ? kMostFeatures : options.dim) + options.index_base;
  }

  void parse(const TextPiece& piece, const std::string& name, LineRows& out) {
    out.clear();
    TableRows rows({.style = DelimitedStyle::lines(), .lines = true, .empty_rows = true}, name);
    rows.start(piece);
    rows.located([&] {
      while (rows.pass()) parse_row(rows.row(), out);
    });
  }

 private:
  void parse_row(std::string_view line, LineRows& out) {
    parse_sparse_line(line, limit_, row_);
    if (!row_.features.empty() && row_.features.front() < options_.index_base) {
      fail(ExitStatus::bad_input, "feature 0, expected indices from 1 on (--index-base 0)");
    }
    for (std::size_t i = 0; i < row_.features.size(); ++i) {
      const auto column = row_.features[i] - static_cast<std::uint32_t>(options_.index_base);
      out.largest = std::max(out.largest, column);
      if (row_.values[i] == 0) continue;
      out.columns.push_back(column);
      out.values.push_back(row_.values[i]);
    }
    out.any |= !row_.features.empty();
    out.ends.push_back(out.columns.size());
    if (row_.labels.empty() && rows_ == nullptr) return;
    if (rows_ != nullptr) return rows_->parse(kept_field(row_.labels, line, out.texts), out.ids);
    const auto label = parse_whole(row_.labels);
    if (!label || *label < -1 || *label > 0x7ffffffe) {
      const bool several = row_.labels.find(',') != std::string_view::npos;
      fail(ExitStatus::bad_input, "class '", printable(row_.labels, 40),
           "', expected a number, -1 for none",
           several ? "; several labels a node go into --labels, a column of 0 and 1 for each" : "");
    }
    out.labels.push_back(static_cast<std::int32_t>(*label));
  }

  const FeatureOptions& options_;
  const RowNodes* rows_;
  std::uint64_t limit_;
  SparseLine row_;
};

SparseRows joined_pieces(std::vector<LineRows>& pieces, std::uint64_t rows, std::uint64_t dim) {
  SparseRows all;
  all.dim = dim;
  all.offsets.reserve(rows + 1);
  std::uint64_t size = 0;
  for (const LineRows& piece : pieces) {
    for (const std::uint64_t end : piece.ends) all.offsets.push_back(size + end);
    size += piece.columns.size();
  }
  all.columns.resize(size);
  all.values.resize(size * sizeof(float));
  size = 0;
  for (LineRows& piece : pieces) {
    std::copy(piece.columns.begin(), piece.columns.end(), all.columns.data() + size);
    std::copy(piece.values.begin(), piece.values.end(), all.floats().data() + size);
    size += piece.columns.size();
    piece.clear();
  }
  return all;
}

void check_labelled(const std::string& path, std::size_t labels, std::size_t rows) {
  if (labels == 0 || labels == rows) return;
  fail(ExitStatus::bad_input, path, ": ", labels, " of ", rows,
       " lines have a class, expected all or none (-1 is no class)");
}

/// Lines that begin with a number each of its own begin with no class.
void refuse_numbers(const std::vector<std::int32_t>& labels, const RowNodes& rows) {
  std::vector<std::int32_t> sorted(labels);
  std::sort(sorted.begin(), sorted.end());
  const bool differ = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (labels.size() >= kFewestSuspicious && differ) {
    rows.refuse("the first number of a line, different in all,", "1");
  }
}

}  // namespace

void read_svmlight(PieceReader& reader, const FeatureOptions& options, NodeData& data,
                   const BytesRead& progress, RowNodes* rows) {
  if (rows != nullptr) rows->find_first();
  const bool ids = rows != nullptr && rows->by_id();
  std::vector<LineRows> pieces;
  std::uint64_t num_rows = 0, largest = 0;
  bool any = false;
  std::vector<std::int32_t> labels;
  read_pieces<LineRows>(
      reader,
      [&](const TextPiece& piece, LineRows& out) {
        SparseParser(options, ids ? rows : nullptr).parse(piece, reader.name(), out);
      },
      [&](LineRows& piece) {
        num_rows += piece.ends.size();
        if (ids) rows->take(piece.ids);
        any |= piece.any;
        largest = std::max<std::uint64_t>(largest, piece.largest);
        labels.insert(labels.end(), piece.labels.begin(), piece.labels.end());
        pieces.push_back(std::move(piece));
        if (progress) progress(reader.bytes_read());
      });
  if (ids) rows->check_distinct();
  check_labelled(reader.name(), labels.size(), num_rows);
  if (rows != nullptr && rows->suspicious()) refuse_numbers(labels, *rows);
  const std::uint64_t dim = options.dim != 0 ? options.dim : any ? largest + 1 : 0;
  if (dim == 0) fail(ExitStatus::bad_input, reader.name(), ": has no features");
  data.sparse = joined_pieces(pieces, num_rows, dim);
  if (labels.empty()) return;
  data.labels = {};
  take_class_numbers(std::move(labels), data.labels);
}

}  // namespace frugal::gnn
