#include "tools/gnn-sample/formats/node_labels.h"

#include <algorithm>
#include <cmath>

#include "libcore/arrays/npy.h"
#include "libcore/base/text.h"
#include "libcore/graph/node_names.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/skipped_comments.h"
#include "libcore/tensors/number_tensor.h"
#include "tools/gnn-sample/data/class_numbers.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/text_table.h"

namespace frugal::gnn {
namespace {

NodeLabels read_column(PieceReader& reader, const TableColumns& columns, LabelType type,
                       RowNodes* rows) {
  NodeNames texts;
  std::vector<NodeId> numbers;
  read_columns<std::string_view>(
      reader, columns, rows,
      [&](std::string_view field) {
        return columns.whole_lines ? unquoted(trim(field)) : trim(field);
      },
      [&](std::vector<std::string_view>& fields) {
        for (const std::string_view field : fields) numbers.push_back(texts.number(field));
      });
  NodeLabels labels;
  if (!take_value_texts(texts, numbers, type, columns.head.separator, reader.name(), labels)) {
    take_class_texts(texts, numbers, reader.name(), labels);
  }
  return labels;
}

/// Takes the names of the columns, if they are distinct lines of text.
void name_classes(const TableColumns& columns, NodeLabels& labels) {
  std::vector<std::string> names;
  for (const std::size_t c : columns.wanted) names.push_back(columns.head.first()[c]);
  std::vector<std::string> sorted(names);
  std::sort(sorted.begin(), sorted.end());
  const bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  const auto is_line = [](const std::string& name) {
    return !name.empty() && name.find('\n') == std::string::npos;
  };
  if (distinct && std::ranges::all_of(names, is_line)) labels.class_names = std::move(names);
}

/// True if all first rows below a header are of 0 and 1.
bool has_marks(const TableHead& head) {
  const auto is_mark = [](const std::string& field) {
    return field == "0" || field == "1" || field == "0.0" || field == "1.0";
  };
  const auto is_row = [&](const TableRow& row) { return std::ranges::all_of(row, is_mark); };
  return head.rows.size() > 1 && std::all_of(head.rows.begin() + 1, head.rows.end(), is_row);
}

NodeLabels read_matrix(PieceReader& reader, const TableColumns& columns, RowNodes* rows) {
  NodeLabels labels;
  labels.num_classes = columns.wanted.size();
  if (columns.has_header) name_classes(columns, labels);
  read_columns<std::uint8_t>(
      reader, columns, rows,
      [](std::string_view field) -> std::uint8_t {
        if (field == "0" || field == "0.0") return 0;
        if (field == "1" || field == "1.0") return 1;
        fail(ExitStatus::bad_input, "found '", printable(field, 40),
             "', expected 0 or 1 for each class (--columns NAME:label for one of "
             "the columns, NAME:id for ids)");
      },
      [&](std::vector<std::uint8_t>& row) {
        labels.matrix.insert(labels.matrix.end(), row.begin(), row.end());
      });
  return labels;
}

/// Takes a column of floating-point numbers as numbers to predict; false: it has classes.
bool take_values(const Tensor& tensor, const std::string& place, LabelType type,
                 NodeLabels& labels) {
  const bool column =
      tensor.shape.size() == 1 || (tensor.shape.size() == 2 && tensor.shape[1] == 1);
  if (type == LabelType::classes || !column) return false;
  const bool whole = tensor.dtype != Dtype::f32 && tensor.dtype != Dtype::f64 &&
                     tensor.dtype != Dtype::f16 && tensor.dtype != Dtype::bf16;
  if (whole && type == LabelType::automatic) return false;
  const Tensor floats = to_floats(tensor, place);
  const auto numbers = floats.as<float>();
  const auto has_fraction = [](float x) { return std::isfinite(x) && x != std::floor(x); };
  if (type == LabelType::automatic && std::ranges::none_of(numbers, has_fraction)) return false;
  labels.values.assign(numbers.begin(), numbers.end());
  const auto infinite = std::ranges::find_if(labels.values, [](float x) { return std::isinf(x); });
  if (infinite == labels.values.end()) return true;
  fail(ExitStatus::bad_input, place, ": label of node ", infinite - labels.values.begin(),
       " is infinite, expected a finite number that F32 holds, or NaN for none");
}

/// Labels of texts of fixed width, [nodes, width] bytes that are 0 behind each text.
NodeLabels labels_of_texts(const Tensor& tensor, const std::string& place, LabelType type) {
  if (tensor.shape.size() != 2) {
    fail(ExitStatus::bad_input, place, ": labels are texts in ", tensor.shape.size() - 1,
         " dimensions, expected [nodes]");
  }
  const auto width = static_cast<std::size_t>(tensor.shape[1]);
  const auto* const bytes = reinterpret_cast<const char*>(tensor.content().data());
  NodeNames texts;
  std::vector<NodeId> numbers;
  for (std::size_t v = 0; v < tensor.shape[0]; ++v) {
    const std::string_view padded(bytes + v * width, width);
    numbers.push_back(texts.number(trim(padded.substr(0, padded.find_last_not_of('\0') + 1))));
  }
  NodeLabels labels;
  if (!take_value_texts(texts, numbers, type, ',', place, labels)) {
    take_class_texts(texts, numbers, place, labels);
  }
  return labels;
}

}  // namespace

NodeLabels labels_of(const Tensor& tensor, const std::string& place, LabelType type) {
  NodeLabels labels;
  if (take_values(tensor, place, type, labels)) return labels;
  const std::vector<std::int64_t> values = to_integers(tensor, place);
  const bool matrix = tensor.shape.size() == 2 && tensor.shape[1] > 1;
  if (tensor.shape.empty() || tensor.shape.size() > 2 ||
      (tensor.shape.size() == 2 && !matrix && tensor.shape[1] == 0)) {
    fail(ExitStatus::bad_input, place, ": labels are ", shape_text(tensor.shape),
         ", expected [nodes] or [nodes, classes]");
  }
  if (matrix) labels.num_classes = static_cast<std::size_t>(tensor.shape[1]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value = values[i];
    if (matrix ? value != 0 && value != 1 : value < -1 || value > kMostClasses) {
      fail(ExitStatus::bad_input, place, ": label ", value, " of node ",
           i / std::max<std::size_t>(labels.num_classes, 1),
           matrix ? ", expected 0 or 1 for each class" : ", expected a class or -1");
    }
    if (matrix) {
      labels.matrix.push_back(static_cast<std::uint8_t>(value));
    } else {
      labels.classes.push_back(static_cast<std::int32_t>(value));
    }
  }
  if (!matrix) take_class_numbers(std::move(labels.classes), labels);
  return labels;
}

namespace {

NodeLabels read_array(const std::string& path, LabelType type) {
  const Tensor tensor = read_npy(path);
  return npy_text_width(path) != 0 ? labels_of_texts(tensor, path, type)
                                   : labels_of(tensor, path, type);
}

}  // namespace

NodeLabels read_labels(const std::string& path, const std::string& column, RowNodes* rows,
                       LabelType type) {
  if (path.ends_with(".npy")) return read_array(path, type);
  PieceReader reader(path);
  TableColumns columns;
  columns.head = first_rows(reader, true);
  if (columns.head.empty()) fail_without_rows(reader, "a label a line");
  const bool commented = find_comment_names(column, ColumnRole::label, rows, columns.head);
  const TableRow& fields = columns.head.first();
  const bool named =
      commented || names_columns(columns.head, column, ColumnRole::label, rows, path);
  if (named && fields.size() > 1) columns.has_header = true;
  auto picked = pick_column(columns.head, named, column, ColumnRole::label, path);
  const bool one = fields.size() == 1;
  if (columns.head.json && one && !picked) picked = 0;
  find_ids(rows, picked, columns);
  if (!picked && columns.id && fields.size() == 2) picked = 1 - *columns.id;
  columns.has_header = picked && named;
  if (picked && (!one || columns.head.json)) {
    columns.wanted = {*picked};
    return read_column(reader, columns, type, rows);
  }
  const bool all_numbers = std::all_of(fields.begin(), fields.end(), [](const std::string& f) {
    return parse_number<double>(f).has_value();
  });
  if (one || (columns.head.separator == ' ' && !all_numbers)) {
    columns.whole_lines = true;
    columns.has_header = named && one;
    return read_column(reader, columns, type, rows);
  }
  if (!all_numbers && !(named && (columns.id || has_marks(columns.head)))) {
    fail(ExitStatus::usage, path, ": has ", fields.size(), " columns (", joined(fields),
         "), expected --columns NAME:label to say which");
  }
  if (type == LabelType::values) {
    fail(ExitStatus::usage, path, ": has ", fields.size(), " columns (", joined(fields),
         "), expected --columns NAME:label to say which one is the number to predict");
  }
  if (named) columns.has_header = true;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    if (c != columns.id) columns.wanted.push_back(c);
  }
  return read_matrix(reader, columns, rows);
}

}  // namespace frugal::gnn
