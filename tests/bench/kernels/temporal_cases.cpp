#include <array>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "tests/bench/kernels/cases.h"
#include "tests/bench/kernels/measure.h"

namespace frugal::bench {
namespace {

constexpr std::size_t kDim = 172, kRows = 600;

void time_cases(const Kernels& k) {
  Array<double> dt(kRows);
  Rng rng(1);
  for (double& t : dt) t = rng.uniform(0, 2.7e6);
  Array<float> w(kDim, 1e-3f), b(kDim, 0.5f), out(kRows * kDim, 0.1f), dw(kDim), db(kDim);
  const TimeEncoding args{dt.data(), kRows, w.data(), b.data(), kDim};
  const double items = static_cast<double>(kRows * kDim);
  const auto work = [&](const char* name) {
    return Work{name, k.name, "600x172", items, 0, 4 * items};
  };
  measure(work("time_encode"), [&] { k.time_encode(args, out.data(), kDim); });
  measure(work("time_encode_backward"),
          [&] { k.time_encode_backward(args, out.data(), kDim, dw.data(), db.data()); });
}

void gate_cases(const Kernels& k) {
  constexpr std::size_t kUnits = 100;
  Array<float> rz(kUnits * 2 * kDim, 0.5f), nx(kUnits * kDim, 0.5f), nh(kUnits * kDim, 0.5f);
  Array<float> h(kUnits * kDim, 0.5f), out(kUnits * kDim), dh(kUnits * kDim);
  const GruGates gates{kUnits, kDim,      rz.data(), 2 * kDim, nx.data(),
                       kDim,   nh.data(), kDim,      h.data(), kDim};
  const double items = static_cast<double>(kUnits * kDim);
  const auto work = [&](const char* name, double bytes) {
    return Work{name, k.name, "100x172", items, 0, bytes * items};
  };
  measure(work("gru_forward", 36), [&] { k.gru_forward(gates, out.data(), kDim); });
  Array<float> dout(kUnits * kDim, 1e-3f);
  measure(work("gru_backward", 48),
          [&] { k.gru_backward(gates, dout.data(), kDim, dh.data(), kDim); });
}

/// Lists of 10 over gathered rows of three parts, as the nodes of a batch or window have them.
struct Lists {
  static constexpr std::size_t kLength = 10, kHeads = 2;
  std::array<std::size_t, 3> dims;
  std::size_t queries, width;
  std::array<Array<float>, 3> tables, gradients;
  std::array<Array<std::uint32_t>, 3> rows;
  Array<std::uint32_t> offsets;
  Array<float> query, out, weights, keep, sums, dquery;

  /// edge_rows: how many rows the second part's table has.
  Lists(std::array<std::size_t, 3> dims_, std::size_t queries_, std::size_t edge_rows)
      : dims(dims_), queries(queries_), width(dims[0] + dims[1] + dims[2]), offsets(queries + 1) {
    const std::size_t entries = queries * kLength;
    Rng rng(1);
    for (std::size_t p = 0; p < 3; ++p) {
      const std::size_t height = p == 0 ? queries : p == 1 ? edge_rows : entries;
      tables[p] = Array<float>(height * dims[p], 0.5f);
      gradients[p] = Array<float>(p == 1 ? 0 : height * dims[p], 0.0f);
      rows[p] = Array<std::uint32_t>(entries);
      for (std::size_t e = 0; e < entries; ++e) {
        rows[p][e] = static_cast<std::uint32_t>(p == 2 ? e : rng.below(height));
      }
    }
    for (std::size_t q = 0; q <= queries; ++q) {
      offsets[q] = static_cast<std::uint32_t>(q * kLength);
    }
    query = Array<float>(queries * kHeads * width, 0.01f);
    out = Array<float>(queries * kHeads * width, 0.0f);
    dquery = Array<float>(queries * kHeads * width, 0.0f);
    weights = Array<float>(entries * kHeads, 0.1f);
    keep = Array<float>(entries * kHeads, 1.0f);
    sums = Array<float>(queries * kHeads, 0.0f);
  }
  /// No gradient by the second part, which are features.
  Attention args() {
    Attention a;
    for (std::size_t p = 0; p < 3; ++p) {
      a.parts[p].table = tables[p].data();
      a.parts[p].stride = a.parts[p].dim = a.parts[p].gradient_stride = dims[p];
      a.parts[p].rows = a.parts[p].gradient_rows = p == 2 ? nullptr : rows[p].data();
      a.parts[p].gradient = p == 1 ? nullptr : gradients[p].data();
    }
    a.num_parts = 3;
    a.offsets = offsets.data();
    a.num_queries = queries;
    a.heads = kHeads;
    a.query = query.data();
    a.query_stride = a.out_stride = kHeads * width;
    a.weights = weights.data();
    a.keep = keep.data();
    a.out = out.data();
    a.sums = sums.data();
    return a;
  }
};

void attention_cases(const Kernels& k, std::array<std::size_t, 3> dims, std::size_t queries,
                     std::size_t edge_rows) {
  Lists lists(dims, queries, edge_rows);
  std::string size = std::to_string(queries);
  for (const std::size_t dim : dims) size += "x" + std::to_string(dim);
  if (edge_rows > queries) size += " of " + std::to_string(edge_rows);
  const Attention a = lists.args();
  const double entries = static_cast<double>(queries * Lists::kLength);
  const double product = 2.0 * Lists::kHeads * static_cast<double>(lists.width);
  const double changed = 2.0 * Lists::kHeads * static_cast<double>(dims[0] + dims[2]);
  Rng rng(2);
  // Other rows at each call, else they would stay in the cache.
  const auto move_on = [&] {
    if (edge_rows == queries) return;
    const auto shift = static_cast<std::uint32_t>(rng.below(edge_rows));
    for (std::uint32_t& row : lists.rows[1]) {
      row = static_cast<std::uint32_t>((row + shift) % edge_rows);
    }
  };
  measure({"attention_forward", k.name, size, entries, 2 * product * entries}, [&] {
    move_on();
    k.attention_forward(a);
  });
  measure({"attention_backward", k.name, size, entries, 2 * (product + changed) * entries}, [&] {
    move_on();
    k.attention_backward(a, lists.query.data(), a.query_stride, lists.sums.data(),
                         lists.dquery.data(), a.query_stride);
  });
}

}  // namespace

void temporal_cases(const Kernels& k) {
  time_cases(k);
  gate_cases(k);
  for (const std::size_t queries : {30U, 300U}) {
    attention_cases(k, {172, 172, 172}, queries, queries);
    attention_cases(k, {100, 172, 100}, queries, queries);
    attention_cases(k, {172, 0, 172}, queries, queries);
  }
  attention_cases(k, {172, 172, 172}, 300, quick ? 1000 : 157'474);
}

}  // namespace frugal::bench
