#pragma once
/// Kernels before and after the tiles of labels (label_tiles.h). They round rows to bf16, compute
/// normalisers and losses of examples, and add the parts of gradients that come from own labels.
#include "libcore/device/cuda/kernels/labels/label_tiles.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kUnitsPerLane = kMostTileUnits / kWarp;

/// Rounds rows of outputs to bf16 and writes their biases as terms, for a multiple of kLabelRows
/// rows: zeros, with terms -infinity, from *count on (null: from outputs.count on). One thread per
/// group of a row.
FRUGAL_KERNEL round_outputs(OutputRows outputs, const std::uint32_t* count, std::uint32_t groups,
                            std::uint64_t size, Bf16Group* to, float* terms) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const auto j = static_cast<std::uint32_t>(i / groups),
             first = static_cast<std::uint32_t>(i % groups) * kGroup;
  const bool is_there = j < (count == nullptr ? outputs.count : *count);
  const TableRows& table = outputs.table;
  const std::uint32_t units = table.dim - 1;
  float* row = table.row(is_there ? outputs.label(j) : 0);
  Bf16Group group;
  FRUGAL_UNROLL
  for (std::uint32_t k = 0; k < kGroup; ++k) {
    const bool is_unit = is_there && first + k < units;
    group.bits[k] = is_unit ? rounded_to_bf16(table.read(row, first + k)) : 0;
  }
  to[i] = group;
  if (first == 0) terms[j] = is_there ? table.read(row, units) * kLog2E : -INFINITY;
}

FRUGAL_DEVICE float hidden_unit(const LabelTiles& t, std::uint32_t example, std::uint32_t unit) {
  const std::uint64_t at = std::uint64_t{example} * t.row_units + unit;
  return bf16_number(reinterpret_cast<const std::uint16_t*>(t.hidden)[at]);
}

/// Calls use(index of the unit in the lane, unit) for a lane's units of a row.
template <class Use>
FRUGAL_DEVICE void for_units(std::uint32_t units, const Use& use) {
  FRUGAL_UNROLL
  for (std::uint32_t k = 0; k < kUnitsPerLane; ++k) {
    const std::uint32_t unit = k * kWarp + threadIdx.x % kWarp;
    if (unit < units) use(k, unit);
  }
}

/// Results of finish_examples(): losses; dhidden [examples, width], the units of each row; terms of
/// the examples; and factors of own labels, by which an example's units are added to a label's
/// gradient.
struct ExampleResults {
  double* losses;
  float *dhidden, *terms, *factors;
};

/// Sum of an example's parts, relative to their largest top; by a warp.
FRUGAL_DEVICE double sum_of_parts(const SplitSums& from, std::uint32_t e, float& top) {
  top = kNoTop;
  for (std::uint32_t s = 0; s < from.splits; ++s) top = fmaxf(top, from.top[s * from.most + e]);
  double sum = 0;
  for (std::uint32_t s = 0; s < from.splits; ++s) {
    sum += from.sum[s * from.most + e] *
           static_cast<double>(exp2_of(from.top[s * from.most + e] - top));
  }
  return sum;
}

/// Completes normalisers, losses and hidden gradients; one warp per example. outputs: all of them.
template <bool kSoftmax>
FRUGAL_KERNEL finish_examples(LabelTiles t, SplitSums from, OutputRows outputs, OwnLabels own,
                              ExampleResults to) {
  const std::uint32_t e = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (e >= from.most) return;  // the whole warp
  const bool counts = e < *t.examples && (!kSoftmax || own.count(e) != 0);
  float top = 0, d[kUnitsPerLane] = {};
  const double sum = e < *t.examples ? sum_of_parts(from, e, top) : 1;
  const double log_sum = static_cast<double>(top) + log2(sum);
  const float scale = kSoftmax ? static_cast<float>(1 / sum) : 1.0F;
  const float share = kSoftmax && counts ? 1.0F / static_cast<float>(own.count(e)) : 1.0F;
  const float term = !counts ? -INFINITY : kSoftmax ? static_cast<float>(-log_sum) : 0.0F;
  double loss = kSoftmax ? log_sum * kLn2 : sum;
  for (std::uint32_t s = 0; counts && s < from.splits; ++s) {
    const float factor = exp2_of(from.top[s * from.most + e] - top) * scale;
    const float* products = from.products + std::uint64_t{s * from.most + e} * t.row_units;
    for_units(t.units,
              [&](std::uint32_t k, std::uint32_t c) { d[k] = fmaf(factor, products[c], d[k]); });
  }
  for (std::uint32_t i = counts ? own.offsets[e] : 0, end = counts ? own.offsets[e + 1] : 0;
       i < end; ++i) {
    float* row = outputs.table.row(outputs.label(own.labels[i]));
    float z = 0, r[kUnitsPerLane];
    for_units(t.units, [&](std::uint32_t k, std::uint32_t c) {
      r[k] = near_bf16(outputs.table.read(row, c));
      z = fmaf(r[k], hidden_unit(t, e, c), z);
    });
    z = fmaf(sum_of_warp(z), kLog2E, outputs.table.read(row, t.units) * kLog2E);
    const float p = kSoftmax ? exp2_of(z + term) : one_vs_all_weight(z);
    const float added = kSoftmax ? near_bf16(exp2_of(z - top)) * scale : near_bf16(p);
    for_units(t.units,
              [&](std::uint32_t k, std::uint32_t) { d[k] = fmaf(p - share - added, r[k], d[k]); });
    to.factors[i] = p - share - near_bf16(p);
    loss -= static_cast<double>(share * z) * kLn2;
  }
  to.terms[e] = term;
  if (e >= *t.examples) return;
  for_units(t.units, [&](std::uint32_t k, std::uint32_t c) {
    to.dhidden[std::uint64_t{e} * t.width + c] = d[k];
  });
  to.losses[e] = counts ? loss : 0;
}

/// Own labels of all examples as pairs [most], sorted by label: labels, and original positions; for
/// each position its example and factor. Unused entries have the highest label.
struct OwnPairs {
  const std::uint32_t *labels, *places, *examples;
  const float* factors;
  std::uint32_t most;
};

/// Lists the pairs unsorted; one thread per pair.
FRUGAL_KERNEL list_own(const std::uint32_t* examples, OwnLabels own, std::uint32_t most,
                       std::uint32_t* labels, std::uint32_t* places, std::uint32_t* of) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= most) return;
  const bool is_pair = i < own.offsets[*examples];
  labels[i] = is_pair ? own.labels[i] : 0xffffffffU;
  places[i] = i;
  of[i] = is_pair ? BatchEntries{own.offsets, most}.owner(*examples, i) : 0;
}

/// Adds the own labels' parts of the gradients; one warp per pair. The first pair of a label adds
/// all of them, in the order of the examples.
template <bool kSoftmax>
FRUGAL_KERNEL add_own_gradients(LabelTiles t, OwnPairs pairs, OwnLabels own, float* gradient) {
  const std::uint32_t lane = threadIdx.x % kWarp;
  const std::uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (first >= pairs.most) return;  // the whole warp
  const std::uint32_t label = pairs.labels[first];
  if (label - t.begin >= t.count || (first != 0 && pairs.labels[first - 1] == label)) return;
  float d[kUnitsPerLane] = {}, shares = 0;
  for (std::uint32_t i = first + lane, found = kWarp; found == kWarp; i += kWarp) {
    const bool is_pair = i < pairs.most && pairs.labels[i] == label;
    const std::uint32_t place = pairs.places[is_pair ? i : first];
    const std::uint32_t example = pairs.examples[place];
    const float factor = pairs.factors[place];
    if (is_pair) shares += kSoftmax ? 1.0F / static_cast<float>(own.count(example)) : 1.0F;
    found = static_cast<std::uint32_t>(__popc(__ballot_sync(0xffffffffU, is_pair)));
    for (std::uint32_t l = 0; l < found; ++l) {
      const std::uint32_t e = __shfl_sync(0xffffffffU, example, static_cast<int>(l));
      const float f = __shfl_sync(0xffffffffU, factor, static_cast<int>(l));
      for_units(t.units, [&](std::uint32_t k, std::uint32_t c) {
        d[k] = fmaf(f, hidden_unit(t, e, c), d[k]);
      });
    }
  }
  float* g = gradient + std::uint64_t{label - t.begin} * t.width;
  for_units(t.units, [&](std::uint32_t k, std::uint32_t c) { g[c] += d[k]; });
  shares = sum_of_warp(shares);
  if (lane == 0) g[t.units] -= shares;
}

}  // namespace frugal::cuda
