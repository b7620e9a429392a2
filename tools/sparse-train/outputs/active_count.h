#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "libcore/tensors/tensor_file.h"

namespace frugal::sparse {

/// Number of outputs that were computed, and of the examples that they were computed for: in all,
/// and since begin_recent(). Threads may add at the same time.
class ActiveCount {
 public:
  /// An example computed so many outputs.
  void add(std::uint64_t outputs);
  /// Not while others add.
  void begin_recent() { recent_.outputs = recent_.examples = 0; }

  /// Outputs of an example on average, as a share of num_labels; 0 before the first.
  double share(std::size_t num_labels) const { return all_.share(num_labels); }
  double recent_share(std::size_t num_labels) const { return recent_.share(num_labels); }

  /// Tensor "lsh.outputs". restore() fails (bad_input) naming `path` where it has another size.
  void save(Document& state) const;
  void restore(const Document& state, const std::string& path);

 private:
  /// Sums of whole numbers, which do not depend on the order of the threads.
  struct Sums {
    std::atomic<std::uint64_t> outputs = 0;
    std::atomic<std::uint64_t> examples = 0;
    double share(std::size_t num_labels) const;
  };
  Sums all_, recent_;
};

}  // namespace frugal::sparse
