#pragma once
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/graph/temporal_csr.h"
#include "tests/tools/tgn-train/tape.h"
#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/network/tgn_model.h"

namespace frugal::tgn {

struct StreamShape {
  std::size_t events = 200, nodes = 14;
  bool bipartite = false;  ///< the first half of the nodes are sources
  bool real_times = false;
  double equal_times = 0.4;  ///< share of events at the time of the one before
  std::uint64_t seed = 1;
};

/// Random events at Unix times: hubs, pairs that come again and, if not bipartite, self loops.
class RandomStream {
 public:
  RandomStream(const StreamShape& shape, const TgnInputs& inputs, std::size_t dim)
      : num_nodes_(shape.nodes), inputs_(inputs), dim_(dim), real_times_(shape.real_times) {
    Rng rng(shape.seed, 77);
    double time = 1.7e9 + (real_times_ ? 0.5 : 0);
    const std::size_t half = shape.nodes / 2;
    for (std::size_t e = 0; e < shape.events; ++e) {
      if (e != 0 && rng.uniform() >= shape.equal_times) {
        time += static_cast<double>(1 + rng.below(9)) / (real_times_ ? 4 : 1);
      }
      const auto node = [&](std::size_t begin, std::size_t end) {
        // Every third is the hub.
        return static_cast<NodeId>(rng.below(3) == 0 ? begin : begin + rng.below(end - begin));
      };
      NodeId source = node(0, shape.bipartite ? half : shape.nodes);
      NodeId destination = node(shape.bipartite ? half : 0, shape.nodes);
      if (e != 0 && rng.below(5) == 0) {
        source = sources.back();
        destination = destinations.back();
      }
      sources.push_back(source);
      destinations.push_back(destination);
      negatives.push_back(static_cast<NodeId>(rng.below(shape.nodes)));
      times_.push_back(time);
      whole_times_.push_back(static_cast<std::int64_t>(time));
    }
    edges_ = floats(shape.events * stored_edges(), rng);
    for (std::size_t e = 0; e < shape.events && inputs.types != 0; ++e) {
      types_.push_back(static_cast<std::uint16_t>(Rng(shape.seed, 78, e).below(inputs.types)));
    }
    nodes_ = floats(shape.nodes * dim, rng);
    neighbors = TemporalCsr(sources, destinations, shape.nodes);
  }

  std::size_t size() const { return sources.size(); }
  std::size_t num_nodes() const { return num_nodes_; }
  double time(std::size_t event) const { return times_[event]; }
  EventView view() const {
    EventView view{sources, destinations, {}, num_nodes_};
    view.times = real_times_ ? EventTimes(std::span<const double>(times_))
                             : EventTimes(std::span<const std::int64_t>(whole_times_));
    view.types = types_;
    return view;
  }
  StepFeatures features() const {
    StepFeatures f;
    f.edges = rows(edges_, size(), stored_edges());
    f.edges.types = types_.data();
    f.edges.num_types = inputs_.types;
    if (inputs_.node_features) f.nodes = rows(nodes_, num_nodes_, dim_);
    return f;
  }
  std::uint16_t type(std::size_t event) const {
    return types_.empty() ? std::uint16_t{0} : types_[event];
  }
  plain::Numbers edge(std::size_t event) const {
    plain::Numbers type(inputs_.types);
    if (inputs_.types != 0) type[types_[event]] = 1;
    return plain::joined({row(edges_, event, stored_edges()), type});
  }
  /// Zeros where nodes have none.
  plain::Numbers node(NodeId node) const {
    return inputs_.node_features ? row(nodes_, node, dim_) : plain::Numbers(dim_);
  }

  std::vector<NodeId> sources, destinations, negatives;
  TemporalCsr neighbors;

 private:
  std::size_t stored_edges() const { return inputs_.edge_features - inputs_.types; }
  static std::vector<float> floats(std::size_t n, Rng& rng) {
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(rng.uniform(-1, 1));
    return x;
  }
  static FeatureRows rows(const std::vector<float>& from, std::size_t count, std::size_t dim) {
    return {Dtype::f32, reinterpret_cast<const std::byte*>(from.data()), count, dim};
  }
  static plain::Numbers row(const std::vector<float>& from, std::size_t r, std::size_t dim) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(r * dim);
    return {begin, begin + static_cast<std::ptrdiff_t>(dim)};
  }

  std::size_t num_nodes_;
  TgnInputs inputs_;
  std::size_t dim_;
  bool real_times_;
  std::vector<double> times_;
  std::vector<std::int64_t> whole_times_;
  std::vector<float> edges_, nodes_;
  std::vector<std::uint16_t> types_;
};

}  // namespace frugal::tgn
