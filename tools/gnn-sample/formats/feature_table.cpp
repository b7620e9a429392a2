#include "tools/gnn-sample/formats/feature_table.h"

#include <algorithm>
#include <array>
#include <deque>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/header_guess.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/data/row_encoder.h"
#include "tools/gnn-sample/data/table_fields.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/text_table.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kMostListed = 20;  ///< columns whose types are logged one by one

/// A piece of a table while it is read.
struct ReadPiece {
  FieldPiece fields;
  RowIds ids;
  std::deque<std::string> texts;  ///< ids that do not stand in the text as they are
};

/// The columns to read, by their places in the table.
struct PlacedColumns {
  std::vector<std::size_t> places;
  std::vector<FeatureColumn> columns;
  std::vector<bool> typed;  ///< false: by the column's values
  bool raw = false;         ///< numbers as they are, of which none may be missing

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
  std::vector<std::string> needed;
  for (const FeatureColumn& column : like.columns) needed.push_back(column.name);
  for (const std::string& name : needed) placed.places.push_back(names.find_needed(name, needed));
  placed.typed.assign(like.columns.size(), true);
  placed.raw = like.are_raw();
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

/// Fails (bad_input), without a place, if a field is not UTF-8, not of its column's type, or
/// missing among `raw` numbers.
void check_field(std::string_view field, const FeatureColumn& column, bool is_typed, bool raw,
                 char separator) {
  for (std::string_view rest = field; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) {
      fail(ExitStatus::bad_input, "column '", printable(column.name), "' has '",
           printable(field, 40), "', expected UTF-8 (iconv -t UTF-8 makes it)");
    }
    rest.remove_prefix(length);
  }
  if (!is_typed || !is_number_type(column.type)) return;
  if (is_missing_number(field) && !raw) return;
  if (number_of(field, column.type, separator)) return;
  fail(ExitStatus::bad_input, "column '", printable(column.name), "' has '", printable(field, 40),
       "', expected a ", kFeatureTypes.name(column.type), raw ? "" : " or a missing value");
}

TableForm form_of_table(const FeatureTable& table, const PlacedColumns& placed) {
  std::vector<std::size_t> used(placed.places);
  if (table.id) used.push_back(*table.id);
  TableForm form = form_of_rows(table.head, table.header, used);
  form.empty_rows = table.head.first().size() == 1 && !table.head.json;  // a missing value
  return form;
}

void parse_fields(const TextPiece& piece, const std::string& name, const FeatureTable& table,
                  const PlacedColumns& placed, const RowNodes* rows, ReadPiece& out) {
  out = {};
  TableRows lines(form_of_table(table, placed), name);
  for_each_row(lines, piece, [&] {
    const auto& fields = lines.fields();
    out.fields.lines.push_back(lines.line());
    for (std::size_t i = 0; i < placed.places.size(); ++i) {
      const std::string_view field = trim(fields[placed.places[i]]);
      check_field(field, placed.columns[i], placed.typed[i], placed.raw, table.head.separator);
      out.fields.add(field);
    }
    if (!table.id) return;
    rows->parse(kept_field(trim(fields[*table.id]), lines.row(), out.texts), out.ids);
  });
}

TableFields read_fields(PieceReader& reader, const FeatureTable& table, const PlacedColumns& placed,
                        const BytesRead& progress, RowNodes* rows) {
  TableFields all(placed.places.size(), table.head.separator, reader.name());
  const TableForm form = form_of_table(table, placed);
  if (!form.lines) reader.set_style(form.style);
  read_pieces<ReadPiece>(
      reader,
      [&](const TextPiece& piece, ReadPiece& out) {
        parse_fields(piece, reader.name(), table, placed, rows, out);
      },
      [&](ReadPiece& piece) {
        if (table.id) rows->take(piece.ids);
        all.add(std::move(piece.fields));
        if (progress) progress(reader.bytes_read());
      });
  if (table.id) rows->check_distinct();
  return all;
}

/// Fails (usage) if a column whose type is guessed looks like ids of nodes: if it numbers the rows,
/// or if its texts are the nodes' names.
void refuse_ids(const TableFields& fields, const FeatureTable& table, const PlacedColumns& placed,
                const RowNodes* rows) {
  if (rows == nullptr || table.id || !rows->suspicious()) return;
  TableColumns columns;
  columns.head = table.head;
  columns.has_header = table.header;
  std::vector<std::size_t> texts;
  std::size_t num_rows = 0;
  for (const FieldPiece& piece : fields.pieces()) num_rows += fields.rows(piece);
  for (std::size_t i = 0; i < placed.places.size(); ++i) {
    if (placed.typed[i]) continue;
    if (placed.columns[i].type == FeatureType::words) {
      texts.push_back(i);
      columns.unread.push_back(placed.places[i]);
    } else if (num_rows >= kFewestSuspicious && fields.is_numbering(i)) {
      rows->refuse("column '" + printable(placed.columns[i].name) + "', which numbers the rows,",
                   placed.columns[i].name);
    }
  }
  IdSuspicion suspicion(rows, columns);
  std::vector<std::string_view> row(texts.size());
  for (const FieldPiece& piece : fields.pieces()) {
    for (std::size_t r = 0; r < fields.rows(piece); ++r) {
      for (std::size_t i = 0; i < texts.size(); ++i) {
        row[i] = piece.field(r * fields.width() + texts[i]);
      }
      suspicion.add(row);
    }
  }
  suspicion.finish();
}

/// The head with numbers whose decimal point is a comma as programs write them.
TableHead with_points(TableHead head) {
  for (TableRow& row : head.rows) {
    for (std::string& field : row) {
      const auto number = parse_number_between<double>(field, head.separator);
      if (number) field = format_number(*number);
    }
  }
  return head;
}

/// True if options name a column so.
bool is_declared_name(const std::string& field, const FeatureTableOptions& options) {
  const auto is_named = [&](const auto& column) { return column.name == field; };
  return !field.empty() && !parse_number<double>(field) &&
         (std::ranges::any_of(options.declared, is_named) || field == options.label_column ||
          field == options.split_column ||
          (options.like && std::ranges::any_of(options.like->columns, is_named)));
}

bool has_header(const TableHead& head, const FeatureTableOptions& options, const RowNodes* rows,
                const std::string& path) {
  const TableRow& first = head.first();
  const auto is_declared = [&](const std::string& field) {
    return is_declared_name(field, options);
  };
  if (head.json || std::ranges::any_of(first, is_declared)) return true;
  const TableHead pointed = with_points(head);
  const HeaderGuess guess = guess_header(pointed.rows);
  if (first.size() != 1 && guess.is_sure) return guess.is_header;
  const auto is_number = [](const std::string& field) {
    return parse_number<double>(field).has_value();
  };
  if (std::ranges::none_of(first, is_number) && stands_apart(head.rows)) {
    log_info(path, ": the first row (", joined(first), ") is taken as names of columns, since it ",
             "has no value of the rows below");
    return true;
  }
  if (first.size() != 1) {
    return names_columns(pointed, "", std::nullopt, rows, path);
  }
  if (is_number(first[0]) || head.rows.size() < 2) return false;
  if (is_number(head.rows[1][0])) return true;
  log_info(path, ": the first row (", first[0],
           ") is taken as data (--columns NAME:TYPE makes it a name)");
  return false;
}

/// The first rows of a text whose fields are separated by tabs, if it has any and is not of
/// numbers alone, which blanks may separate, too.
TableHead head_of(PieceReader& reader) {
  TableHead head = first_rows(reader, false);
  if (head.json || head.separator != ' ' || head.empty()) return head;
  const auto is_plain = [&](const TableRow& row) {
    return row.size() == head.first().size() &&
           std::ranges::all_of(row, [](const std::string& field) {
             return parse_number<double>(field).has_value() || is_missing_number(field);
           });
  };
  if (std::all_of(head.rows.begin() + 1, head.rows.end(), is_plain)) return head;
  return first_rows(reader, true);
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

/// A label among the features would be learnt instead of the rest.
void warn_of_labels(const FeatureTable& table, const FeatureTableOptions& options,
                    const std::string& path) {
  if (!table.header || options.like) return;
  const TableRow& names = table.head.first();
  for (const std::size_t c : table.features()) {
    const bool usual =
        std::ranges::any_of(std::array{"label", "labels", "target", "class", "y", "split"},
                            [&](const char* name) { return names[c] == name; });
    const bool declared = std::ranges::any_of(
        options.declared, [&](const auto& column) { return column.name == names[c]; });
    if (!usual || declared) continue;
    log_warning(path, ": column '", names[c], "' is a feature; --columns ", names[c],
                ":ignore leaves it out");
  }
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

FeatureColumns FeatureTable::raw_columns(const std::string& path) const {
  constexpr std::size_t kMostNamed = 10000;
  const std::vector<std::size_t> places = features();
  if (places.size() > kMostNamed) return {};
  const ColumnNames all = names(path);
  std::vector<std::string> named;
  for (const std::size_t place : places) named.push_back(all[place]);
  return FeatureColumns::raw(named);
}

void FeatureTable::warn_of_losses(const std::vector<FloatLoss>& losses,
                                  const std::string& path) const {
  const ColumnNames all = names(path);
  const std::vector<std::size_t> places = features();
  frugal::warn_of_losses(
      losses, [&](std::size_t f) { return path + ": column '" + printable(all[places[f]]) + "'"; },
      ", or let --columns *:number centre and scale the numbers before they are rounded");
}

FeatureTable feature_table(PieceReader& reader, const FeatureTableOptions& options,
                           RowNodes* rows) {
  FeatureTable table;
  table.head = head_of(reader);
  const auto is_known = [&](const std::string& name) {
    const bool is_id =
        rows != nullptr && std::ranges::find(rows->id_columns(), name) != rows->id_columns().end();
    return is_id || is_declared_name(name, options);
  };
  table.header = take_comment_names(is_known, table.head) ||
                 has_header(table.head, options, rows, reader.name());
  table.decimal_marks = DecimalMarks(table.head.separator, table.head.rows,
                                     table.header ? table.head.first() : TableRow{});
  if (rows != nullptr) table.id = rows->find(table.head.first(), table.header);
  const ColumnNames names = table.names(reader.name());
  if (const auto label = label_place(names, table, options)) table.others.push_back(*label);
  if (const auto split = split_place(names, options)) table.others.push_back(*split);
  for (const auto& declared : options.declared) {
    if (declared.type != FeatureType::ignore || declared.name == kOtherColumns) continue;
    if (options.lenient && !names.has(declared.name)) continue;
    table.others.push_back(names.find(declared.name));
  }
  warn_of_labels(table, options, reader.name());
  return table;
}

bool asks_for_types(const FeatureTableOptions& options) {
  const auto typed = [](const auto& column) { return column.type != FeatureType::ignore; };
  return options.like || std::ranges::any_of(options.declared, typed);
}

bool has_types(const FeatureTable& table, const FeatureTableOptions& options) {
  if (asks_for_types(options)) return true;
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
  const TableFields fields = read_fields(reader, table, placed, progress, rows);
  const auto first_rows = std::span(table.head.rows).subspan(table.header ? 1 : 0);
  for (std::size_t c = 0; c < placed.columns.size(); ++c) {
    const FeatureColumn& column = placed.columns[c];
    if (column.type != FeatureType::date) continue;
    warn_of_first_day(reader.name(), column.name, placed.places[c], first_rows);
  }
  if (!options.like) {
    parallel_for(placed.columns.size(), 1, [&](std::size_t c) {
      FeatureColumn& column = placed.columns[c];
      if (!placed.typed[c]) column.type = fields.guess_type(c, column.name);
      if (column.type == FeatureType::words) column.buckets = options.buckets;
      fields.fit(c, column);
    });
    refuse_ids(fields, table, placed, rows);
  }
  data.columns.columns = std::move(placed.columns);
  if (options.like) fields.say_unknown(data.columns);
  data.sparse = fields.encode(data.columns);
  if (!options.like) log_types(data.columns, reader.name());
}

}  // namespace frugal::gnn
