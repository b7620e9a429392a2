#include "tools/tgn-train/rank_source.h"

#include <algorithm>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::tgn {

bool names_rank_file(const std::string& kind) {
  const std::vector<std::string> words = {"none", "uniform", "historical", "all"};
  if (std::find(words.begin(), words.end(), kind) != words.end()) return false;
  if (kind.find_first_of("./") != std::string::npos) return true;
  fail(ExitStatus::usage, "--ranks ", printable(kind), ": expected one of ", joined(words),
       " or a file, .npy, .npz or tensors", did_you_mean(kind, words));
}

RankSource::RankSource(const RankOptions& o, const LinkData& data) {
  if (o.kind == "none") return;
  if (names_rank_file(o.kind)) {
    read(o.kind, data);
  } else if (o.kind == "uniform") {
    draw(o, data, NegativeKind::uniform);
  } else {
    draw(o, data, o.kind == "historical" ? NegativeKind::historical : NegativeKind::all);
  }
}

void RankSource::draw(const RankOptions& o, const LinkData& data, NegativeKind kind) {
  const EventView view = data.events();
  NegativeOptions drawn;
  drawn.kind = kind;
  drawn.count = o.count;
  events_ = std::make_unique<SourceEvents>(view);
  const auto make = [&](std::uint64_t part) {
    drawn.seed = o.seed + part;
    return std::make_unique<DrawnNegatives>(*events_, data.split().end(EventPart::train),
                                            distinct_destinations(view), drawn);
  };
  valid_ = make(0);
  test_ = make(1);
}

/// A file need not have negatives for validation.
void RankSource::read(const std::string& path, const LinkData& data) {
  const auto make = [&](const char* name, EventPart part) {
    return std::make_unique<FixedNegatives>(
        path, FixedNegatives::Part{name, data.split().begin(part), data.split().end(part)},
        data.stream().num_nodes());
  };
  if (FixedNegatives::has(path, "valid")) valid_ = make("valid", EventPart::valid);
  test_ = make("test", EventPart::test);
}

}  // namespace frugal::tgn
