#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/sparse-train/lsh/hash_tables.h"

namespace frugal::sparse {

/// Which rows are taken for a vector. From the buckets of its codes (SLIDE, Chen et al., MLSys
/// 2020, section 3.1): vanilla: rows of tables in random order until there are enough; top_k: the
/// rows that are in most tables; threshold: the rows that are in at least so many tables. agreement
/// (signatures.h) needs no buckets: the rows whose codes agree with the vector's in most signs.
enum class QueryMode { vanilla, top_k, threshold, agreement };
QueryMode query_mode_from_name(std::string_view name);
std::string_view query_mode_name(QueryMode mode);

struct QueryOptions {
  QueryMode mode = QueryMode::vanilla;
  std::uint32_t wanted = 0;     ///< rows that are enough; vanilla, top_k: 0 = all that are found
  std::uint32_t threshold = 2;  ///< threshold: tables
};

/// Looks rows up, with working memory for one thread.
class Retriever {
 public:
  explicit Retriever(std::size_t num_rows) : count_(num_rows) {}
  std::size_t num_rows() const { return count_.size(); }

  /// Rows found, without repetition, in `out`. The code of the vector in table t is codes[t *
  /// stride]. A function of its arguments: `rng` gives the order of the tables.
  void retrieve(const HashTables& tables, const std::uint32_t* codes, std::size_t stride,
                const QueryOptions& options, Rng rng, std::vector<std::uint32_t>& out);

 private:
  void keep_most_frequent(std::uint32_t wanted, std::vector<std::uint32_t>& out);

  std::vector<std::uint16_t> count_;  ///< [rows] tables that have the row; all 0 between calls
  std::vector<std::uint32_t> order_;  ///< of the tables
};

}  // namespace frugal::sparse
