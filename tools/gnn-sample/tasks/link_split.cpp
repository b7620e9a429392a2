#include "tools/gnn-sample/tasks/link_split.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/system/output_file.h"
#include "libcore/tables/delimited.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/record_reader.h"
#include "tools/gnn-sample/data/node_lookup.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kLinkSplitStream = 0x6c696e6b73706c;
constexpr std::size_t kWrittenRows = std::size_t{1} << 16;

std::uint64_t pair_of(NodeId source, NodeId target) {
  const auto [low, high] = std::minmax(source, target);
  return std::uint64_t{low} << 32 | high;
}

std::optional<Part> part_named(std::string_view name) {
  if (name == "train") return Part::train;
  if (name == "valid" || name == "val") return Part::valid;
  if (name == "test") return Part::test;
  return std::nullopt;
}

bool has_edge(const StoredGraph& graph, const Link& link) {
  const auto is_in_row = [&](NodeId source, NodeId target) {
    const auto row = graph.csr().row(target);
    return std::find(row.begin(), row.end(), source) != row.end();
  };
  return is_in_row(link.source, link.target) || is_in_row(link.target, link.source);
}

}  // namespace

LinkSplit LinkSplit::read(const std::string& path, const StoredGraph& graph) {
  LinkSplit split(0, 0);
  split.read_ = true;
  const NodeLookup lookup(graph.content().node_set());
  RecordReader reader(path, DelimitedStyle::csv());
  RecordParser parser(DelimitedStyle::csv());
  std::vector<std::string_view> fields;
  bool is_first = true;
  for (std::string_view record; reader.next(record); is_first = false) {
    parser.parse(record, fields);
    if (is_first && fields.size() == 3 && fields[2] == "part") continue;
    const auto source = fields.size() == 3 ? lookup.find(fields[0]) : std::nullopt;
    const auto target = fields.size() == 3 ? lookup.find(fields[1]) : std::nullopt;
    const auto part = fields.size() == 3 ? part_named(fields[2]) : std::nullopt;
    if (!source || !target || !part || !parser.problem().empty()) {
      fail(ExitStatus::bad_input, reader.place(), ": expected ", lookup.expected(true),
           " and train, valid or test, separated by commas, found '", printable(record), "'");
    }
    const Link link{*source, *target};
    if (*part == Part::train && !has_edge(graph, link)) {
      fail(ExitStatus::bad_input, reader.place(), ": '", printable(record), "' is no edge of ",
           graph.path(), ", expected train for edges alone");
    }
    split.add(link, *part, reader.place());
  }
  if (!split.valid_.empty() || !split.test_.empty()) return split;
  fail(ExitStatus::bad_input, path, ": holds out no edge, expected lines SOURCE,TARGET,PART with ",
       "valid or test");
}

void LinkSplit::add(const Link& link, Part part, const std::string& place) {
  if (link.source == link.target) {
    fail(ExitStatus::bad_input, place, ": both ends are the same node, expected two nodes");
  }
  const auto [known, is_new] = parts_.emplace(pair_of(link.source, link.target), part);
  if (!is_new && known->second != part) {
    fail(ExitStatus::bad_input, place,
         ": these nodes are in another part before, expected each "
         "pair, in either direction, in one part");
  }
  if (!is_new || part == Part::train) return;
  (part == Part::valid ? valid_ : test_).push_back(link);
}

Part LinkSplit::part(NodeId source, NodeId target) const {
  if (read_) {
    const auto found = parts_.find(pair_of(source, target));
    return found == parts_.end() ? Part::train : found->second;
  }
  const std::uint64_t drawn = Rng(seed_, kLinkSplitStream).at(pair_of(source, target));
  const double x = static_cast<double>(drawn >> 11) * 0x1p-53;
  if (x >= held_out_) return Part::train;
  return x < held_out_ / 2 ? Part::valid : Part::test;
}

SplitLinks::SplitLinks(const StoredGraph& graph, const LinkSplit& split) {
  const CsrView csr = graph.csr();
  for (std::size_t v = 0; v < csr.num_nodes(); ++v) {
    const auto target = static_cast<NodeId>(v);
    for (const NodeId source : csr.row(target)) {
      if (source == target || (!graph.directed() && source > target)) continue;
      const Part part = split.part(source, target);
      (part == Part::train   ? train
       : part == Part::valid ? valid
                             : test)
          .push_back({source, target});
    }
  }
  if (split.is_read()) {
    valid = split.valid();
    test = split.test();
  }
  if (train.size() <= std::numeric_limits<std::uint32_t>::max()) return;
  fail(ExitStatus::unavailable, graph.path(), ": ", train.size(),
       " links are more than --task links can take");
}

void write_held_out(const std::string& path, const StoredGraph& graph, const SplitLinks& links) {
  const NodeSet& nodes = graph.content().node_set();
  OutputFile output(path, {.binary = false});
  std::vector<TableRow> rows = {{"source", "target", "part"}};
  const auto write_rows = [&] {
    const std::string text = csv_text(rows);
    output.write(text.data(), text.size());
    rows.clear();
  };
  for (const auto& [part, held_out] : {std::pair("valid", &links.valid), {"test", &links.test}}) {
    for (const Link& link : *held_out) {
      rows.push_back({node_text(nodes, link.source), node_text(nodes, link.target), part});
      if (rows.size() == kWrittenRows) write_rows();
    }
  }
  write_rows();
  output.commit();
}

}  // namespace frugal::gnn
