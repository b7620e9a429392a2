#include "tools/gnn-sample/data/node_labels.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/node_names.h"
#include "libcore/io/npy.h"
#include "libcore/io/number_tensor.h"
#include "tools/gnn-sample/data/text_table.h"

namespace frugal::gnn {
namespace {

constexpr std::int64_t kMostClasses = 0x7ffffffe;

bool is_no_class(std::string_view text) {
  return text.empty() || text == "-1" || text == "nan" || text == "NaN" || text == "-1.0";
}

/// "3" and "3.0".
std::optional<std::int64_t> class_number(std::string_view text) {
  const auto number = parse_number<double>(text);
  const bool whole = number && *number == std::floor(*number) && *number >= 0 &&
                     *number <= static_cast<double>(kMostClasses);
  if (!whole) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// A name before nothing but numbers is no class: as one it would move all others by a node.
void check_first(const NodeNames& texts, const std::vector<std::size_t>& named,
                 const std::vector<NodeId>& numbers, const std::string& path) {
  const auto is_number = [&](std::size_t i) {
    return parse_number<double>(texts.name(static_cast<NodeId>(i))).has_value();
  };
  if (named.size() < 2 || named[0] != numbers[0] || is_number(named[0]) ||
      !std::all_of(named.begin() + 1, named.end(), is_number)) {
    return;
  }
  const std::string name = printable(texts.name(numbers[0]), 40);
  fail(ExitStatus::bad_input, path, ": the first label is '", name,
       "', the others are numbers; expected --columns ", name, ":label if it names the column");
}

/// What each of the distinct texts means: its class, by number if all are numbers, else by name.
/// `numbers` says which node has which text.
std::vector<std::int32_t> class_of_texts(const NodeNames& texts, const std::vector<NodeId>& numbers,
                                         const std::string& path, NodeLabels& labels) {
  std::vector<std::int32_t> classes(texts.size(), -1);
  const auto text = [&](std::size_t i) { return texts.name(static_cast<NodeId>(i)); };
  std::vector<std::size_t> named;
  bool all_numbers = true;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (is_no_class(text(i))) continue;
    named.push_back(i);
    all_numbers &= parse_number<double>(text(i)).has_value();
  }
  if (all_numbers) {
    for (const std::size_t i : named) {
      const auto number = class_number(text(i));
      if (!number) {
        fail(ExitStatus::bad_input, path, ": label ", printable(text(i), 40), " of node ",
             std::find(numbers.begin(), numbers.end(), i) - numbers.begin(),
             ", expected classes from 0 to ", kMostClasses, ", or -1");
      }
      classes[i] = static_cast<std::int32_t>(*number);
      labels.num_classes = std::max(labels.num_classes, static_cast<std::size_t>(classes[i]) + 1);
    }
    return classes;
  }
  check_first(texts, named, numbers, path);
  std::sort(named.begin(), named.end(),
            [&](std::size_t a, std::size_t b) { return text(a) < text(b); });
  for (const std::size_t i : named) {
    classes[i] = static_cast<std::int32_t>(labels.class_names.size());
    labels.class_names.emplace_back(text(i));
  }
  labels.num_classes = named.size();
  return classes;
}

NodeLabels read_classes(PieceReader& reader, const TableColumns& columns, RowNodes* rows) {
  NodeNames texts;
  std::vector<NodeId> numbers;
  read_columns<std::string_view>(
      reader, columns, rows, [](std::string_view field) { return trim(field); },
      [&](std::vector<std::string_view>& fields) {
        for (const std::string_view field : fields) numbers.push_back(texts.number(field));
      });
  NodeLabels labels;
  const std::vector<std::int32_t> classes = class_of_texts(texts, numbers, reader.name(), labels);
  labels.classes.reserve(numbers.size());
  for (const NodeId number : numbers) labels.classes.push_back(classes[number]);
  return labels;
}

NodeLabels read_matrix(PieceReader& reader, const TableColumns& columns, RowNodes* rows) {
  NodeLabels labels;
  labels.num_classes = columns.wanted.size();
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

}  // namespace

NodeLabels labels_of(const Tensor& tensor, const std::string& place) {
  const std::vector<std::int64_t> values = to_integers(tensor, place);
  NodeLabels labels;
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
  for (const std::int32_t c : labels.classes) {
    labels.num_classes = std::max(labels.num_classes, static_cast<std::size_t>(c + 1));
  }
  return labels;
}

NodeLabels read_labels(const std::string& path, const std::string& column, RowNodes* rows) {
  if (path.ends_with(".npy")) return labels_of(read_npy(path), path);
  PieceReader reader(path);
  TableColumns columns;
  columns.shape = text_shape(reader, true);
  if (columns.shape.empty) fail(ExitStatus::bad_input, path, ": is empty, expected a label a line");
  const auto& fields = columns.shape.first_fields;
  const bool named = names_columns(columns.shape, column, "label");
  if (named && fields.size() > 1) columns.has_header = true;
  auto picked = pick_column(columns.shape, column, "label", path);
  find_ids(rows, picked, columns);
  if (!picked && columns.id && fields.size() == 2) picked = 1 - *columns.id;
  columns.has_header = picked && named;
  if (picked && fields.size() > 1) {
    columns.wanted = {*picked};
    return read_classes(reader, columns, rows);
  }
  const bool all_numbers = std::all_of(fields.begin(), fields.end(), [](const std::string& f) {
    return parse_number<double>(f).has_value();
  });
  if (fields.size() == 1 || (columns.shape.separator == ' ' && !all_numbers)) {
    columns.whole_lines = true;
    return read_classes(reader, columns, rows);
  }
  if (!all_numbers && !(columns.id && named)) {
    fail(ExitStatus::usage, path, ": has ", fields.size(), " columns (", joined(fields),
         "), expected --columns NAME:label to say which");
  }
  if (named) columns.has_header = true;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    if (c != columns.id) columns.wanted.push_back(c);
  }
  return read_matrix(reader, columns, rows);
}

}  // namespace frugal::gnn
