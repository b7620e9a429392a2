#include "tools/gnn-sample/sampler/edge_sampler.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <thread>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kRowsOfBlock = 4096;
constexpr std::uint64_t kStream = 0x77696e646f77;

}  // namespace

EpochShuffle::Epoch::Epoch(std::uint64_t number, std::size_t num_edges)
    : number_(number), neighbors_(num_edges, uninitialized) {}

EpochShuffle::EpochShuffle(const CsrView& graph, std::uint64_t seed)
    : graph_(graph),
      seed_(seed),
      num_blocks_((graph.num_nodes() + kRowsOfBlock - 1) / kRowsOfBlock) {}

std::shared_ptr<const EpochShuffle::Epoch> EpochShuffle::of(std::uint64_t epoch) {
  std::shared_ptr<Epoch> wanted;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Epoch>& kept = kept_[epoch % 2];
    if (!kept || kept->number_ != epoch) {
      // New holders come this way alone.
      while (kept.use_count() > 1) std::this_thread::yield();
      kept.reset();
      kept.reset(new Epoch(epoch, graph_.num_edges()));
    }
    wanted = kept;
  }
  for (std::size_t block = wanted->next_++; block < num_blocks_; block = wanted->next_++) {
    shuffle_block(block, *wanted);
    if (++wanted->done_ == num_blocks_) wanted->done_.notify_all();
  }
  for (std::size_t done = wanted->done_; done < num_blocks_; done = wanted->done_) {
    wanted->done_.wait(done);
  }
  return wanted;
}

std::uint64_t EpochShuffle::stream_of(std::uint64_t epoch) { return hash_combine(kStream, epoch); }

void EpochShuffle::shuffle_block(std::size_t block, Epoch& epoch) const {
  const std::size_t begin = block * kRowsOfBlock;
  const std::size_t end = std::min(begin + kRowsOfBlock, graph_.num_nodes());
  const std::uint64_t stream = stream_of(epoch.number_);
  for (std::size_t v = begin; v < end; ++v) {
    const auto row = graph_.row(static_cast<NodeId>(v));
    NodeId* to = epoch.neighbors_.data() + graph_.offsets[v];
    std::copy(row.begin(), row.end(), to);
    shuffle(to, row.size(), Rng(seed_, hash_combine(stream, v)));
  }
}

namespace {

/// Offsets of a block have 32 bits.
constexpr std::uint64_t kMaxEdges = 0xffffffff;
/// Ids that wait for their lines of the table.
constexpr std::size_t kIdsAhead = 32;

/// How many of the places in `hidden`, which ascend, are in [begin, end).
std::uint32_t num_hidden(const std::vector<EdgeId>& hidden, EdgeId begin, EdgeId end) {
  if (hidden.empty()) return 0;
  const auto first = std::lower_bound(hidden.begin(), hidden.end(), begin);
  return static_cast<std::uint32_t>(std::lower_bound(first, hidden.end(), end) - first);
}

}  // namespace

EdgeSampler::EdgeSampler(EdgesToSample edges, bool positions, bool prefetch)
    : edges_(std::move(edges)), positions_(positions), prefetch_(prefetch) {
  assert(!edges_.shuffle || (edges_.times.empty() && !positions_));
}

void EdgeSampler::start(std::uint64_t epoch, std::span<const Link> hidden) {
  if (edges_.shuffle) {
    shuffled_ = edges_.shuffle->of(epoch);
    edges_.csr.neighbors = {shuffled_->neighbors().data(), shuffled_->neighbors().size()};
  }
  find_links(edges_.csr, edges_.sources_ascend, hidden, hidden_, edges_.hidden);
  num_earlier_ = 0;
}

void EdgeSampler::expand(const Expansion& hop, const SampledNodes& targets, IdTable& table,
                         SampledNodes& sources, SampledEdges& to) {
  std::visit([&](auto& known) { expand_with(known, hop, targets, sources, to); }, table);
}

void find_links(const CsrView& graph, bool sources_ascend, std::span<const Link> links,
                std::vector<EdgeId>& places, HiddenLinks which) {
  places.clear();
  if (which == HiddenLinks::none) return;
  const auto find = [&](NodeId source, NodeId target) {
    const auto row = graph.row(target);
    auto at = sources_ascend ? std::lower_bound(row.begin(), row.end(), source)
                             : std::find(row.begin(), row.end(), source);
    for (; at != row.end(); ++at) {
      if (*at == source) {
        places.push_back(graph.offsets[target] + static_cast<EdgeId>(at - row.begin()));
      } else if (sources_ascend) {
        break;
      }
    }
  };
  for (const Link& link : links) {
    if (which != HiddenLinks::turned_round) find(link.source, link.target);
    if (which != HiddenLinks::as_given) find(link.target, link.source);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

template <class Table>
void EdgeSampler::expand_with(Table& table, const Expansion& hop, const SampledNodes& targets,
                              SampledNodes& sources, SampledEdges& to) {
  const std::size_t num_targets = hop.end - hop.begin;
  to.offsets.make_room(hop.offsets + num_targets + 1, hop.offsets + 1);
  if (hop.fanout == 0) {
    std::fill_n(to.offsets.data() + hop.offsets, num_targets, static_cast<std::uint32_t>(to.size));
  }
  std::uint32_t taken[kTargetsAtOnce];
  for (std::size_t at = 0; at < num_targets && hop.fanout != 0; at += kTargetsAtOnce) {
    const std::size_t count = std::min(kTargetsAtOnce, num_targets - at);
    const std::size_t edges = draw_edges(hop, hop.begin + at, count, targets, taken);
    std::uint32_t* offsets = to.offsets.data() + hop.offsets + at;
    auto end = static_cast<std::uint32_t>(to.size);
    for (std::size_t i = 0; i < count; ++i) {
      offsets[i] = end;
      end += taken[i];
    }
    if (std::max<std::uint64_t>(to.size, sources.size) + edges >= kMaxEdges) {
      fail(ExitStatus::unavailable, "a mini-batch has more than ", kMaxEdges,
           " edges; take fewer seeds at a time or smaller fanouts");
    }
    if (Table::kTrees) note_roots(targets.roots.data() + hop.begin + at, count, taken);
    if (prefetch_) {
      add_edges<true>(table, edges, sources, to);
    } else {
      add_edges<false>(table, edges, sources, to);
    }
  }
  to.offsets.data()[hop.offsets + num_targets] = static_cast<std::uint32_t>(to.size);
}

/// Chooses edges of nodes [begin, begin + count) of the targets into picks_.
std::size_t EdgeSampler::draw_edges(const Expansion& hop, std::size_t begin, std::size_t count,
                                    const SampledNodes& targets, std::uint32_t* taken) {
  const NodeId* nodes = targets.ids.data();
  const EdgeId* offsets = edges_.csr.offsets.data();
  const std::size_t next_end = std::min(begin + 2 * kTargetsAtOnce, hop.end);
  if (prefetch_) {
    for (std::size_t i = begin + count; i < next_end; ++i) __builtin_prefetch(&offsets[nodes[i]]);
  }
  EdgeId row[kTargetsAtOnce];
  std::uint32_t size[kTargetsAtOnce];
  std::uint64_t room = 0;
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = offsets[nodes[begin + i]];
    size[i] = edges_.csr.degree(nodes[begin + i]);
  }
  if (!edges_.times.empty()) {
    if (begin + count > num_earlier_) {
      leave_earlier({row, count}, targets.roots.data() + begin, hop.seed_times, size);
      earlier_.make_room(begin + count, num_earlier_);
      std::copy_n(size, count, earlier_.data() + begin);
      // Targets before these were left out if earlier hops do not follow these edges.
      if (begin <= num_earlier_) num_earlier_ = begin + count;
    } else {
      std::copy_n(earlier_.data() + begin, count, size);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    size[i] -= num_hidden(hidden_, row[i], row[i] + size[i]);
    room += edges_.draw->at_most(size[i], hop.fanout);
  }
  picks_.make_room(room + kIdsAhead, 0);
  DrawTargets drawn;
  drawn.nodes = {nodes + begin, count};
  drawn.begin = row;
  drawn.size = size;
  drawn.first = begin - hop.begin;
  drawn.key = hop.key;
  drawn.fanout = hop.fanout;
  drawn.sources = edges_.csr.neighbors.data();
  drawn.prefetch = prefetch_;
  const std::size_t edges = edges_.draw->draw(drawn, taken, picks_.data());
  if (!hidden_.empty()) skip_hidden(row, count, taken);
  return edges;
}

/// Reduces the size of each row to its edges before the time of its root, which come first. The
/// binary searches of all rows take turns, so that the memory works on all of them at once. A step
/// halves what is left of a row without a branch, because one would be unpredictable.
void EdgeSampler::leave_earlier(std::span<const EdgeId> rows, const std::uint32_t* roots,
                                std::span<const double> seed_times, std::uint32_t* size) const {
  const double* at[kTargetsAtOnce];
  double time[kTargetsAtOnce];
  std::uint32_t left[kTargetsAtOnce], searched[kTargetsAtOnce];
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    at[i] = edges_.times.data() + rows[i];
    time[i] = seed_times[roots[i]];
    left[i] = size[i];
    searched[count] = static_cast<std::uint32_t>(i);
    count += size[i] != 0 ? 1 : 0;
    __builtin_prefetch(at[i] + left[i] / 2);
  }
  // The first edge that is not before the time is at `at`, among the `left` after it, or after
  // them.
  while (count != 0) {
    std::size_t next = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t i = searched[k], half = left[i] / 2;
      const std::uint32_t is_before = at[i][half] < time[i] ? 1 : 0;
      at[i] += (half + 1) & (0 - is_before);
      left[i] = half - (is_before & ~left[i] & 1);
      __builtin_prefetch(at[i] + left[i] / 2);
      searched[next] = i;
      next += left[i] != 0 ? 1 : 0;
    }
    count = next;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    size[i] = static_cast<std::uint32_t>(at[i] - edges_.times.data() - rows[i]);
  }
}

/// Turns places among the edges that may be drawn into places among all.
void EdgeSampler::skip_hidden(const EdgeId* begin, std::size_t count, const std::uint32_t* taken) {
  EdgeId* pick = picks_.data();
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = std::lower_bound(hidden_.begin(), hidden_.end(), begin[i]);
    for (const EdgeId* end = pick + taken[i]; pick != end; ++pick) {
      for (auto at = first; at != hidden_.end() && *at <= *pick; ++at) ++*pick;
    }
  }
}

/// Says of each edge drawn in whose neighbourhood it is: in that of its target.
void EdgeSampler::note_roots(const std::uint32_t* roots, std::size_t count,
                             const std::uint32_t* taken) {
  pick_roots_.make_room(std::accumulate(taken, taken + count, std::size_t{0}), 0);
  std::uint32_t* to = pick_roots_.data();
  for (std::size_t i = 0; i < count; ++i) to = std::fill_n(to, taken[i], roots[i]);
}

/// Gives the sources of the edges in picks_ their local ids.
template <bool kPrefetch, class Table>
void EdgeSampler::add_edges(Table& table, std::size_t count, SampledNodes& sources,
                            SampledEdges& to) {
  using Key = typename Table::Key;
  sources.ids.make_room(sources.size + count + 1, sources.size);
  if (Table::kTrees) sources.roots.make_room(sources.size + count + 1, sources.size);
  to.neighbors.make_room(to.size + count, to.size);
  table.make_room(sources.size + count);
  const auto key = [&table, picks = picks_.data(), neighbors = edges_.csr.neighbors.data(),
                    roots = pick_roots_.data()](std::size_t j) -> Key {
    if constexpr (Table::kTrees) return table.key(roots[j], neighbors[picks[j]]);
    return neighbors[picks[j]];
  };
  NodeId* nodes = sources.ids.data();
  std::uint32_t* neighbors = to.neighbors.data() + to.size;
  std::uint32_t known = sources.size;
  Key waiting[kIdsAhead];
  const std::size_t ahead = kPrefetch ? std::min(kIdsAhead, count) : 0;
  for (std::size_t j = 0; j < ahead; ++j) table.prefetch(waiting[j] = key(j));
  for (std::size_t j = 0; j < count; ++j) {
    const Key id = kPrefetch ? waiting[j % kIdsAhead] : key(j);
    if (kPrefetch && j + kIdsAhead < count) {
      table.prefetch(waiting[j % kIdsAhead] = key(j + kIdsAhead));
    }
    const std::uint32_t local = table.insert(id, known);
    if constexpr (Table::kTrees) {
      nodes[known] = table.node(id);
      sources.roots.data()[known] = pick_roots_.data()[j];
    } else {
      nodes[known] = id;
    }
    known += local == known ? 1 : 0;
    neighbors[j] = local;
  }
  if (positions_) {
    to.positions.make_room(to.size + count, to.size);
    std::copy_n(picks_.data(), count, to.positions.data() + to.size);
  }
  sources.size = known;
  to.size += count;
}

}  // namespace frugal::gnn
