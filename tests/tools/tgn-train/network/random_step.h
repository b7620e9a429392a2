#pragma once
#include <algorithm>
#include <vector>

#include "libcore/base/rng.h"
#include "tests/tools/tgn-train/plain_tgn.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

/// A step of random rows with the numbers that it reads: updates on three levels, queries without
/// neighbours, with one, and with one that comes twice.
class RandomStep {
 public:
  static constexpr std::size_t kNodes = 9, kEvents = 20, kLoaded = 6, kPerLevel = 4, kLevels = 3;

  RandomStep(const TgnOptions& options, const TgnInputs& inputs, std::size_t num_triples,
             std::uint64_t seed, bool kept = false, std::size_t others = 1)
      : options_(options), inputs_(inputs), rng_(seed) {
    const std::size_t dim = options.memory_dim, updates = options.has_memory() ? 12 : 0;
    static_assert(kPerLevel * kLevels == 12);
    plan.num_slots = 1 + kLoaded + updates;
    for (std::size_t s = 0; s < plan.num_slots; ++s) plan.node_of_slot.push_back(below(kNodes));
    memory_ = floats((1 + kLoaded) * dim, options.has_memory() ? 1 : 0);
    std::fill_n(memory_.begin(), dim, 0.0F);
    edges_ = floats(kEvents * stored_edges(), 1);
    for (std::size_t e = 0; e < kEvents && inputs.types != 0; ++e) {
      types_.push_back(static_cast<std::uint16_t>(e * e % inputs.types));
    }
    nodes_ = floats(kNodes * dim, 0.5);
    if (updates != 0) add_updates();
    plan.updates.kept = kept;
    kept_width_ = dim + inputs.edge_features + options.time_dim;
    if (kept) kept_ = floats(updates * kept_width_, 1);
    plan.layers.resize(options.layers);
    for (std::size_t k = 0; k < options.layers; ++k) {
      add_queries(k, k + 1 == options.layers ? (2 + others) * num_triples : 7);
    }
    plan.pair_dim = inputs.pair_features;
    plan.others = others;
    plan.pairs = floats((1 + others) * num_triples * plan.pair_dim, 3);
    if (options.reads_common()) add_common((1 + others) * num_triples);
  }

  StepFeatures features() const {
    StepFeatures f;
    f.edges = rows(edges_, kEvents, stored_edges());
    f.edges.types = types_.data();
    f.edges.num_types = inputs_.types;
    if (inputs_.node_features) f.nodes = rows(nodes_, kNodes, options_.memory_dim);
    return f;
  }
  MatrixView<const float> messages() const {
    return {kept_.data(), plan.updates.kept ? plan.updates.size() : 0, kept_width_};
  }
  /// The model's embeddings of the step.
  MatrixView<const float> embed(TgnModel& model, const TgnPass& pass) const {
    const MatrixView<float> slots = model.begin(plan);
    for (std::size_t s = 0; s <= kLoaded; ++s) {
      std::copy_n(memory_.data() + s * slots.cols, slots.cols, slots.row(s));
    }
    return model.embed(plan, features(), messages(), pass);
  }

  /// Features of the pairs; or, of a decoder of common neighbours, whether the ends met and the
  /// sums over each list, followed by its length.
  std::vector<plain::Numbers> plain_pairs(const plain::Network& network) const {
    std::vector<plain::Numbers> pairs;
    if (options_.reads_common()) {
      const std::vector<plain::Numbers> memory = plain_memory(network);
      const CommonRows& c = plan.common;
      for (std::size_t p = 0; p < c.pairs(); ++p) {
        pairs.push_back({double(c.source_met[p]), double(c.destination_met[p])});
        for (std::size_t l = p * CommonRows::kLists; l < (p + 1) * CommonRows::kLists; ++l) {
          plain::Numbers sum(options_.memory_dim + 1);
          for (std::size_t i = c.offsets[l]; i < c.offsets[l + 1]; ++i) {
            const plain::Numbers& row = memory[c.slots[i]];
            for (std::size_t d = 0; d < row.size(); ++d) sum[d] = sum[d] + row[d];
            sum.back() = sum.back() + 1;
          }
          pairs.back() = plain::joined({pairs.back(), sum});
        }
      }
      return pairs;
    }
    for (std::size_t p = 0; p < plan.pair_rows().rows; ++p) {
      pairs.push_back(plain_row(plan.pairs, p, plan.pair_dim));
    }
    return pairs;
  }
  /// The slots, with the updates made; then the embeddings of the last layer's queries.
  std::vector<plain::Numbers> plain_slots(const plain::Network& network) const {
    std::vector<plain::Numbers> slots(plan.num_slots, plain::Numbers(options_.memory_dim));
    for (std::size_t s = 0; s <= kLoaded; ++s) slots[s] = plain_row(memory_, s, slots[s].size());
    const UpdateRows& u = plan.updates;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const plain::Numbers own = plain::fixed(slots[u.own[i]]);
      slots[u.out[i]] =
          network.update(u.kept ? plain::joined({own, plain_row(kept_, i, kept_width_)})
                                : network.raw_message(own, slots[u.other[i]], edge(u.event[i]),
                                                      u.dt[i], u.time_learns),
                         own);
    }
    return slots;
  }
  /// The slots with the features of their nodes.
  std::vector<plain::Numbers> plain_memory(const plain::Network& network) const {
    std::vector<plain::Numbers> memory = plain_slots(network);
    for (std::size_t s = 0; inputs_.node_features && s < memory.size(); ++s) {
      const plain::Numbers f = plain_row(nodes_, plan.node_of_slot[s], options_.memory_dim);
      for (std::size_t c = 0; c < f.size(); ++c) memory[s][c] = memory[s][c] + f[c];
    }
    return memory;
  }
  std::vector<plain::Numbers> plain_embeddings(const plain::Network& network) const {
    std::vector<plain::Numbers> below = plain_memory(network);
    for (std::size_t k = 0; k < plan.layers.size(); ++k) {
      const QueryRows& q = plan.layers[k];
      std::vector<plain::Numbers> out;
      for (std::size_t r = 0; r < q.size(); ++r) {
        std::vector<plain::Neighbor> neighbors;
        for (std::size_t e = q.offsets[r]; e < q.offsets[r + 1]; ++e) {
          neighbors.push_back({below[q.neighbors[e]], edge(q.events[e]), q.dt[e]});
        }
        out.push_back(network.embed(k, below[q.self[r]], q.since[r], neighbors));
      }
      below = out;
    }
    return below;
  }

  StepPlan plan;

 private:
  static plain::Numbers plain_row(const std::vector<float>& from, std::size_t row,
                                  std::size_t dim) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * dim);
    return {begin, begin + static_cast<std::ptrdiff_t>(dim)};
  }
  static FeatureRows rows(const std::vector<float>& from, std::size_t count, std::size_t dim) {
    return {Dtype::f32, reinterpret_cast<const std::byte*>(from.data()), count, dim};
  }
  plain::Numbers edge(EventId event) const {
    plain::Numbers type(inputs_.types);
    if (inputs_.types != 0) type[types_[event]] = 1;
    return plain::joined({plain_row(edges_, event, stored_edges()), type});
  }
  std::size_t stored_edges() const { return inputs_.edge_features - inputs_.types; }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(rng_.below(n)); }
  std::vector<float> floats(std::size_t n, double bound) {
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(rng_.uniform(-bound, bound));
    return x;
  }

  void add_updates() {
    UpdateRows& u = plan.updates;
    std::vector<std::uint32_t> outs;
    for (std::size_t s = 1 + kLoaded; s < plan.num_slots; ++s) {
      outs.push_back(static_cast<std::uint32_t>(s));
    }
    shuffle(outs.data(), outs.size(), rng_);
    for (std::size_t i = 0; i < outs.size(); ++i) {
      // Made before this level: loaded ones, or outs of lower levels.
      const std::size_t made = i / kPerLevel * kPerLevel;
      const auto any = [&] {
        const std::uint32_t s = below(1 + kLoaded + made);
        return s <= kLoaded ? s : outs[s - 1 - kLoaded];
      };
      u.own.push_back(any());
      u.other.push_back(i % kPerLevel == 1 ? u.own.back() : any());
      if (made != 0 && i == made) u.own.back() = outs[made - 1];
      u.event.push_back(below(kEvents));
      u.dt.push_back(i == 2 ? 0 : static_cast<double>(below(30)));
      u.out.push_back(outs[i]);
    }
    for (std::size_t l = 0; l <= kLevels; ++l) {
      u.level_begin.push_back(static_cast<std::uint32_t>(l * kPerLevel));
    }
  }

  /// Lists of no, one and several nodes; of the last kind of list all are empty.
  void add_common(std::size_t pairs) {
    CommonRows& c = plan.common;
    c.offsets = {0};
    for (std::size_t p = 0; p < pairs; ++p) {
      c.source_met.push_back(p % 3 == 1 ? 1 : 0);
      c.destination_met.push_back(p % 4 == 1 ? 1 : 0);
      for (std::size_t list = 0; list < CommonRows::kLists; ++list) {
        const std::size_t count = list + 1 == CommonRows::kLists ? 0 : (p + list) % 4;
        for (std::size_t i = 0; i < count; ++i) c.slots.push_back(below(plan.num_slots));
        c.offsets.push_back(static_cast<std::uint32_t>(c.slots.size()));
      }
    }
    for (const std::uint32_t slot : c.slots) c.gradient.push_back(gradient_row(0, slot));
  }

  std::uint32_t gradient_row(std::size_t layer, std::uint32_t row) const {
    if (layer != 0) return row;
    const auto& out = plan.updates.out;
    const auto found = std::find(out.begin(), out.end(), row);
    return found == out.end() ? kNoRow : static_cast<std::uint32_t>(found - out.begin());
  }

  void add_queries(std::size_t layer, std::size_t count) {
    QueryRows& q = plan.layers[layer];
    const std::size_t rows = layer == 0 ? plan.num_slots : plan.layers[layer - 1].size();
    q.offsets = {0};
    for (std::size_t r = 0; r < count; ++r) {
      q.self.push_back(below(rows));
      q.since.push_back(rng_.uniform(-1, 2));
      const std::uint32_t degree = r == 1 || !options_.has_neighbors() ? 0 : r == 2 ? 1 : below(5);
      for (std::uint32_t j = 0; j < degree; ++j) {
        q.neighbors.push_back(j == 1 && r % 2 == 0 ? q.neighbors.back() : below(rows));
        q.events.push_back(below(kEvents));
        q.dt.push_back(1 + static_cast<double>(below(20)));
      }
      q.offsets.push_back(static_cast<std::uint32_t>(q.neighbors.size()));
    }
    for (const std::uint32_t row : q.self) q.self_gradient.push_back(gradient_row(layer, row));
    for (const std::uint32_t row : q.neighbors) {
      q.neighbor_gradient.push_back(gradient_row(layer, row));
    }
  }

  TgnOptions options_;
  TgnInputs inputs_;
  Rng rng_;
  std::vector<float> memory_, edges_, nodes_, kept_;
  std::vector<std::uint16_t> types_;
  std::size_t kept_width_ = 0;
};

}  // namespace frugal::tgn
