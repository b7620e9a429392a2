#include "tools/tgn-train/network/common_decoder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Hidden units, as published.
constexpr std::size_t kUnits = 256;
const std::string kCommonName = "common_decoder.";
/// Parts of the input, in order. The lists of CommonRows follow the first three.
enum PartNumber : std::size_t { product_part, source_part, destination_part, first_list };
constexpr std::size_t kParts = first_list + CommonRows::kLists;
constexpr std::array<const char*, kParts> kPartNames = {"product", "0_1", "1_0", "1_1",
                                                        "1_2",     "2_1", "2_2"};
/// Rows from which on threads pay.
constexpr std::size_t kManyRows = 128;

}  // namespace

CommonDecoder::CommonDecoder(const TgnOptions& options)
    : dim_(options.memory_dim), last_({kUnits, 1}, options.precision) {
  for (std::size_t p = 0; p < kParts; ++p) {
    parts_.push_back({DenseLayer({dim_, kUnits}, options.precision), {}, {}, {}, {}, {}});
  }
}

/// Draws the first layer as PyTorch draws one of all parts.
void CommonDecoder::randomize(std::uint64_t seed, std::uint64_t stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(kParts * dim_));
  Array<float> drawn(kUnits * (dim_ + 1));
  const MatrixView<float> weights(drawn.data(), kUnits, dim_);
  const std::span<float> bias(drawn.data() + kUnits * dim_, kUnits);
  for (std::size_t p = 0; p < kParts; ++p) {
    fill_uniform({drawn.data(), 1, drawn.size()}, bound, seed, stream + p);
    parts_[p].layer.set(weights, bias);
  }
  last_.randomize_uniform(seed, stream + kParts);
}

/// Lists the pairs that have each part. A part that no pair has gets a row of zeros, so that a step
/// has a gradient for every parameter.
void CommonDecoder::list_pairs(const CommonRows& common) {
  parts_[product_part].pairs.resize(common.pairs());
  std::iota(parts_[product_part].pairs.begin(), parts_[product_part].pairs.end(), 0U);
  for (std::size_t p = source_part; p < kParts; ++p) parts_[p].pairs.clear();
  for (std::uint32_t pair = 0; pair < common.pairs(); ++pair) {
    if (common.source_met[pair] != 0) parts_[source_part].pairs.push_back(pair);
    if (common.destination_met[pair] != 0) parts_[destination_part].pairs.push_back(pair);
    for (std::size_t list = 0; list < CommonRows::kLists; ++list) {
      const std::uint32_t* const at = common.offsets.data() + pair * CommonRows::kLists + list;
      if (at[0] != at[1]) parts_[first_list + list].pairs.push_back(pair);
    }
  }
}

/// Writes the rows of a part.
void CommonDecoder::fill(const Input& input, std::size_t number) {
  Part& part = parts_[number];
  part.rows.resize(std::max<std::size_t>(1, part.pairs.size()), dim_ + 1);
  const MatrixView<float> rows = part.rows.view();
  if (part.pairs.empty()) std::fill_n(rows.row(0), dim_ + 1, 0.0F);
  parallel_blocks(part.pairs.size(), kManyRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const std::uint32_t pair = part.pairs[r];
      const auto [source, destination] = ends_of(pair, input.others);
      const float *const u = input.embeddings.row(source), *const v =
                                                               input.embeddings.row(destination);
      float* const row = rows.row(r);
      row[dim_] = 1;
      if (number == product_part) {
        for (std::size_t c = 0; c < dim_; ++c) row[c] = u[c] * v[c];
      } else if (number < first_list) {
        std::copy_n(number == source_part ? u : v, dim_, row);
      } else {
        const std::uint32_t* const at =
            input.common->offsets.data() + pair * CommonRows::kLists + (number - first_list);
        std::fill_n(row, dim_, 0.0F);
        for (std::uint32_t i = at[0]; i < at[1]; ++i) {
          kernels().axpy(1, input.memory.row(input.common->slots[i]), row, dim_);
        }
        row[dim_] = static_cast<float>(at[1] - at[0]);
      }
    }
  });
}

/// Fails (unavailable) before the first step that may need more memory than is left. Every pair has
/// hidden units and can have all parts, with their gradients in a training.
void CommonDecoder::check_memory(std::size_t pairs) {
  if (pairs <= checked_pairs_) return;
  const std::uint64_t numbers = 2 * (kParts * (dim_ + kUnits) + kUnits);
  frugal::check_memory(
      "a step of " + format_count(pairs, "pair") + ", fewer with a smaller --batch-size,",
      numbers * sizeof(float) * pairs);
  checked_pairs_ = pairs;
}

void CommonDecoder::forward(const Input& input, std::span<float> logits) {
  const std::size_t n = logits.size();
  check_memory(n);
  assert(input.common->pairs() == n);
  list_pairs(*input.common);
  hidden_.resize(n, kUnits + 1);
  const MatrixView<float> units = hidden_.columns(0, kUnits);
  for (std::size_t p = 0; p < kParts; ++p) {
    Part& part = parts_[p];
    fill(input, p);
    if (p == product_part) {
      part.layer.forward(part.rows.view().rows_between(0, n), units);
      continue;
    }
    if (part.pairs.empty()) continue;
    part.outputs.resize(part.pairs.size(), kUnits);
    part.layer.forward(part.rows.view(), part.outputs.view());
    for (std::size_t r = 0; r < part.pairs.size(); ++r) {
      kernels().axpy(1, part.outputs.view().row(r), units.row(part.pairs[r]), kUnits);
    }
  }
  for (std::size_t r = 0; r < n; ++r) {
    kernels().relu(units.row(r), kUnits);
    hidden_.view()(r, kUnits) = 1;
  }
  last_.forward(hidden_.view(), {logits.data(), n, 1, 1});
}

void CommonDecoder::backward(const Input& input, std::span<const float> dlogits,
                             MatrixView<float> dembeddings, ParameterSteps& steps) {
  const std::size_t n = dlogits.size();
  d_logits_.resize(n, 1);
  for (std::size_t r = 0; r < n; ++r) d_logits_.view()(r, 0) = dlogits[r];
  d_hidden_.resize(n, kUnits);
  last_.backward(d_logits_.view(), d_hidden_.view());
  for (std::size_t r = 0; r < n; ++r) {
    kernels().relu_backward(hidden_.view().row(r), d_hidden_.view().row(r), kUnits);
  }
  steps.add(last_, hidden_.view(), d_logits_.view());
  for (Part& part : parts_) {
    const std::size_t rows = part.rows.view().rows;
    part.d_outputs.resize(rows, kUnits);
    part.d_rows.resize(rows, dim_);
    if (part.pairs.empty()) std::fill_n(part.d_outputs.view().row(0), kUnits, 0.0F);
    for (std::size_t r = 0; r < part.pairs.size(); ++r) {
      std::copy_n(d_hidden_.view().row(part.pairs[r]), kUnits, part.d_outputs.view().row(r));
    }
    part.layer.backward(part.d_outputs.view(), part.d_rows.view());
    steps.add(part.layer, part.rows.view(), part.d_outputs.view());
  }
  add_end_gradients(input, dembeddings);
}

void CommonDecoder::add_end_gradients(const Input& input, MatrixView<float> dembeddings) const {
  for (std::size_t r = 0; r < dembeddings.rows; ++r) std::fill_n(dembeddings.row(r), dim_, 0.0F);
  for (const std::size_t p : {product_part, source_part, destination_part}) {
    const Part& part = parts_[p];
    for (std::size_t r = 0; r < part.pairs.size(); ++r) {
      const auto [source, destination] = ends_of(part.pairs[r], input.others);
      const float* const d = part.d_rows.view().row(r);
      float *const du = dembeddings.row(source), *const dv = dembeddings.row(destination);
      if (p != product_part) {
        kernels().axpy(1, d, p == source_part ? du : dv, dim_);
        continue;
      }
      const float *const u = input.embeddings.row(source), *const v =
                                                               input.embeddings.row(destination);
      for (std::size_t c = 0; c < dim_; ++c) {
        du[c] += d[c] * v[c];
        dv[c] += d[c] * u[c];
      }
    }
  }
}

void CommonDecoder::add_memory_gradient(const CommonRows& common,
                                        MatrixView<float> dupdates) const {
  for (std::size_t list = 0; list < CommonRows::kLists; ++list) {
    const Part& part = parts_[first_list + list];
    for (std::size_t r = 0; r < part.pairs.size(); ++r) {
      const std::uint32_t* const at =
          common.offsets.data() + part.pairs[r] * CommonRows::kLists + list;
      for (std::uint32_t i = at[0]; i < at[1]; ++i) {
        if (common.gradient[i] == kNoRow) continue;
        kernels().axpy(1, part.d_rows.view().row(r), dupdates.row(common.gradient[i]), dim_);
      }
    }
  }
}

void CommonDecoder::visit_parameters(const ParameterVisit& each) {
  for (std::size_t p = 0; p < kParts; ++p) each.layer(kCommonName + kPartNames[p], parts_[p].layer);
  each.layer(kCommonName + "last", last_);
}

void CommonDecoder::save(Document& document) const {
  for (std::size_t p = 0; p < kParts; ++p) {
    parts_[p].layer.save(document, kCommonName + kPartNames[p]);
  }
  last_.save(document, kCommonName + "last");
}

void CommonDecoder::load(const Document& document, const std::string& path) {
  for (std::size_t p = 0; p < kParts; ++p) {
    parts_[p].layer.load(document, path, kCommonName + kPartNames[p]);
  }
  last_.load(document, path, kCommonName + "last");
}

}  // namespace frugal::tgn
