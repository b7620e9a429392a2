#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "libcore/arrays/pickle_value.h"

namespace frugal {

/// Called with a key of the dict, a tuple of numbers, and its array, of whole numbers.
using PickledEntry =
    std::function<void(std::span<const PickledNumber> key, std::span<const std::int64_t> values)>;

/// Reads a Python pickle (protocol 3 to 5) of a dict from tuples of numbers to NumPy arrays of
/// rank 1, as the Temporal Graph Benchmark stores negatives. Nothing of the file is run: it may use
/// only the operations and the four functions of NumPy that such a dict needs. The file, and about
/// 500 bytes for each entry, are in memory; a hostile file is refused before it takes more than
/// 50 times its size and 10 MiB. Fails (bad_input) with path, byte and what was found.
void read_pickled_arrays(const std::string& path, const PickledEntry& entry);

}  // namespace frugal
