#pragma once

namespace frugal {
class Embedding;
}  // namespace frugal

namespace frugal::robe {

/// Rows looked up in a second on one thread: uniformly random rows of all tables, sample by sample,
/// in batches that stay in the cache. Takes about a tenth of a second.
double measure_lookups(const Embedding& embedding);

}  // namespace frugal::robe
