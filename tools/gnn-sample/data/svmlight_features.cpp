#include "tools/gnn-sample/data/svmlight_features.h"

#include <algorithm>
#include <deque>

#include "libcore/base/text.h"
#include "libcore/io/svmlight.h"
#include "libcore/io/table_rows.h"

namespace frugal::gnn {
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
    const auto label = parse_number<std::int64_t>(row_.labels.substr(row_.labels.starts_with('+')));
    if (!label || *label < -1 || *label > 0x7ffffffe) {
      fail(ExitStatus::bad_input, "class '", printable(row_.labels, 40),
           "', expected a number, -1 for none");
    }
    out.labels.push_back(static_cast<std::int32_t>(*label));
  }

  const FeatureOptions& options_;
  const RowNodes* rows_;
  std::uint64_t limit_;
  SparseLine row_;
};

SparseRows joined(std::vector<LineRows>& pieces, std::uint64_t rows, std::uint64_t dim) {
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
  data.sparse = joined(pieces, num_rows, dim);
  if (labels.empty()) return;
  data.labels = {};
  data.labels.num_classes =
      static_cast<std::size_t>(std::max(-1, *std::max_element(labels.begin(), labels.end())) + 1);
  data.labels.classes = std::move(labels);
}

}  // namespace frugal::gnn
