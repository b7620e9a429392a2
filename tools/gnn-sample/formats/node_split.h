#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/id_column.h"

namespace frugal::gnn {

using Splits = std::vector<std::vector<std::uint8_t>>;  ///< each [nodes], of Part

/// Puts a node into a part; fails (bad_input) at place() where it is in another one.
template <class Place>
void put_in_part(std::uint64_t node, Part part, std::vector<std::uint8_t>& split,
                 const Place& place) {
  const auto number = static_cast<std::uint8_t>(part);
  if (split[node] != number && split[node] != static_cast<std::uint8_t>(Part::none)) {
    fail(ExitStatus::bad_input, place(), ": node ", node,
         " is in another part, too, expected one part a node");
  }
  split[node] = number;
}

/// A random split: shares of the labelled nodes "0.6,0.2,0.2", numbers of nodes "1000,500,500", or
/// "20-per-class,500,1000".
struct SplitRule {
  double train = 0, valid = 0, test = 0;  ///< shares, or numbers
  bool shares = false, per_class = false;
};
/// Nothing where the text is no rule but a file. Fails (usage) where it nearly is one.
std::optional<SplitRule> parse_split_rule(const std::string& text);

/// `count` splits by the rule, a function of the seed; nodes without a label are in none of their
/// parts where others have one. Fails (usage) where there are too few nodes.
Splits random_splits(const SplitRule& rule, std::uint64_t nodes, const NodeLabels& labels,
                     std::uint64_t seed, std::size_t count);

/// A line each node: train, valid or val, test, anything of none, - and "" for no part; or columns
/// of 0, 1, 2 (and -1 or 255), each a split. `column` and `rows` as in read_labels().
Splits read_splits(const std::string& path, const std::string& column, RowNodes* rows = nullptr);

}  // namespace frugal::gnn
