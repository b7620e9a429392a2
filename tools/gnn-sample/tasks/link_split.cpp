#include "tools/gnn-sample/tasks/link_split.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/tables/delimited.h"
#include "libcore/tables/record_reader.h"
#include "tools/gnn-sample/batches/link_file.h"
#include "tools/gnn-sample/data/node_lookup.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kLinkSplitStream = 0x6c696e6b73706c;

constexpr std::string_view kNegative = "-negative", kShared = "-shared";

/// Part that a line names.
struct ListedPart {
  Part part;
  bool negative = false, shared = false;
};

/// Removes the suffix; false if there is none.
bool take_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

std::optional<ListedPart> part_named(std::string_view name) {
  if (name == "train") return ListedPart{Part::train};
  const bool negative = take_suffix(name, kNegative);
  const bool shared = negative && take_suffix(name, kShared);
  if (name == "valid" || name == "val") return ListedPart{Part::valid, negative, shared};
  if (name == "test") return ListedPart{Part::test, negative, shared};
  return std::nullopt;
}

/// Name of a part or of its negatives in a file.
std::string name_of(Part part, const GivenNegatives* negatives = nullptr) {
  std::string name = part == Part::valid ? "valid" : "test";
  if (negatives == nullptr) return name;
  return name.append(negatives->shared ? kShared : "").append(kNegative);
}

/// Adds a pair to the negatives of a part, all of one kind.
void add_negative(const Link& link, const ListedPart& listed, const std::string& place,
                  GivenNegatives& negatives) {
  if (!negatives.pairs.empty() && negatives.shared != listed.shared) {
    fail(ExitStatus::bad_input, place, ": lines before have negatives of ",
         name_of(listed.part, &negatives), ", expected one kind in a part");
  }
  negatives.shared = listed.shared;
  negatives.pairs.push_back(link);
}

/// A line of a file.
struct ListedLink {
  Link link;
  ListedPart part;
};

/// The line with these fields; nothing if it is none.
std::optional<ListedLink> listed_link(std::span<const std::string_view> fields,
                                      const NodeLookup& sources, const NodeLookup& targets) {
  if (fields.size() != 3) return std::nullopt;
  const auto source = sources.find(fields[0]), target = targets.find(fields[1]);
  const auto part = part_named(fields[2]);
  if (!source || !target || !part) return std::nullopt;
  return ListedLink{{*source, *target}, *part};
}

/// A pair in a line of a file.
struct ListedPair {
  std::uint64_t pair, line;
  bool operator<(const ListedPair& other) const { return pair < other.pair; }
};

/// Negatives, at equal distances, of which training edges are counted.
constexpr std::size_t kLookedUp = 100'000;

/// For each key, ascending and distinct, whether a pair of it is an edge.
std::vector<bool> are_edges(const LinkRelation& relation, std::span<const std::uint64_t> keys) {
  std::vector<bool> found(keys.size());
  if (keys.empty()) return found;
  const CsrView csr = relation.csr();
  for (std::size_t v = 0; v < csr.num_nodes(); ++v) {
    for (const NodeId source : csr.row(static_cast<NodeId>(v))) {
      const std::uint64_t key = relation.key(source, static_cast<NodeId>(v));
      const auto at = std::lower_bound(keys.begin(), keys.end(), key);
      if (at != keys.end() && *at == key) found[static_cast<std::size_t>(at - keys.begin())] = true;
    }
  }
  return found;
}

/// Line of the first pair that the relation has no edge of; 0: it has all. Reads each edge once.
std::uint64_t first_without_edge(const LinkRelation& relation, std::vector<ListedPair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::uint64_t> keys;
  for (const ListedPair& pair : pairs) keys.push_back(pair.pair);
  const std::vector<bool> found = are_edges(relation, keys);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!found[i] && (first == 0 || pairs[i].line < first)) first = pairs[i].line;
  }
  return first;
}

void check_ends(const Link& link, const LinkRelation& relation, const std::string& place) {
  if (!relation.one_type() || link.source != link.target) return;
  fail(ExitStatus::bad_input, place, ": both ends are the same node, expected two nodes");
}

/// Names of the ends in a line, for messages.
std::string expected_ends(const LinkRelation& relation, const NodeLookup& sources,
                          const NodeLookup& targets) {
  if (relation.one_type()) return sources.expected(true);
  return sources.expected() + " of type " + printable(relation.sources().type) + ", " +
         targets.expected() + " of type " + printable(relation.targets().type);
}

/// Leaves out links whose pair came before.
void keep_first_of_pairs(const LinkRelation& relation, std::vector<Link>& links) {
  std::unordered_set<std::uint64_t> known;
  std::erase_if(links, [&](const Link& link) {
    return !known.insert(relation.key(link.source, link.target)).second;
  });
}

}  // namespace

LinkSplit LinkSplit::read(const std::string& path, const LinkRelation& relation) {
  LinkSplit split(0, 0);
  split.read_ = true;
  const NodeLookup sources(relation.sources());
  std::optional<NodeLookup> others;
  if (!relation.one_type()) others.emplace(relation.targets());
  const NodeLookup& targets = others ? *others : sources;
  RecordReader reader(path, DelimitedStyle::csv());
  RecordParser parser(DelimitedStyle::csv());
  std::vector<std::string_view> fields;
  std::vector<ListedPair> in_training;
  std::uint64_t repeated = 0;
  bool is_first = true;
  for (std::string_view record; reader.next(record); is_first = false) {
    parser.parse(record, fields);
    if (is_first && fields.size() == 3 && fields[2] == "part" && parser.problem().empty()) continue;
    const auto line =
        parser.problem().empty() ? listed_link(fields, sources, targets) : std::nullopt;
    if (!line) {
      fail(ExitStatus::bad_input, reader.place(),
           ": expected source,target,part: ", expected_ends(relation, sources, targets),
           " and train, valid or test, or valid or test with -negative or -shared-negative, "
           "separated by commas, found '",
           printable(record), "'");
    }
    check_ends(line->link, relation, reader.place());
    const Part part = line->part.part;
    if (line->part.negative) {
      add_negative(line->link, line->part, reader.place(),
                   part == Part::valid ? split.valid_negatives_ : split.test_negatives_);
    } else if (!split.add(line->link, part, relation, reader.place())) {
      ++repeated;
    } else if (part == Part::train) {
      in_training.push_back(
          {relation.key(line->link.source, line->link.target), reader.line_number()});
    }
  }
  if (const auto line = first_without_edge(relation, std::move(in_training)); line != 0) {
    fail(ExitStatus::bad_input, path, ":", line, ": this pair is no edge of ", relation.place(),
         ", expected train for edges alone");
  }
  if (repeated != 0) {
    log_warning(path, ": lines left out, as their pair was listed before",
                relation.one_type() ? " in either direction: " : ": ", repeated);
  }
  if (split.valid_.empty() && split.test_.empty()) {
    fail(ExitStatus::bad_input, path,
         ": holds out no edge, expected lines SOURCE,TARGET,PART with valid or test");
  }
  for (const Part part : {Part::valid, Part::test}) split.finish_negatives(part, relation, path);
  return split;
}

void LinkSplit::finish_negatives(Part part, const LinkRelation& relation, const std::string& path) {
  GivenNegatives& negatives = part == Part::valid ? valid_negatives_ : test_negatives_;
  const std::vector<Link>& links = part == Part::valid ? valid_ : test_;
  if (negatives.pairs.empty()) return;
  const std::string name = name_of(part, &negatives);
  if (links.empty()) {
    fail(ExitStatus::bad_input, path, ": has ", name, " and no ", name_of(part),
         ", expected edges to rank among them");
  }
  const auto is_held_out = [&](const Link& link) {
    const auto found = parts_.find(relation.key(link.source, link.target));
    return found != parts_.end() && found->second == part;
  };
  const std::size_t left_out = std::erase_if(negatives.pairs, is_held_out);
  if (left_out != 0) {
    log_warning(path, ": pairs of ", name, " left out, as they are ", name_of(part),
                relation.one_type() ? " in either direction: " : ": ", left_out);
  }
  warn_of_edges(negatives, relation, path + ": pairs of " + name);
  if (negatives.shared) {
    if (!negatives.pairs.empty()) return;
    fail(ExitStatus::bad_input, path, ": no pair of ", name, " is left, expected at least one");
  }
  std::ranges::stable_sort(negatives.pairs, {}, &Link::source);
  for (const Link& link : links) {
    if (std::ranges::binary_search(negatives.pairs, link.source, {}, &Link::source)) continue;
    fail(ExitStatus::bad_input, path, ": ", printable(node_text(relation.sources(), link.source)),
         ",", printable(node_text(relation.targets(), link.target)), ",", name_of(part), ": no ",
         name, " has this source, expected some for each edge, or ", name_of(part), kShared,
         kNegative, " for all edges together");
  }
}

void LinkSplit::warn_of_edges(const GivenNegatives& negatives, const LinkRelation& relation,
                              const std::string& place) const {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < negatives.pairs.size(); i += 1 + negatives.pairs.size() / kLookedUp) {
    keys.push_back(relation.key(negatives.pairs[i].source, negatives.pairs[i].target));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const std::vector<bool> found = are_edges(relation, keys);
  std::size_t edges = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) edges += found[i] && part(keys[i]) == Part::train;
  if (edges != 0) {
    log_warning(place, " looked up: ", keys.size(), ", of which are edges of training: ", edges,
                "; a model is right to rank these high");
  }
}

bool LinkSplit::add(const Link& link, Part part, const LinkRelation& relation,
                    const std::string& place) {
  const auto [known, is_new] = parts_.emplace(relation.key(link.source, link.target), part);
  if (!is_new && known->second != part) {
    fail(ExitStatus::bad_input, place,
         ": these nodes are in another part before, expected each pair",
         relation.one_type() ? ", in either direction," : "", " in one part");
  }
  if (is_new && part != Part::train) (part == Part::valid ? valid_ : test_).push_back(link);
  return is_new;
}

Part LinkSplit::part(std::uint64_t key) const {
  if (read_) {
    const auto found = parts_.find(key);
    return found == parts_.end() ? Part::train : found->second;
  }
  const std::uint64_t drawn = Rng(seed_, kLinkSplitStream).at(key);
  const double x = static_cast<double>(drawn >> 11) * 0x1p-53;
  if (x >= held_out_) return Part::train;
  return x < held_out_ / 2 ? Part::valid : Part::test;
}

SplitLinks::SplitLinks(const LinkRelation& relation, const LinkSplit& split) {
  const CsrView csr = relation.csr();
  for (std::size_t v = 0; v < csr.num_nodes(); ++v) {
    const auto target = static_cast<NodeId>(v);
    for (const NodeId source : csr.row(target)) {
      if (relation.one_type() && source == target) continue;
      if (relation.either_way() && source > target) continue;
      const Part part = split.part(relation.key(source, target));
      (part == Part::train   ? train
       : part == Part::valid ? valid
                             : test)
          .push_back({source, target});
    }
  }
  if (split.is_read()) {
    valid = split.valid();
    test = split.test();
  } else {
    keep_first_of_pairs(relation, valid);
    keep_first_of_pairs(relation, test);
  }
  if (train.size() <= std::numeric_limits<std::uint32_t>::max()) return;
  fail(ExitStatus::unavailable, relation.place(), ": ", train.size(),
       " links are more than --task links can take");
}

void write_held_out(const std::string& path, const LinkRelation& relation, const LinkSplit& split,
                    const SplitLinks& links) {
  LinkFileWriter writer(path, relation.sources(), relation.targets(), "part");
  const auto write_links = [&](const std::vector<Link>& listed, const std::string& part) {
    for (const Link& link : listed) writer.add(link, part);
  };
  for (const Part part : {Part::valid, Part::test}) {
    write_links(part == Part::valid ? links.valid : links.test, name_of(part));
    write_links(split.negatives(part).pairs, name_of(part, &split.negatives(part)));
  }
  writer.commit();
}

}  // namespace frugal::gnn
