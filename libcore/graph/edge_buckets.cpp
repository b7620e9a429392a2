#include "libcore/graph/edge_buckets.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "libcore/base/error.h"
#include "libcore/system/free_memory.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 22;  ///< edges that a thread takes at a time
constexpr int kMinBits = 10, kMaxBits = 18;
constexpr std::uint64_t kRangesWanted = 64;

/// A part of a chunk.
struct Piece {
  std::size_t chunk = 0, begin = 0, end = 0;
  EdgeId first = 0;  ///< number of its first edge in the input
};

std::vector<Piece> cut(const EdgeList& edges) {
  std::vector<Piece> pieces;
  EdgeId first = 0;
  for (std::size_t c = 0; c < edges.chunks.size(); ++c) {
    const std::size_t size = edges.chunks[c].size();
    for (std::size_t begin = 0; begin < size; begin += kPiece) {
      const std::size_t end = std::min(size, begin + kPiece);
      pieces.push_back({c, begin, end, first});
      first += end - begin;
    }
  }
  return pieces;
}

/// Calls body(source, target, i) for each edge that the graph will have of a piece's edges.
template <class Body>
void for_each_edge(const EdgeChunk& chunk, const Piece& piece, const BuildOptions& options,
                   const Body& body) {
  const bool drop_loops = options.self_loops == SelfLoops::remove;
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    const NodeId source = chunk.sources[i], target = chunk.targets[i];
    if (source == target) {
      if (!drop_loops) body(source, target, i);
      continue;
    }
    body(source, target, i);
    if (options.symmetrize) body(target, source, i);
  }
}

class Partitioner {
 public:
  Partitioner(EdgeList& edges, const BuildOptions& options, const NodeRanges& ranges)
      : edges_(edges), options_(options), ranges_(ranges), pieces_(cut(edges)) {
    for (const EdgeChunk& chunk : edges.chunks) {
      has_weights_ |= !chunk.weights.empty();
      has_times_ |= !chunk.times.empty();
    }
  }

  std::vector<EdgeBucket> run() {
    count();
    std::vector<EdgeBucket> buckets = make_buckets();
    scatter(buckets);
    return buckets;
  }

 private:
  std::uint64_t* row(std::size_t piece) { return places_.data() + piece * ranges_.count(); }

  /// places_[piece, range]: first the number of the piece's edges there, later where they begin.
  void count() {
    places_ = Array<std::uint64_t>(pieces_.size() * ranges_.count());
    parallel_for(pieces_.size(), 1, [&](std::size_t p) {
      const Piece& piece = pieces_[p];
      std::uint64_t* const counts = row(p);
      const int bits = ranges_.bits;
      check_ids(piece);
      for_each_edge(edges_.chunks[piece.chunk], piece, options_,
                    [&](NodeId, NodeId target, std::size_t) { ++counts[target >> bits]; });
    });
  }

  void check_ids(const Piece& piece) const {
    const EdgeChunk& chunk = edges_.chunks[piece.chunk];
    NodeId highest = 0;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      highest = std::max({highest, chunk.sources[i], chunk.targets[i]});
    }
    if (highest < edges_.num_nodes) return;
    std::size_t i = piece.begin;
    while (std::max(chunk.sources[i], chunk.targets[i]) != highest) ++i;
    fail(ExitStatus::bad_input, "edge ", piece.first + (i - piece.begin), " joins nodes ",
         chunk.sources[i], " and ", chunk.targets[i], ", but there are ", edges_.num_nodes,
         " nodes, counted from 0");
  }

  std::vector<EdgeBucket> make_buckets() {
    std::vector<EdgeBucket> buckets(ranges_.count());
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      std::uint64_t total = 0;
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        const std::uint64_t n = row(p)[b];
        row(p)[b] = total;
        total += n;
      }
      if (total > 0xffffffff) {
        fail(ExitStatus::bad_input, "nodes ", ranges_.begin(b), " to ", ranges_.end(b) - 1,
             " have ", total, " edges together, at most 2^32 - 1 fit");
      }
      EdgeBucket& bucket = buckets[b];
      bucket.keys = Array<std::uint64_t>(total, uninitialized);
      if (has_weights_) bucket.weights = Array<float>(total, uninitialized);
      if (has_times_) bucket.times = Array<double>(total, uninitialized);
      if (options_.edge_ids) bucket.ids = Array<EdgeId>(total, uninitialized);
    }
    return buckets;
  }

  void scatter(std::vector<EdgeBucket>& buckets) {
    std::vector<std::size_t> left_of_chunk(edges_.chunks.size());
    for (const Piece& piece : pieces_) ++left_of_chunk[piece.chunk];
    const bool plain = !has_weights_ && !has_times_ && !options_.edge_ids;
    parallel_for(pieces_.size(), 1, [&](std::size_t p) {
      plain ? scatter_plain(p, buckets) : scatter_all(p, buckets);
      const std::size_t c = pieces_[p].chunk;
      if (std::atomic_ref(left_of_chunk[c]).fetch_sub(1) == 1) free_chunk(edges_.chunks[c]);
    });
    return_free_memory();
  }

  void free_chunk(EdgeChunk& chunk) {
    constexpr std::uint64_t kReturnEach = std::uint64_t{1} << 25;
    const std::uint64_t size = chunk.size();
    chunk = {};
    const std::uint64_t before = freed_.fetch_add(size);
    if (before / kReturnEach != (before + size) / kReturnEach) return_free_memory();
  }

  void scatter_plain(std::size_t p, std::vector<EdgeBucket>& buckets) {
    std::vector<std::uint64_t*> next(buckets.size());
    for (std::size_t b = 0; b < buckets.size(); ++b) next[b] = buckets[b].keys.data() + row(p)[b];
    const int bits = ranges_.bits;
    const NodeId mask = (NodeId{1} << bits) - 1;
    for_each_edge(edges_.chunks[pieces_[p].chunk], pieces_[p], options_,
                  [&](NodeId source, NodeId target, std::size_t) {
                    *next[target >> bits]++ = std::uint64_t{target & mask} << 32 | source;
                  });
  }

  void scatter_all(std::size_t p, std::vector<EdgeBucket>& buckets) {
    const Piece& piece = pieces_[p];
    const EdgeChunk& chunk = edges_.chunks[piece.chunk];
    std::uint64_t* const next = row(p);
    const int bits = ranges_.bits;
    const NodeId mask = (NodeId{1} << bits) - 1;
    for_each_edge(chunk, piece, options_, [&](NodeId source, NodeId target, std::size_t i) {
      EdgeBucket& bucket = buckets[target >> bits];
      const std::uint64_t at = next[target >> bits]++;
      bucket.keys[at] = std::uint64_t{target & mask} << 32 | source;
      if (has_weights_) bucket.weights[at] = chunk.weights[i];
      if (has_times_) bucket.times[at] = chunk.times[i];
      if (options_.edge_ids) bucket.ids[at] = piece.first + (i - piece.begin);
    });
  }

  EdgeList& edges_;
  const BuildOptions& options_;
  const NodeRanges& ranges_;
  std::vector<Piece> pieces_;
  Array<std::uint64_t> places_;
  bool has_weights_ = false, has_times_ = false;
  std::atomic<std::uint64_t> freed_{0};
};

}  // namespace

NodeRanges NodeRanges::of(std::uint64_t num_nodes) {
  int bits = kMinBits;
  while (bits < kMaxBits && num_nodes >> bits > kRangesWanted) ++bits;
  return {num_nodes, bits};
}

std::vector<EdgeBucket> partition_edges(EdgeList&& edges, const BuildOptions& options,
                                        const NodeRanges& ranges) {
  std::vector<EdgeBucket> buckets = Partitioner(edges, options, ranges).run();
  edges.chunks.clear();
  return buckets;
}

}  // namespace frugal
