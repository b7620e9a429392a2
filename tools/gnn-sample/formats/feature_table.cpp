#include "tools/gnn-sample/formats/feature_table.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "libcore/base/hash.h"
#include "libcore/base/hash_index.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/data/row_encoder.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/text_table.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kMostGuessed = 1000;  ///< values of a column that is guessed as a category
constexpr std::size_t kMostListed = 20;     ///< columns whose types are logged one by one

/// Fields of the feature columns of a piece, row by row.
struct FieldPiece {
  std::string bytes;
  std::vector<std::size_t> ends;
  RowIds ids;
  std::deque<std::string> texts;  ///< ids that do not stand in the text as they are

  std::string_view field(std::size_t at) const {
    const std::size_t begin = at == 0 ? 0 : ends[at - 1];
    return std::string_view(bytes).substr(begin, ends[at] - begin);
  }
};

/// All fields of the feature columns.
class Fields {
 public:
  Fields(std::size_t width, char separator) : width_(width), separator_(separator) {}

  void add(FieldPiece&& piece) { pieces_.push_back(std::move(piece)); }
  std::size_t width() const { return width_; }
  char separator() const { return separator_; }
  const std::vector<FieldPiece>& pieces() const { return pieces_; }
  std::size_t rows(const FieldPiece& piece) const { return piece.ends.size() / width_; }

  /// Calls use(field) for the column's field of each row.
  template <class Use>
  void for_each(std::size_t column, const Use& use) const {
    for (const FieldPiece& piece : pieces_) {
      for (std::size_t at = column; at < piece.ends.size(); at += width_) use(piece.field(at));
    }
  }

 private:
  std::size_t width_;
  char separator_;
  std::vector<FieldPiece> pieces_;
};

/// The type that a column's values have.
FeatureType guess_type(const Fields& fields, std::size_t column) {
  std::size_t filled = 0, numbers = 0, dates = 0;
  HashIndex values;
  fields.for_each(column, [&](std::string_view field) {
    if (is_missing_number(field)) return;
    ++filled;
    numbers += number_of(field, FeatureType::number, fields.separator()).has_value();
    dates += dates + 1 == filled && parse_date(field).has_value();
    if (values.size() <= kMostGuessed) values.insert(hash_bytes(field));
  });
  if (filled == 0) return FeatureType::ignore;
  if (numbers == filled) return FeatureType::number;
  if (dates == filled) return FeatureType::date;
  const bool recur = values.size() <= kMostGuessed && 2 * values.size() <= filled;
  return recur ? FeatureType::category : FeatureType::words;
}

/// Mean and deviation of the column's numbers, whose sums are in the order of the rows.
void measure(const Fields& fields, std::size_t at, FeatureColumn& column) {
  const auto sum = [&](const auto& of) {
    double total = 0;
    fields.for_each(at, [&](std::string_view field) {
      const auto number = number_of(field, column.type, fields.separator());
      if (number) total += of(*number);
    });
    return total;
  };
  const double count = sum([](double) { return 1.0; });
  std::size_t rows = 0;
  for (const FieldPiece& piece : fields.pieces()) rows += fields.rows(piece);
  column.marks_missing = count < static_cast<double>(rows);
  if (count == 0) return;
  column.mean = sum([](double x) { return x; }) / count;
  const double variance =
      sum([&](double x) { return (x - column.mean) * (x - column.mean); }) / count;
  if (variance > 0 && std::isfinite(variance)) column.deviation = std::sqrt(variance);
}

void list_values(const Fields& fields, std::size_t at, FeatureColumn& column,
                 const std::string& path) {
  fields.for_each(at, [&](std::string_view field) {
    for_each_value(field, column.separator,
                   [&](std::string_view value) { column.values.emplace_back(value); });
    if (column.values.size() < 4 * kMostCategories) return;
    std::sort(column.values.begin(), column.values.end());
    column.values.erase(std::unique(column.values.begin(), column.values.end()),
                        column.values.end());
    if (column.values.size() <= kMostCategories) return;
    fail(ExitStatus::bad_input, path, ": column '", printable(column.name), "' has more than ",
         kMostCategories, " values; expected a category of fewer, or ", printable(column.name),
         ":words, which are hashed");
  });
  std::sort(column.values.begin(), column.values.end());
  column.values.erase(std::unique(column.values.begin(), column.values.end()), column.values.end());
}

/// The columns to read, by their places in the table.
struct PlacedColumns {
  std::vector<std::size_t> places;
  std::vector<FeatureColumn> columns;
  std::vector<bool> typed;  ///< false: by the column's values

  void add(std::size_t place, std::string name, FeatureType type, std::string separator,
           bool is_typed) {
    places.push_back(place);
    FeatureColumn& column = columns.emplace_back();
    column.name = std::move(name);
    column.type = type;
    column.separator = std::move(separator);
    typed.push_back(is_typed);
  }
};

PlacedColumns place_like(const FeatureColumns& like, const ColumnNames& names) {
  PlacedColumns placed;
  placed.columns = like.columns;
  for (const FeatureColumn& column : like.columns) placed.places.push_back(names.find(column.name));
  placed.typed.assign(like.columns.size(), true);
  return placed;
}

PlacedColumns place_columns(const FeatureTable& table, const FeatureTableOptions& options,
                            const ColumnNames& names) {
  if (options.like) return place_like(*options.like, names);
  auto declared = options.declared;
  if (options.lenient) {
    std::erase_if(declared,
                  [&](const auto& c) { return c.name != kOtherColumns && !names.has(c.name); });
  }
  PlacedColumns placed;
  const auto found = kFeatureTypes.place(declared, names);
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto type =
        std::find_if(found.begin(), found.end(), [c](const auto& f) { return f.index == c; });
    const bool named = type != found.end() && type->is_named;
    if (named ? type->type == FeatureType::ignore : !table.is_feature(c)) continue;
    if (type == found.end()) {
      placed.add(c, names[c], FeatureType::ignore, "", false);
    } else if (type->type != FeatureType::ignore) {
      placed.add(c, names[c], type->type, type->separator, true);
    }
  }
  return placed;
}

/// Fails (bad_input), without a place, if a field is not of its column's type.
void check_field(std::string_view field, const FeatureColumn& column, char separator) {
  if (!is_number_type(column.type) || is_missing_number(field)) return;
  if (number_of(field, column.type, separator)) return;
  fail(ExitStatus::bad_input, "column '", printable(column.name), "' has '", printable(field, 40),
       "', expected a ", kFeatureTypes.name(column.type), " or a missing value");
}

void parse_fields(const TextPiece& piece, const std::string& name, const FeatureTable& table,
                  const PlacedColumns& placed, const RowNodes* rows, FieldPiece& out) {
  out = {};
  std::vector<std::size_t> used(placed.places);
  if (table.id) used.push_back(*table.id);
  TableRows lines(form_of(table.head, table.header, used), name);
  for_each_row(lines, piece, [&] {
    const auto& fields = lines.fields();
    for (std::size_t i = 0; i < placed.places.size(); ++i) {
      const std::string_view field = fields[placed.places[i]];
      if (placed.typed[i]) check_field(field, placed.columns[i], table.head.separator);
      out.bytes += field;
      out.ends.push_back(out.bytes.size());
    }
    if (table.id) rows->parse(kept_field(fields[*table.id], lines.row(), out.texts), out.ids);
  });
}

Fields read_fields(PieceReader& reader, const FeatureTable& table, const PlacedColumns& placed,
                   const BytesRead& progress, RowNodes* rows) {
  Fields all(placed.places.size(), table.head.separator);
  read_pieces<FieldPiece>(
      reader,
      [&](const TextPiece& piece, FieldPiece& out) {
        parse_fields(piece, reader.name(), table, placed, rows, out);
      },
      [&](FieldPiece& piece) {
        if (table.id) rows->take(piece.ids);
        piece.ids = {};
        piece.texts = {};
        all.add(std::move(piece));
        if (progress) progress(reader.bytes_read());
      });
  if (table.id) rows->check_distinct();
  return all;
}

/// Fails (usage) if a column whose type is guessed looks like ids of nodes.
void refuse_ids(const Fields& fields, const FeatureTable& table, const PlacedColumns& placed,
                const RowNodes* rows) {
  if (rows == nullptr || table.id || !rows->suspicious()) return;
  TableColumns columns;
  columns.head = table.head;
  columns.has_header = table.header;
  for (std::size_t i = 0; i < placed.places.size(); ++i) {
    if (!placed.typed[i]) columns.unread.push_back(placed.places[i]);
  }
  IdSuspicion suspicion(rows, columns);
  std::vector<std::string_view> row;
  for (const FieldPiece& piece : fields.pieces()) {
    for (std::size_t r = 0; r < fields.rows(piece); ++r) {
      row.clear();
      for (std::size_t i = 0; i < placed.places.size(); ++i) {
        if (!placed.typed[i]) row.push_back(piece.field(r * fields.width() + i));
      }
      suspicion.add(row);
    }
  }
  suspicion.finish();
}

void fit(const Fields& fields, std::size_t at, bool is_typed, const FeatureTableOptions& options,
         const std::string& path, FeatureColumn& column) {
  if (!is_typed) column.type = guess_type(fields, at);
  if (is_number_type(column.type)) measure(fields, at, column);
  if (column.type == FeatureType::category) list_values(fields, at, column, path);
  if (column.type == FeatureType::words) column.buckets = options.buckets;
}

SparseRows encode(const Fields& fields, const FeatureColumns& columns, const std::string& path) {
  const std::size_t dim = columns.num_features();
  if (dim == 0) fail(ExitStatus::bad_input, path, ": has no features");
  if (dim > kMostFeatures) {
    fail(ExitStatus::bad_input, path, ": has ", dim, " features, expected at most ", kMostFeatures);
  }
  std::vector<RowFeatures> pieces(fields.pieces().size());
  std::vector<std::vector<std::uint64_t>> ends(pieces.size());
  parallel_for(pieces.size(), 1, [&](std::size_t p) {
    const FieldPiece& piece = fields.pieces()[p];
    RowEncoder encoder(columns, fields.separator());
    for (std::size_t r = 0; r < fields.rows(piece); ++r) {
      std::size_t first = 0;
      for (std::size_t c = 0; c < columns.columns.size(); ++c) {
        encoder.add(c, piece.field(r * fields.width() + c), first, pieces[p]);
        first += columns.columns[c].num_features();
      }
      ends[p].push_back(pieces[p].columns.size());
    }
  });
  SparseRows all;
  all.dim = dim;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::uint64_t before = all.columns.size();
    for (const std::uint64_t end : ends[p]) all.offsets.push_back(before + end);
    all.columns.insert(all.columns.end(), pieces[p].columns.begin(), pieces[p].columns.end());
    const auto* const bytes = reinterpret_cast<const std::byte*>(pieces[p].values.data());
    all.values.insert(all.values.end(), bytes, bytes + pieces[p].values.size() * sizeof(float));
    pieces[p] = {};
  }
  return all;
}

bool has_header(const TableHead& head, const FeatureTableOptions& options, const RowNodes* rows,
                const std::string& path) {
  const TableRow& first = head.first();
  const auto is_declared = [&](const std::string& field) {
    const auto is_named = [&](const auto& column) { return column.name == field; };
    return !parse_number<double>(field) &&
           (std::ranges::any_of(options.declared, is_named) ||
            (options.like && std::ranges::any_of(options.like->columns, is_named)));
  };
  if (std::any_of(first.begin(), first.end(), is_declared)) return true;
  if (first.size() != 1 || head.json) return names_columns(head, "", std::nullopt, rows, path);
  const bool above_number = head.rows.size() > 1 && parse_number<double>(head.rows[1][0]);
  return !parse_number<double>(first[0]) && above_number;
}

/// The column with that name; or with that number, if it is of the same file.
std::optional<std::size_t> other_place(const ColumnNames& names, const std::string& column,
                                       bool same_file) {
  const bool is_number = parse_number<std::uint64_t>(column).has_value();
  if (column.empty() || (!names.has(column) && !(same_file && is_number))) return std::nullopt;
  return names.find(column);
}

std::optional<std::size_t> label_place(const ColumnNames& names, const FeatureTable& table,
                                       const FeatureTableOptions& options) {
  if (!options.label_column.empty()) {
    return other_place(names, options.label_column, options.has_labels);
  }
  if (!options.has_labels || !table.header) return std::nullopt;
  return find_role(ColumnRole::label, table.head.first());
}

std::optional<std::size_t> split_place(const ColumnNames& names,
                                       const FeatureTableOptions& options) {
  const bool usual = options.split_column.empty() && options.has_split;
  return other_place(names, usual ? "split" : options.split_column, options.has_split);
}

void log_types(const FeatureColumns& columns, const std::string& path) {
  std::vector<std::string> texts = columns.summaries();
  const std::size_t more = texts.size() - std::min(texts.size(), kMostListed);
  texts.resize(texts.size() - more);
  log_info(path, ": features of ", joined(texts),
           more == 0 ? "" : " and " + std::to_string(more) + " other columns",
           " (--columns NAME:TYPE chooses other types)");
}

}  // namespace

bool FeatureTable::is_feature(std::size_t column) const {
  return column != id && std::find(others.begin(), others.end(), column) == others.end();
}

std::vector<std::size_t> FeatureTable::features() const {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < head.first().size(); ++c) {
    if (is_feature(c)) columns.push_back(c);
  }
  return columns;
}

ColumnNames FeatureTable::names(const std::string& path) const {
  const TableRow& first = head.first();
  return {header ? first : TableRow{}, first.size(), path};
}

FeatureTable feature_table(PieceReader& reader, const FeatureTableOptions& options,
                           RowNodes* rows) {
  FeatureTable table;
  table.head = first_rows(reader, false);
  table.header = has_header(table.head, options, rows, reader.name());
  if (rows != nullptr) table.id = rows->find(table.head.first(), table.header);
  const ColumnNames names = table.names(reader.name());
  if (const auto label = label_place(names, table, options)) table.others.push_back(*label);
  if (const auto split = split_place(names, options)) table.others.push_back(*split);
  for (const auto& declared : options.declared) {
    if (declared.type != FeatureType::ignore || declared.name == kOtherColumns) continue;
    if (options.lenient && !names.has(declared.name)) continue;
    table.others.push_back(names.find(declared.name));
  }
  return table;
}

bool has_types(const FeatureTable& table, const FeatureTableOptions& options) {
  const auto typed = [](const auto& column) { return column.type != FeatureType::ignore; };
  if (options.like || std::any_of(options.declared.begin(), options.declared.end(), typed)) {
    return true;
  }
  for (std::size_t r = table.header ? 1 : 0; r < table.head.rows.size(); ++r) {
    const TableRow& row = table.head.rows[r];
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool counts = table.is_feature(c) && !is_missing_number(row[c]);
      if (counts && !parse_number_between<double>(row[c], table.head.separator)) return true;
    }
  }
  return false;
}

void read_feature_table(PieceReader& reader, const FeatureTable& table,
                        const FeatureTableOptions& options, NodeData& data,
                        const BytesRead& progress, RowNodes* rows) {
  PlacedColumns placed = place_columns(table, options, table.names(reader.name()));
  if (placed.places.empty()) fail(ExitStatus::bad_input, reader.name(), ": has no features");
  const Fields fields = read_fields(reader, table, placed, progress, rows);
  if (!options.like) {
    refuse_ids(fields, table, placed, rows);
    parallel_for(placed.columns.size(), 1, [&](std::size_t c) {
      fit(fields, c, placed.typed[c], options, reader.name(), placed.columns[c]);
    });
  }
  data.columns.columns = std::move(placed.columns);
  data.sparse = encode(fields, data.columns, reader.name());
  if (!options.like) log_types(data.columns, reader.name());
}

}  // namespace frugal::gnn
