#include "tools/tgn-train/links/rank_source.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <vector>

#include "libcore/arrays/npy.h"
#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tensors/document_gate.h"
#include "libcore/tensors/number_tensor.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/links/tgb_negatives.h"

namespace frugal::tgn {
namespace {

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }
bool is_npz(const std::string& path) { return path.ends_with(".npz"); }

Tensor read_tensor(const std::string& path, const std::string& name) {
  if (is_npy(path)) return read_npy(path);
  if (is_npz(path)) return NpzReader(path).read(name);
  Document document = read_document(path);
  check_document(document, path, {"negatives", {}, {}, ForeignDocuments::welcome});
  if (document.find(name) == nullptr) {
    fail(ExitStatus::bad_input, path, ": no tensor '", name, "' of negatives");
  }
  return std::move(document.at(name));
}

/// Number of nodes in a row before it is filled with -1. row: its number, for messages.
std::size_t row_length(const std::string& path, std::span<const std::int64_t> nodes,
                       std::size_t row, std::size_t num_nodes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == -1) continue;
    if (nodes[i] < 0 || static_cast<std::uint64_t>(nodes[i]) >= num_nodes) {
      fail(ExitStatus::bad_input, path, ": row ", row, ", column ", i, ": node ", nodes[i],
           ", expected one of 0 to ", num_nodes - 1);
    }
    if (length != i) {
      fail(ExitStatus::bad_input, path, ": row ", row, ", column ", i, ": node ", nodes[i],
           " behind a -1, expected -1 at the end of rows alone");
    }
    length = i + 1;
  }
  return length;
}

/// Converts ids of the input to the stream's node numbers.
void number(const std::string& path, const FixedNegatives::Part& part,
            std::vector<std::int64_t>& ids) {
  const auto is_source = [&](std::int64_t id) {
    return id >= 0 && static_cast<std::uint64_t>(id) < part.num_sources;
  };
  std::int64_t shift = -part.first_id;
  if (std::any_of(ids.begin(), ids.end(), is_source)) {
    shift = static_cast<std::int64_t>(part.num_sources);
  }
  for (std::int64_t& id : ids) {
    if (id < 0) continue;
    if (id < part.first_id) {
      fail(ExitStatus::bad_input, path, ": node ", id, ", expected ids from ", part.first_id,
           " on, as the input has them");
    }
    id += shift;
  }
}

}  // namespace

bool FixedNegatives::has(const std::string& path, const std::string& part) {
  if (is_npy(path)) return part == "test";
  if (is_npz(path)) return NpzReader(path).has(part);
  return read_document(path).find(part) != nullptr;
}

FixedNegatives::FixedNegatives(const std::string& path, const Part& part, std::size_t num_nodes)
    : begin_(part.begin) {
  const Tensor tensor = read_tensor(path, part.name);
  const std::uint64_t events = part.end - part.begin;
  if (tensor.shape.size() != 2 || tensor.shape[0] != events || tensor.shape[1] == 0) {
    fail(ExitStatus::bad_input, path, ": negatives of shape ", shape_text(tensor.shape),
         ", expected a row for each of the ", events, " events of ", part.name);
  }
  const std::size_t width = tensor.shape[1];
  std::vector<std::int64_t> nodes = to_integers(tensor, path + ": " + part.name);
  number(path, part, nodes);
  nodes_.reserve(nodes.size());
  for (std::size_t row = 0; row < events; ++row) {
    const auto columns = std::span<const std::int64_t>(nodes).subspan(row * width, width);
    for (const std::int64_t node : columns.first(row_length(path, columns, row, num_nodes))) {
      nodes_.push_back(static_cast<NodeId>(node));
    }
    ends_.push_back(nodes_.size());
  }
}

void FixedNegatives::draw(EventId event, std::vector<NodeId>& negatives) const {
  const std::size_t row = event - begin_;
  assert(event >= begin_ && row < ends_.size());
  const auto first = nodes_.begin();
  negatives.assign(first + static_cast<std::ptrdiff_t>(row == 0 ? 0 : ends_[row - 1]),
                   first + static_cast<std::ptrdiff_t>(ends_[row]));
}

bool names_rank_file(const std::string& kind) {
  const std::vector<std::string> words = {"none", "uniform", "historical", "all", "unseen"};
  if (std::find(words.begin(), words.end(), kind) != words.end()) return false;
  if (kind.find_first_of("./") != std::string::npos) return true;
  fail(ExitStatus::usage, "--ranks ", printable(kind), ": expected one of ", joined(words),
       " or a file, .npy, .npz, .pkl or tensors", did_you_mean(kind, words));
}

RankSource::RankSource(const RankOptions& o, const LinkData& data) {
  if (o.kind == "none") return;
  if (names_rank_file(o.kind)) {
    read(o.kind, data);
    return;
  }
  const std::map<std::string, NegativeKind> kinds = {{"uniform", NegativeKind::uniform},
                                                     {"historical", NegativeKind::historical},
                                                     {"all", NegativeKind::all},
                                                     {"unseen", NegativeKind::unseen}};
  draw(o, data, kinds.at(o.kind));
}

void RankSource::draw(const RankOptions& o, const LinkData& data, NegativeKind kind) {
  const EventView view = data.events();
  NegativeOptions drawn;
  drawn.kind = kind;
  drawn.count = o.count;
  events_ = std::make_unique<SourceEvents>(view);
  const std::vector<NodeId> destinations = distinct_destinations(view);
  const bool draws = kind == NegativeKind::uniform || kind == NegativeKind::historical;
  if (draws && destinations.size() <= o.count) {
    log_info("there are ", destinations.size(), " destinations: each event is ranked among the ",
             destinations.size() - 1, " others, not among ", o.count);
  }
  const auto make = [&](std::uint64_t part) {
    drawn.seed = o.seed + part;
    return std::make_unique<DrawnNegatives>(*events_, data.split().end(EventPart::train),
                                            destinations, drawn);
  };
  valid_ = make(0);
  test_ = make(1);
}

/// Reads the negatives of both parts. Those of validation may be missing.
void RankSource::read(const std::string& path, const LinkData& data) {
  if (TgbNegatives::is_file(path)) {
    const std::string valid = TgbNegatives::validation_file(path);
    if (!valid.empty()) valid_ = std::make_unique<TgbNegatives>(valid, data, EventPart::valid);
    test_ = std::make_unique<TgbNegatives>(path, data, EventPart::test);
    return;
  }
  const NodeNaming naming = naming_of(data.stream());
  const auto make = [&](const char* name, EventPart part) {
    return std::make_unique<FixedNegatives>(
        path,
        FixedNegatives::Part{name, data.split().begin(part), data.split().end(part),
                             std::int64_t{naming.first_id},
                             naming.own_ids && !naming.names ? data.stream().num_sources() : 0},
        data.stream().num_nodes());
  };
  for (const char* const name : {"valid", "val"}) {
    if (!valid_ && FixedNegatives::has(path, name)) valid_ = make(name, EventPart::valid);
  }
  test_ = make("test", EventPart::test);
}

}  // namespace frugal::tgn
