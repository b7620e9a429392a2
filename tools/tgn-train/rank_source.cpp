#include "tools/tgn-train/rank_source.h"

#include "libcore/base/error.h"

namespace frugal {

RankSource::RankSource(const RankOptions& o, const LinkData& data) {
  if (o.kind == "none") return;
  const EventView view = data.events();
  NegativeOptions drawn;
  drawn.count = o.count;
  drawn.seed = o.seed;
  if (o.kind == "uniform") {
    drawn.kind = NegativeKind::uniform;
  } else if (o.kind == "historical") {
    drawn.kind = NegativeKind::historical;
  } else if (o.kind == "all") {
    drawn.kind = NegativeKind::all;
  } else {
    fail(ExitStatus::usage, "--ranks ", o.kind, ": expected none, uniform, historical or all");
  }
  events_ = std::make_unique<SourceEvents>(view);
  const auto make = [&](std::uint64_t part) {
    drawn.seed = o.seed + part;
    return std::make_unique<DrawnNegatives>(*events_, data.split().end(EventPart::train),
                                            distinct_destinations(view), drawn);
  };
  valid_ = make(0);
  test_ = make(1);
}

}  // namespace frugal
