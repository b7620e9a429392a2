#include "tools/tgn-train/affinity/label_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_roles.h"

namespace frugal::tgn {
namespace {

/// Feature that is the weight of an event; empty: each event counts 1.
std::optional<std::size_t> weight_feature(const EventStream& stream,
                                          const LabelVectorOptions& options) {
  const std::string& weight = options.weight;
  const HeaderNames names = stream.feature_names();
  if (weight == "auto") return find_role(ColumnRole::weight, names);
  if (weight == "none") return {};
  const auto named = std::find(names.begin(), names.end(), weight);
  if (named != names.end()) return static_cast<std::size_t>(named - names.begin());
  const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(weight);
  if (number && *number > 0 && *number <= stream.edge_features().dim) return *number - 1;
  const std::string has = stream.path() + " has " +
                          format_count(stream.edge_features().dim, "feature") +
                          (names.empty() ? "" : ": " + joined(names));
  if (options.model.empty()) {
    fail(ExitStatus::usage, "--weight ", printable(weight), ": ", has,
         ", expected one of them, auto or none");
  }
  fail(ExitStatus::bad_input, options.model, ": its weights are the feature ", printable(weight),
       ", and ", has, ", expected events with it");
}

/// An option that finds the same feature in other streams.
std::string weight_name(const EventStream& stream, std::optional<std::size_t> feature) {
  if (!feature) return "none";
  const HeaderNames names = stream.feature_names();
  const std::string name = *feature < names.size() ? names[*feature] : "";
  return name.empty() || name == "auto" || name == "none" ? std::to_string(*feature + 1) : name;
}

/// Number of the period of a time, which is `since` after the first event.
std::int64_t period_of(double since, const LabelVectorOptions& options) {
  const double period = std::floor(since / options.every);
  if (period < 0x1p53) return static_cast<std::int64_t>(period);
  const bool trains = options.model.empty();
  fail(trains ? ExitStatus::usage : ExitStatus::bad_input,
       trains ? "--every " : options.model + ": its periods of ", options.every,
       ": the stream has more than 2^53 periods");
}

}  // namespace

struct LabelVectors::Entry {
  EventId event = 0;
  NodeId node = 0;
  std::uint32_t label = 0;
  float weight = 0;
};

LabelVectors::LabelVectors(const EventStream& stream, const LabelVectorOptions& options)
    : num_nodes_(stream.num_nodes()),
      num_classes_(stream.num_nodes() - stream.num_sources()),
      first_class_(static_cast<NodeId>(stream.num_sources())) {
  const std::optional<std::size_t> feature = weight_feature(stream, options);
  weight_ = weight_name(stream, feature);
  if (!stream.types().empty()) {
    log_info(stream.path(), ": has edge types, which labels of affinity do not distinguish");
  }
  const FeatureRows rows = stream.edge_features().without_types();
  const EventTimes& times = stream.times();
  std::vector<float> features(rows.dim);
  std::vector<Entry> entries;
  std::int64_t when = 0;
  double time = times.is_whole() ? static_cast<double>(times.whole()[0]) : times.real()[0];
  const double first = time;
  for (EventId e = 0; e < stream.num_events(); ++e) {
    float weight = 1;
    if (feature) {
      rows.read(e, features.data());
      weight = features[*feature];
    }
    if (!(weight >= 0)) {
      fail(ExitStatus::bad_input, stream.path(), ": event ", e, " has weight ", weight,
           ", expected 0 or more");
    }
    const double since = times.between(0, e);
    const std::int64_t now = options.every > 0                       ? period_of(since, options)
                             : e > 0 && times.between(e - 1, e) != 0 ? when + 1
                                                                     : when;
    if (now != when) {
      add_period(stream.path(), entries, when, time);
      when = now;
      time = first + (options.every > 0 ? static_cast<double>(when) * options.every : since);
    }
    if (weight > 0) {
      entries.push_back({e, stream.sources()[e], stream.destinations()[e] - first_class_, weight});
    }
  }
  add_period(stream.path(), entries, when, time);
  if (size() == 0) fail(ExitStatus::bad_input, stream.path(), ": has no weights above 0");
}

void LabelVectors::add_period(const std::string& path, std::vector<Entry>& entries,
                              std::int64_t when, double time) {
  if (entries.empty()) return;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.node != b.node ? a.node < b.node : a.label < b.label;
  });
  double weight = 0, total = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const bool same_node = i > 0 && entries[i - 1].node == entry.node;
    if (!same_node) {
      nodes_.push_back(entry.node);
      periods_.push_back(static_cast<std::uint32_t>(whens_.size()));
      totals_.push_back(0);
      offsets_.push_back(offsets_.back());
      total = 0;
    }
    if (!same_node || entries[i - 1].label != entry.label) {
      classes_.push_back(entry.label);
      weights_.push_back(0);
      ++offsets_.back();
      weight = 0;
    }
    weight += entry.weight;
    total += entry.weight;
    if (!(total <= std::numeric_limits<float>::max())) {
      fail(ExitStatus::bad_input, path, ": event ", entry.event, " of weight ", entry.weight,
           " makes a vector's sum of weights ", total, ", expected less than 2^128");
    }
    weights_.back() = static_cast<float>(weight);
    totals_.back() = static_cast<float>(total);
  }
  begins_.push_back(nodes_.size());
  whens_.push_back(when);
  times_.push_back(time);
  entries.clear();
}

std::uint32_t LabelVectors::first_from(double time) const {
  return static_cast<std::uint32_t>(std::lower_bound(times_.begin(), times_.end(), time) -
                                    times_.begin());
}

}  // namespace frugal::tgn
