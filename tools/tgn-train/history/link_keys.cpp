#include "tools/tgn-train/history/link_keys.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/state_tensors.h"
#include "tools/tgn-train/history/node_set.h"
#include "tools/tgn-train/history/walk_projections.h"

namespace frugal::tgn {

const std::array<const char*, kNumLinkKeys> kLinkKeyNames = {"link_age",
                                                             "link_time",
                                                             "link_count",
                                                             "reply_time",
                                                             "destination_time",
                                                             "destination_age",
                                                             "destination_count",
                                                             "popularity_100",
                                                             "popularity_1000",
                                                             "popularity_10000",
                                                             "activity_time",
                                                             "next",
                                                             "cooccurrence",
                                                             "lasting",
                                                             "repeat",
                                                             "again"};

namespace {

constexpr std::array<double, 3> kHalfLivesOfEvents = {100, 1000, 10000};
/// Least key of a decayed count.
constexpr float kLeastPopularity = -20;
/// Fading of a source's returns with each of its events, and the events that the mean of all
/// sources counts as.
constexpr float kReturnFade = 0.95F;
constexpr double kPriorReturns = 2;
/// Scores of co-occurrence are of the order of 1e-4 to 1.
constexpr float kCoOccurrenceScale = 1e4F;
/// Most room that senders have, as a multiple of their number.
constexpr std::size_t kSenderRoom = 4;
/// Likely candidates of each kind.
constexpr std::size_t kLikelyPartners = 20, kLikelyNear = 60, kLikelyPopular = 30;

static_assert(kFirstNodeKey == static_cast<std::size_t>(LinkKey::destination_time) &&
              kFirstNodeKey + kNumNodeKeys ==
                  static_cast<std::size_t>(LinkKey::activity_time) + 1 &&
              kFirstNearKey == static_cast<std::size_t>(LinkKey::next) &&
              kFirstNearKey + kNumNearKeys == static_cast<std::size_t>(LinkKey::lasting) + 1 &&
              kNumNodeKeys + kNumNearKeys + kMeetingKeys.size() == kNumLinkKeys);
static_assert(kLikelyPartners + kLikelyNear + kLikelyPopular == LinkKeys::kMostLikely);

constexpr std::size_t at(LinkKey key) { return static_cast<std::size_t>(key); }

float log_odds(double count, double of, double mean) {
  const double share = (count + kPriorReturns * mean) / (of + kPriorReturns);
  return static_cast<float>(std::log((share + 1e-3) / (1 - share + 1e-3)));
}

float co_occurrence_key(float score) {
  return score > 0 ? log_compressed(kCoOccurrenceScale * score) : kNever;
}

}  // namespace

std::uint64_t LinkKeys::most_bytes(std::uint64_t sent, std::uint64_t received) {
  // Arrays that grow have room for up to twice their size; senders_ are shrunk at a quarter.
  const std::uint64_t partners = std::min<std::uint64_t>(sent, kPartners);
  return sizeof(Node) + sizeof(std::vector<Partner>) + sizeof(std::vector<NodeId>) +
         partners * (2 * sizeof(Partner) + kSenderRoom * sizeof(NodeId)) +
         CoOccurrence::most_bytes(sent, received);
}

void LinkKeys::grow(std::size_t num_nodes) {
  nodes_.resize(num_nodes);
  partners_.resize(num_nodes);
  senders_.resize(num_nodes);
  co_occurrence_.grow(num_nodes);
}

void LinkKeys::add(NodeId source, NodeId destination, double time) {
  catch_up(time);
  now_.push_back({source, destination, time});
}

/// Applies the waiting events if they are strictly before the time.
void LinkKeys::catch_up(double time) {
  if (now_.empty() || now_.front().time == time) return;
  for (const Event& event : now_) apply(event);
  now_.clear();
}

void LinkKeys::count_return(Node& source, bool repeats, bool again) {
  const auto count = [](float& sum, bool value) {
    sum = sum * kReturnFade + (value ? 1.0F : 0.0F);
  };
  count(source.repeats, repeats);
  count(source.agains, again);
  count(source.events, true);
  repeats_ += repeats ? 1 : 0;
  agains_ += again ? 1 : 0;
  returns_ += 1;
}

void LinkKeys::add_sender(NodeId source, Partner& partner) {
  partner.sender_place = static_cast<std::uint32_t>(senders_[partner.node].size());
  senders_[partner.node].push_back(source);
}

/// Moves the last sender to the place that gets free, and tells its partner of the new place.
void LinkKeys::remove_sender(const Partner& partner) {
  std::vector<NodeId>& senders = senders_[partner.node];
  const NodeId last = senders.back();
  senders[partner.sender_place] = last;
  senders.pop_back();
  for (Partner& other : partners_[last]) {
    if (other.node == partner.node) other.sender_place = partner.sender_place;
  }
  if (senders.capacity() > kSenderRoom * senders.size()) senders.shrink_to_fit();
}

void LinkKeys::apply(const Event& event) {
  Node& source = nodes_[event.source];
  Node& destination = nodes_[event.destination];
  std::vector<Partner>& partners = partners_[event.source];
  Partner partner{event.time, event.destination, 0, 0, 0};
  const auto known = std::find_if(partners.begin(), partners.end(), [&](const Partner& other) {
    return other.node == event.destination;
  });
  if (source.source_events > 0) {
    count_return(source, known != partners.end(),
                 !partners.empty() && partners.back().node == event.destination);
  }
  if (known != partners.end()) {
    partner.count = known->count;
    partner.sender_place = known->sender_place;
    partners.erase(known);
  } else {
    if (partners.size() == kPartners) {
      remove_sender(partners.front());
      partners.erase(partners.begin());
    }
    add_sender(event.source, partner);
  }
  partner.source_event = ++source.source_events;
  ++partner.count;
  partners.push_back(partner);
  co_occurrence_.add(event.source, event.destination);
  source.activity_time = destination.activity_time = destination.destination_time = event.time;
  destination.destination_event = events_;
  for (std::size_t i = 0; i < kHalfLives; ++i) {
    const double now = static_cast<double>(events_) / kHalfLivesOfEvents[i];
    double& popularity = destination.popularity[i];
    popularity = now + std::log2(1 + std::exp2(popularity - now));
  }
  ++events_;
}

float LinkKeys::since(double then, double now) const {
  return then == kNoTime ? kNever : log_compressed(static_cast<float>((now - then) * per_unit_));
}

const LinkKeys::Partner* LinkKeys::find(const std::vector<Partner>& partners, NodeId node) {
  for (auto partner = partners.rbegin(); partner != partners.rend(); ++partner) {
    if (partner->node == node) return &*partner;
  }
  return nullptr;
}

void LinkKeys::node_columns(std::span<const NodeId> candidates, double time,
                            std::vector<float>& columns) {
  catch_up(time);
  const std::size_t n = candidates.size();
  columns.resize(kNumNodeKeys * n);
  const auto column = [&](LinkKey key) { return columns.data() + (at(key) - kFirstNodeKey) * n; };
  float* const destination_time = column(LinkKey::destination_time);
  float* const age = column(LinkKey::destination_age);
  float* const count = column(LinkKey::destination_count);
  float* const popularity = column(LinkKey::popularity_100);
  float* const activity_time = column(LinkKey::activity_time);
  const auto passed = [&](double then) {
    const auto units = static_cast<float>((time - then) * per_unit_);
    return then == kNoTime ? kNever : units;
  };
  std::array<double, kHalfLives> now{};
  for (std::size_t i = 0; i < kHalfLives; ++i)
    now[i] = static_cast<double>(events_) / kHalfLivesOfEvents[i];
  for (std::size_t c = 0; c < n; ++c) {
    const Node& node = nodes_[candidates[c]];
    const std::uint32_t events = co_occurrence_.count(candidates[c]);
    destination_time[c] = passed(node.destination_time);
    activity_time[c] = passed(node.activity_time);
    age[c] = events == 0 ? kNever : static_cast<float>(events_ - node.destination_event);
    count[c] = static_cast<float>(events);
    for (std::size_t i = 0; i < kHalfLives; ++i) {
      popularity[i * n + c] =
          std::max(kLeastPopularity, static_cast<float>(node.popularity[i] - now[i]));
    }
  }
  for (float* const of : {destination_time, age, count, activity_time}) kernels().log1p(of, n);
}

void LinkKeys::near_columns(NodeId source, double time, std::vector<NodeId>& nodes,
                            std::vector<float>& columns) {
  catch_up(time);
  co_occurrence_.near(source, nodes, scores_);
  const std::size_t n = nodes.size();
  columns.resize(kNumNearKeys * n);
  for (std::size_t i = 0; i < n; ++i) {
    columns[i] = scores_[i].next;
    columns[n + i] = scores_[i].recent;
    columns[2 * n + i] = scores_[i].lasting;
  }
  for (float& score : columns) score = co_occurrence_key(score);
}

void LinkKeys::meeting_rows(NodeId source, double time, std::vector<NodeId>& nodes,
                            std::vector<float>& rows) {
  catch_up(time);
  const std::vector<Partner>& partners = partners_[source];
  nodes.assign(senders_[source].begin(), senders_[source].end());
  for (const Partner& partner : partners) nodes.push_back(partner.node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  rows.resize(nodes.size() * kNumLinkKeys);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    pair_keys(source, nodes[i], find(partners, nodes[i]), time, rows.data() + i * kNumLinkKeys);
}

/// link: the source's last event with the candidate, or null.
void LinkKeys::pair_keys(NodeId source, NodeId candidate, const Partner* link, double time,
                         float* out) const {
  const Node& node = nodes_[source];
  const Partner* const reply = find(partners_[candidate], source);
  for (const LinkKey key : {LinkKey::link_age, LinkKey::link_time, LinkKey::link_count}) {
    out[at(key)] = kNever;
  }
  out[at(LinkKey::repeat)] = out[at(LinkKey::again)] = kNever;
  out[at(LinkKey::reply_time)] = reply == nullptr ? kNever : since(reply->time, time);
  if (link == nullptr) return;
  out[at(LinkKey::link_age)] =
      log_compressed(static_cast<float>(node.source_events - link->source_event));
  out[at(LinkKey::link_time)] = since(link->time, time);
  out[at(LinkKey::link_count)] = log_compressed(static_cast<float>(link->count));
  const double returns = std::max(returns_, 1.0);
  out[at(LinkKey::repeat)] = log_odds(node.repeats, node.events, repeats_ / returns);
  if (link != &partners_[source].back()) return;
  out[at(LinkKey::again)] = log_odds(node.agains, node.events, agains_ / returns);
}

void LinkKeys::keys(NodeId source, std::span<const NodeId> candidates, double time,
                    std::vector<float>& keys) {
  node_columns(candidates, time, columns_);
  co_occurrence_.score(source, candidates, scores_);
  keys.resize(candidates.size() * kNumLinkKeys);
  const std::vector<Partner>& partners = partners_[source];
  NodeSet met(partners.size());
  for (const Partner& partner : partners) met.insert(partner.node);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    float* const out = keys.data() + i * kNumLinkKeys;
    for (std::size_t k = 0; k < kNumNodeKeys; ++k)
      out[kFirstNodeKey + k] = columns_[k * candidates.size() + i];
    pair_keys(source, candidates[i],
              met.contains(candidates[i]) ? find(partners, candidates[i]) : nullptr, time, out);
    out[at(LinkKey::next)] = co_occurrence_key(scores_[i].next);
    out[at(LinkKey::cooccurrence)] = co_occurrence_key(scores_[i].recent);
    out[at(LinkKey::lasting)] = co_occurrence_key(scores_[i].lasting);
  }
}

void LinkKeys::likely(NodeId source, double time, std::vector<NodeId>& nodes,
                      const std::span<const NodeId>* among) {
  catch_up(time);
  co_occurrence_.best(source, kLikelyNear, nodes, among);
  const std::vector<Partner>& partners = partners_[source];
  std::size_t left = kLikelyPartners;
  for (auto partner = partners.rbegin(); partner != partners.rend() && left != 0; ++partner) {
    if (among != nullptr && !std::binary_search(among->begin(), among->end(), partner->node)) {
      continue;
    }
    nodes.push_back(partner->node);
    --left;
  }
  add_popular(among, nodes);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void LinkKeys::add_popular(const std::span<const NodeId>* among, std::vector<NodeId>& nodes) const {
  std::vector<std::pair<double, NodeId>> popular;
  const std::size_t count = among == nullptr ? nodes_.size() : among->size();
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId v = among == nullptr ? static_cast<NodeId>(i) : (*among)[i];
    if (co_occurrence_.count(v) != 0) popular.emplace_back(-nodes_[v].popularity[1], v);
  }
  const auto end =
      popular.begin() + static_cast<std::ptrdiff_t>(std::min(kLikelyPopular, popular.size()));
  std::partial_sort(popular.begin(), end, popular.end());
  for (auto one = popular.begin(); one != end; ++one) nodes.push_back(one->second);
}

namespace {

const std::string kKeysPrefix = "keys.";

/// Adds an array of plain structures as bytes, or reads it.
template <class T>
void add_bytes(Document& document, const std::string& name, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  document.tensors.push_back(Tensor::copy_of<std::uint8_t>(
      kKeysPrefix + name, {bytes}, {reinterpret_cast<const std::uint8_t*>(values.data()), bytes}));
}

template <class T>
std::vector<T> bytes_of(const Document& document, const std::string& path,
                        const std::string& name) {
  const Tensor* const tensor = document.find(kKeysPrefix + name);
  const std::uint64_t size = tensor == nullptr || tensor->shape.empty() ? 0 : tensor->shape[0];
  const auto from =
      shaped_tensor(document, path, kKeysPrefix + name, {size / sizeof(T) * sizeof(T)}, Dtype::u8)
          .content();
  std::vector<T> values(from.size() / sizeof(T));
  std::copy(from.begin(), from.end(), std::as_writable_bytes(std::span(values)).begin());
  return values;
}

}  // namespace

void LinkKeys::save(Document& document, std::size_t num_nodes) {
  const auto end = static_cast<std::ptrdiff_t>(num_nodes);
  std::vector<Partner> partners;
  std::vector<std::uint64_t> sizes;
  for (std::size_t v = 0; v < num_nodes; ++v) {
    for (Partner partner : partners_[v]) {
      partner.sender_place = 0;  // loading finds it again
      partners.push_back(partner);
    }
    sizes.push_back(partners_[v].size());
  }
  add_bytes(document, "nodes", std::vector<Node>(nodes_.begin(), nodes_.begin() + end));
  add_bytes(document, "sizes", sizes);
  add_bytes(document, "links", partners);
  add_bytes(document, "now", now_);
  add_bytes(document, "sums",
            std::vector<double>{static_cast<double>(events_), repeats_, agains_, returns_});
  co_occurrence_.save(document, kKeysPrefix, num_nodes);
}

void LinkKeys::load(const Document& document, const std::string& path, std::size_t num_nodes) {
  nodes_ = bytes_of<Node>(document, path, "nodes");
  now_ = bytes_of<Event>(document, path, "now");
  const auto sizes = bytes_of<std::uint64_t>(document, path, "sizes");
  const auto partners = bytes_of<Partner>(document, path, "links");
  const auto sums = bytes_of<double>(document, path, "sums");
  const auto refuse_unless = [&](bool good) {
    if (good) return;
    fail(ExitStatus::bad_input, path, ": tensors ", kKeysPrefix,
         "* are not a history of the stream's nodes");
  };
  const auto is_time = [](double x) { return std::isfinite(x) || x == kNoTime; };
  refuse_unless(nodes_.size() == num_nodes && sizes.size() == num_nodes && sums.size() == 4 &&
                sums[0] >= 0 && sums[0] < 0x1p63 &&
                std::all_of(sums.begin(), sums.end(), [](double x) { return std::isfinite(x); }));
  for (const Node& node : nodes_) {
    refuse_unless(is_time(node.destination_time) && is_time(node.activity_time) &&
                  std::all_of(node.popularity.begin(), node.popularity.end(), is_time) &&
                  std::isfinite(node.repeats) && std::isfinite(node.agains) &&
                  std::isfinite(node.events));
  }
  for (const Event& event : now_) {
    refuse_unless(event.source < num_nodes && event.destination < num_nodes &&
                  event.time == now_.front().time);
  }
  partners_.assign(num_nodes, {});
  senders_.assign(num_nodes, {});
  auto next = partners.begin();
  for (std::size_t v = 0; v < num_nodes; ++v) {
    refuse_unless(sizes[v] <= kPartners &&
                  sizes[v] <= static_cast<std::uint64_t>(partners.end() - next));
    for (std::uint64_t i = 0; i < sizes[v]; ++i, ++next) {
      refuse_unless(next->node < num_nodes && std::isfinite(next->time) &&
                    find(partners_[v], next->node) == nullptr);
      partners_[v].push_back(*next);
      add_sender(static_cast<NodeId>(v), partners_[v].back());
    }
  }
  refuse_unless(next == partners.end());
  events_ = static_cast<std::uint64_t>(sums[0]);
  repeats_ = sums[1];
  agains_ = sums[2];
  returns_ = sums[3];
  co_occurrence_ = CoOccurrence(num_nodes);
  co_occurrence_.load(document, path, kKeysPrefix, num_nodes);
}

}  // namespace frugal::tgn
