#include "libcore/graph/csr.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::size_t kRows = 4096;  ///< that a thread takes at a time

void check_offsets(const CsrView& graph, const std::string& name) {
  const std::span<const EdgeId> offsets = graph.offsets;
  if (offsets.empty() || offsets[0] != 0) {
    fail(ExitStatus::bad_input, name, ": offsets begin with ",
         offsets.empty() ? "nothing" : std::to_string(offsets[0]), ", expected 0");
  }
  if (graph.num_nodes() > 0xffffffff) {
    fail(ExitStatus::bad_input, name, ": has ", graph.num_nodes(), " nodes, at most 2^32 - 1 fit");
  }
  parallel_for(graph.num_nodes(), kRows, [&](std::size_t v) {
    const bool falls = offsets[v + 1] < offsets[v];
    if (falls || offsets[v + 1] > graph.num_edges() || offsets[v + 1] - offsets[v] > 0xffffffff) {
      fail(ExitStatus::bad_input, name, ": row ", v, " goes from offset ", offsets[v], " to ",
           offsets[v + 1], ", expected at most 2^32 - 1 edges of the ", graph.num_edges());
    }
  });
  if (offsets.back() != graph.num_edges()) {
    fail(ExitStatus::bad_input, name, ": offsets end at ", offsets.back(), ", but there are ",
         graph.num_edges(), " neighbors");
  }
}

}  // namespace

void check_csr(const CsrView& graph, std::uint64_t num_sources, bool sorted,
               const std::string& name) {
  check_offsets(graph, name);
  parallel_for(graph.num_nodes(), kRows, [&](std::size_t v) {
    const std::span<const NodeId> row = graph.row(static_cast<NodeId>(v));
    NodeId highest = 0;
    bool falls = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      falls |= i > 0 && row[i] < row[i - 1];
      highest = std::max(highest, row[i]);
    }
    if (!row.empty() && highest >= num_sources) {
      fail(ExitStatus::bad_input, name, ": row ", v, " has neighbor ", highest, ", but there are ",
           num_sources, " nodes, counted from 0");
    }
    if (falls && sorted) {
      const auto at = std::is_sorted_until(row.begin(), row.end());
      fail(ExitStatus::bad_input, name, ": row ", v, " has neighbor ", *at, " behind ", at[-1],
           ", expected ascending numbers");
    }
  });
}

void check_times(const CsrView& graph, std::span<const double> times, const std::string& name) {
  if (times.size() != graph.num_edges()) {
    fail(ExitStatus::bad_input, name, ": has ", times.size(), " times of ", graph.num_edges(),
         " edges");
  }
  parallel_for(graph.num_nodes(), kRows, [&](std::size_t v) {
    for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const double before = e == graph.offsets[v] ? times[e] : times[e - 1];
      if (times[e] >= before) continue;  // false for what is no number
      fail(ExitStatus::bad_input, name, ": row ", v, " has time ", times[e], " behind ", before,
           ", expected ascending numbers");
    }
  });
}

}  // namespace frugal
