#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/dual_solver.h"
#include "tools/sparse-train/tree/label_tree.h"
#include "tools/sparse-train/tree/tree_examples.h"

namespace frugal::sparse {

/// The examples of a node of a label tree, with features of their own numbers: the most frequent
/// first, so that rows of weights that are used together share cache lines.
class NodeExamples {
 public:
  /// Copies the examples. `known`: features that must have numbers even if no example has them.
  /// `scratch`: one zero for each feature of the data, which is zero again afterwards.
  void gather(const Dataset& data, std::span<const std::uint32_t> examples,
              std::span<const std::uint32_t> known, std::vector<std::uint32_t>& scratch);
  /// Uses all examples of the data where they are. The data must have values and outlive the
  /// object.
  void lend(const Dataset& data, std::span<const std::uint32_t> known);

  /// A view of this object.
  LocalExamples examples(float bias) const;
  /// Features of the data by their number here.
  const std::vector<std::uint32_t>& features() const { return features_; }
  /// The numbers of the `known` features, in their order.
  const std::vector<std::uint32_t>& known() const { return known_; }

 private:
  void number_by_count(std::vector<std::uint32_t>& number_of);

  const Dataset* lender_ = nullptr;
  std::vector<std::uint64_t> begin_;
  std::vector<std::uint32_t> ids_;
  std::vector<float> values_, weights_;
  std::vector<std::uint32_t> features_, known_;
};

/// True if features are numbered about from the most to the least frequent: none is in more than
/// twice as many examples as one before it, but for a few.
bool are_by_frequency(const Dataset& data);

/// Gives the threads that train a tree the examples of its nodes. The examples of a node that
/// several threads work on are copied once. Those of the root are the data themselves where these
/// have values and number their features by frequency.
class NodeSource {
 public:
  /// jobs: number of times that each node will be asked for. start: tree whose features have
  /// numbers in each node, or null. All arguments but `jobs` must outlive the object.
  NodeSource(const Dataset& data, const TreeExamples& examples, std::span<const std::uint32_t> jobs,
             const LabelTree* start = nullptr);

  /// One thread's access to a source.
  class Reader {
   public:
    explicit Reader(NodeSource& source) : source_(source) {}
    /// The examples of a node, valid until the next call.
    const NodeExamples& examples_of(std::uint32_t node);

   private:
    NodeSource& source_;
    NodeExamples own_;
    std::shared_ptr<const NodeExamples> shared_;
    std::uint32_t shared_node_ = 0;  ///< whose examples shared_ are
    std::vector<std::uint32_t> scratch_;
  };

 private:
  /// Copied by the first who asks; gone when nobody uses it.
  struct Shared {
    std::mutex mutex;
    std::weak_ptr<const NodeExamples> examples;
  };

  void fill(std::uint32_t node, NodeExamples& examples, std::vector<std::uint32_t>& scratch) const;

  const Dataset& data_;
  const TreeExamples& examples_;
  const LabelTree* start_;
  bool lends_ = false;
  std::map<std::uint32_t, Shared> shared_;  ///< by node
};

}  // namespace frugal::sparse
