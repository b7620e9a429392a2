#include "tools/gnn-sample/formats/node_split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/tables/skipped_comments.h"
#include "tools/gnn-sample/formats/first_rows.h"
#include "tools/gnn-sample/formats/text_table.h"

namespace frugal::gnn {
namespace {

constexpr std::string_view kPerClass = "-per-class";
constexpr std::uint64_t kSplitStream = 0x73706c6974;  // "split"

struct PartName {
  std::string_view text;
  Part part;
};
constexpr std::array<PartName, 16> kPartNames{{{"train", Part::train},
                                               {"training", Part::train},
                                               {"0", Part::train},
                                               {"valid", Part::valid},
                                               {"val", Part::valid},
                                               {"validation", Part::valid},
                                               {"1", Part::valid},
                                               {"test", Part::test},
                                               {"testing", Part::test},
                                               {"2", Part::test},
                                               {"none", Part::none},
                                               {"other", Part::none},
                                               {"-", Part::none},
                                               {"-1", Part::none},
                                               {"255", Part::none},
                                               {"", Part::none}}};

std::uint8_t part_of(std::string_view text) {
  const std::string_view word = unquoted(trim(text));
  if (is_missing(word)) return static_cast<std::uint8_t>(Part::none);
  for (const PartName& name : kPartNames) {
    if (name.text == word) return static_cast<std::uint8_t>(name.part);
  }
  fail(ExitStatus::bad_input, "found '", printable(text, 40),
       "', expected train, valid, test or none (or 0, 1, 2, -1)");
}

std::string in_lower_case(std::string_view text) {
  std::string lower(trim(text));
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}

/// The part whose nodes a column of 0 and 1 with that name marks: "train_mask", "is_val", "test".
std::optional<Part> mask_of(std::string_view name) {
  std::string word = in_lower_case(name);
  if (word.starts_with("is_")) word.erase(0, 3);
  for (const std::string_view end : {"_mask", "-mask", "_masks", "mask"}) {
    if (!word.ends_with(end)) continue;
    word.erase(word.size() - end.size());
    break;
  }
  for (const PartName& part : kPartNames) {
    const bool is_number = parse_number<int>(part.text).has_value();
    if (!is_number && part.text == word && part.part != Part::none) return part.part;
  }
  return std::nullopt;
}

bool is_mask_name(std::string_view name) { return mask_of(name).has_value(); }

std::uint8_t mask_value(std::string_view text) {
  const std::string word = in_lower_case(text);
  if (word == "1" || word == "1.0" || word == "true") return 1;
  if (word.empty() || word == "0" || word == "0.0" || word == "false") return 0;
  fail(ExitStatus::bad_input, "found '", printable(text, 40),
       "' in a mask, expected 0, 1, false or true");
}

/// Reads columns of 0 and 1, each of which marks the nodes of a part. Fails (bad_input) if a row is
/// in two parts.
std::vector<std::uint8_t> read_masks(PieceReader& reader, const TableColumns& columns,
                                     RowNodes* rows) {
  std::vector<Part> parts;
  for (const std::size_t c : columns.wanted) parts.push_back(*mask_of(columns.head.first()[c]));
  std::vector<std::uint8_t> split;
  read_columns<std::uint8_t>(
      reader, columns, rows, mask_value, [&](std::vector<std::uint8_t>& marks) {
        for (std::size_t i = 0; i < marks.size(); ++i) {
          if (i % parts.size() == 0) split.push_back(static_cast<std::uint8_t>(Part::none));
          if (marks[i] == 0) continue;
          put_in_part(split.size() - 1, parts[i % parts.size()], split,
                      [&] { return reader.name() + ": row " + std::to_string(split.size()); });
        }
      });
  return split;
}

/// The nodes that may be in a part, in a random order.
std::vector<NodeId> shuffled_nodes(std::uint64_t nodes, const NodeLabels& labels, Rng rng) {
  std::vector<NodeId> order;
  for (std::uint64_t v = 0; v < nodes; ++v) {
    if (labels.has(v)) order.push_back(static_cast<NodeId>(v));
  }
  shuffle(order.data(), order.size(), rng);
  return order;
}

/// Moves the first `wanted` nodes of each class to the front; returns how many these are.
std::size_t take_per_class(std::vector<NodeId>& order, const NodeLabels& labels,
                           std::size_t wanted) {
  std::vector<std::size_t> taken(labels.num_classes, 0);
  const auto end = std::stable_partition(order.begin(), order.end(), [&](NodeId v) {
    return taken[static_cast<std::size_t>(labels.classes[v])]++ < wanted;
  });
  const auto scarce =
      std::find_if(taken.begin(), taken.end(), [&](std::size_t n) { return n > 0 && n < wanted; });
  if (scarce != taken.end()) {
    fail(ExitStatus::usage, "--split: class ", scarce - taken.begin(), " has ",
         format_count(*scarce, "node"), ", expected at least ", wanted);
  }
  return static_cast<std::size_t>(end - order.begin());
}

std::size_t part_size(const SplitRule& rule, double size, std::size_t nodes) {
  return static_cast<std::size_t>(rule.shares ? std::round(size * static_cast<double>(nodes))
                                              : size);
}

bool is_part(std::string_view word) {
  return is_missing(word) || std::any_of(kPartNames.begin(), kPartNames.end(),
                                         [&](const PartName& name) { return name.text == word; });
}

/// True if the first line has names of masks alone, such as train,val,test, above their values.
bool names_masks(const TableHead& head) {
  const auto is_value = [](const std::string& field) {
    const std::string word = in_lower_case(field);
    return word == "true" || word == "false" || parse_number<double>(word);
  };
  return head.rows.size() > 1 && std::ranges::all_of(head.first(), is_mask_name) &&
         std::ranges::all_of(head.rows[1], is_value);
}

/// True if there are rows below the first one, and all of their fields are parts.
bool has_parts_below(const TableHead& head) {
  return head.rows.size() > 1 &&
         std::all_of(head.rows.begin() + 1, head.rows.end(), [](const TableRow& row) {
           return std::ranges::all_of(
               row, [](const std::string& field) { return is_part(unquoted(trim(field))); });
         });
}

/// True if the only column begins with a name: a usual one, that of a mask, or any above parts.
bool has_single_name(const TableHead& head, const std::string& column) {
  const std::string& first = head.first()[0];
  if (!column.empty()) return first == column;
  if (first == "split" || names_masks(head)) return true;
  return !is_part(first) && !parse_number<double>(first) && has_parts_below(head);
}

/// Whether the first line names columns; a part is no name.
bool has_names(const TableHead& head, const std::string& column, const RowNodes* rows,
               const std::string& path) {
  const TableRow& fields = head.first();
  if (head.json) return true;
  if (fields.size() == 1) return has_single_name(head, column);
  if (names_masks(head)) return true;
  return names_columns(head, column, std::nullopt, rows, path) && !is_part(fields[0]);
}

std::optional<std::size_t> pick_split(const TableHead& head, bool header, const std::string& column,
                                      const std::string& path) {
  const bool usual =
      std::find(head.first().begin(), head.first().end(), "split") != head.first().end();
  const std::string& name = column.empty() && header && usual ? "split" : column;
  return pick_column(head, header, name, std::nullopt, path);
}

/// Fails (usage) for numbers that are no rule, such as 0.8,0.2 and 80%,10%,10%. Other text may be
/// the name of a file.
void check_three_shares(const std::string& text, const std::vector<std::string_view>& words) {
  const auto is_percentage = [](std::string_view word) { return word.ends_with('%'); };
  const auto is_number = [](std::string_view word) {
    if (word.ends_with('%')) word.remove_suffix(1);
    return parse_number<double>(word).has_value();
  };
  const bool fits = words.size() == 3 && std::ranges::none_of(words, is_percentage);
  if (fits || words.size() < 2 || !std::ranges::all_of(words, is_number)) return;
  fail(ExitStatus::usage, "--split ", printable(text), ": expected three parts, of training, ",
       "validation and test, as shares such as 0.6,0.2,0.2 or numbers of nodes");
}

}  // namespace

std::optional<SplitRule> parse_split_rule(const std::string& text) {
  auto words = split(text, ',');
  check_three_shares(text, words);
  if (words.size() != 3) return std::nullopt;
  SplitRule rule;
  rule.per_class = words[0].ends_with(kPerClass);
  if (rule.per_class) words[0].remove_suffix(kPerClass.size());
  std::array<double, 3> sizes{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = parse_number<double>(words[i]);
    if (!size) return std::nullopt;
    if (!(*size >= 0 && *size <= 0xffffffff)) {
      fail(ExitStatus::usage, "--split ", printable(text), ": ", printable(words[i]),
           " is no share and no number of nodes");
    }
    sizes[i] = *size;
  }
  std::tie(rule.train, rule.valid, rule.test) = std::tuple(sizes[0], sizes[1], sizes[2]);
  const double sum = sizes[0] + sizes[1] + sizes[2];
  rule.shares = !rule.per_class && sum <= 1 + 1e-9;
  const bool whole =
      std::all_of(sizes.begin(), sizes.end(), [](double size) { return size == std::floor(size); });
  if (rule.shares || whole) return rule;
  if (rule.per_class) {
    const std::size_t share = sizes[0] != std::floor(sizes[0])   ? 0
                              : sizes[1] != std::floor(sizes[1]) ? 1
                                                                 : 2;
    fail(ExitStatus::usage, "--split ", printable(text), ": ", printable(words[share]),
         " is a share, expected whole numbers of nodes as in 20-per-class,500,1000");
  }
  fail(ExitStatus::usage, "--split ", printable(text), ": parts sum to ", format_number(sum),
       ", expected shares up to 1 or whole numbers of nodes");
}

Splits random_splits(const SplitRule& rule, std::uint64_t nodes, const NodeLabels& labels,
                     std::uint64_t seed, std::size_t count) {
  if (rule.per_class && labels.classes.empty()) {
    fail(ExitStatus::usage, "--split: numbers per class need one label a node (--labels)");
  }
  Splits splits;
  for (std::size_t s = 0; s < count; ++s) {
    auto order = shuffled_nodes(nodes, labels, Rng(seed, hash_combine(kSplitStream, s)));
    const std::size_t train =
        rule.per_class ? take_per_class(order, labels, static_cast<std::size_t>(rule.train))
                       : part_size(rule, rule.train, order.size());
    const std::size_t valid = train + part_size(rule, rule.valid, order.size());
    std::size_t test = valid + part_size(rule, rule.test, order.size());
    // Rounding loses no node of shares that are all there is.
    const bool all = rule.shares && rule.train + rule.valid + rule.test > 1 - 1e-9;
    if (rule.shares) test = all ? order.size() : std::min(test, order.size());
    if (test > order.size()) {
      fail(ExitStatus::usage, "--split: ", test, " nodes wanted, there are ", order.size(),
           labels.classes.empty() ? "" : " with a label");
    }
    auto& parts = splits.emplace_back(nodes, static_cast<std::uint8_t>(Part::none));
    for (std::size_t i = 0; i < test; ++i) {
      parts[order[i]] = static_cast<std::uint8_t>(i < train   ? Part::train
                                                  : i < valid ? Part::valid
                                                              : Part::test);
    }
  }
  return splits;
}

Splits read_splits(const std::string& path, const std::string& column, RowNodes* rows) {
  TableColumns columns;
  PieceReader reader(path);
  columns.head = first_rows(reader, true);
  if (columns.head.empty()) fail_without_rows(reader, "a part a line");
  const bool commented =
      find_comment_names(column.empty() ? "split" : column, std::nullopt, rows, columns.head);
  const TableRow& fields = columns.head.first();
  const bool header = commented || has_names(columns.head, column, rows, path);
  auto picked = pick_split(columns.head, header, column, path);
  columns.has_header = header;
  columns.whole_lines = fields.size() == 1 && !columns.head.json;
  if (columns.head.json && fields.size() == 1) picked = 0;
  find_ids(rows, picked, columns);
  if (!picked && columns.id && fields.size() == 2) picked = 1 - *columns.id;
  const auto is_mask = [&](std::size_t c) { return is_mask_name(fields[c]); };
  const bool masks = header && std::ranges::any_of(fields, is_mask_name);
  if (!picked && header && !columns.id && !masks && !has_parts_below(columns.head)) {
    fail(ExitStatus::usage, path, ": has ", fields.size(), " columns (", joined(fields),
         "), expected --columns NAME:split to say which");
  }
  for (std::size_t c = 0; c < fields.size(); ++c) {
    if (picked ? c == *picked : c != columns.id) columns.wanted.push_back(c);
  }
  if (header && std::ranges::any_of(columns.wanted, is_mask)) {
    std::erase_if(columns.wanted, std::not_fn(is_mask));
    return {read_masks(reader, columns, rows)};
  }
  Splits splits(columns.whole_lines ? 1 : columns.wanted.size());
  read_columns<std::uint8_t>(reader, columns, rows, part_of, [&](std::vector<std::uint8_t>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) splits[i % splits.size()].push_back(parts[i]);
  });
  return splits;
}

}  // namespace frugal::gnn
