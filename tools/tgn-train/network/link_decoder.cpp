#include "tools/tgn-train/network/link_decoder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"

namespace frugal::tgn {
namespace {

const std::string kName = "affinity_score.";

/// Row in embeddings_ of the query `row`, one of the `pairs` + 1 of an event: all sources come
/// first, then all destinations.
std::size_t row_of(std::size_t events, std::size_t pairs, std::size_t row) {
  const std::size_t event = row / (pairs + 1), member = row % (pairs + 1);
  return member == 0 ? event : events + pairs * event + member - 1;
}

}  // namespace

LinkDecoder::LinkDecoder(const TgnOptions& options, std::size_t pair_features)
    : dim_(options.memory_dim),
      pair_dim_(pair_features),
      source_({dim_, dim_, false}, options.precision),
      destination_({dim_, dim_}, options.precision),
      second_({dim_, 1}, options.precision) {
  // Always f32: features of pairs can differ by less than bf16 resolves.
  if (pair_dim_ != 0) pairs_.emplace(DenseShape{pair_dim_, dim_, false}, Precision::f32);
}

void LinkDecoder::randomize(std::uint64_t seed, std::uint64_t stream) {
  Array<float> drawn(num_inputs() * dim_);
  std::vector<float> bias(dim_);
  const MatrixView<float> weights(drawn.data(), dim_, num_inputs());
  const auto inputs = static_cast<double>(num_inputs());
  fill_normal(weights, std::sqrt(2 / (inputs + static_cast<double>(dim_))), seed, stream);
  fill_uniform({bias.data(), 1, dim_}, 1 / std::sqrt(inputs), seed, stream + 1);
  source_.set({weights.data, dim_, dim_, weights.stride}, {});
  destination_.set({weights.data + dim_, dim_, dim_, weights.stride}, bias);
  if (pairs_) {
    const MatrixView<float> of_pairs(weights.data + 2 * dim_, dim_, pair_dim_, weights.stride);
    for (std::size_t r = 0; r < dim_; ++r)
      kernels().scale(1 / kPairScale, of_pairs.row(r), pair_dim_);
    pairs_->set(of_pairs, {});
  }
  second_.randomize_glorot(seed, stream + 2);
}

/// Adds the pairs' features to `parts`: the row of each pair's destination.
void LinkDecoder::add_pairs(MatrixView<const float> pairs, MatrixView<float> parts) {
  if (!pairs_) return;
  assert(pairs.rows == parts.rows && pairs.cols == pair_dim_);
  pair_rows_.resize(pairs.rows, pair_dim_);
  for (std::size_t p = 0; p < pairs.rows; ++p) {
    std::copy_n(pairs.row(p), pair_dim_, pair_rows_.view().row(p));
  }
  pairs_->forward(pair_rows_.view(), parts, 1);
}

/// Sets a row of embeddings_, with a 1 for the bias.
void LinkDecoder::add_embedding(const float* embedding, std::size_t row) {
  float* const to = embeddings_.view().row(row);
  std::copy_n(embedding, dim_, to);
  to[dim_] = 1;
}

/// Computes the parts of embeddings_, whose first rows are sources and the others destinations.
void LinkDecoder::multiply_embeddings(std::size_t sources) {
  const std::size_t all = embeddings_.view().rows;
  parts_.resize(all, dim_);
  source_.forward(embeddings_.columns(0, dim_).rows_between(0, sources),
                  parts_.view().rows_between(0, sources));
  destination_.forward(embeddings_.view().rows_between(sources, all),
                       parts_.view().rows_between(sources, all));
}

void LinkDecoder::forward(MatrixView<const float> embeddings, MatrixView<const float> pairs,
                          MatrixView<float> logits) {
  const std::size_t n = logits.rows, each = logits.cols, all = n * each;
  assert(embeddings.rows == n + all);
  embeddings_.resize(n + all, dim_ + 1);
  hidden_.resize(all, dim_ + 1);
  for (std::size_t r = 0; r < n + all; ++r) add_embedding(embeddings.row(r), row_of(n, each, r));
  multiply_embeddings(n);
  add_pairs(pairs, parts_.view().rows_between(n, n + all));
  for (std::size_t p = 0; p < all; ++p) {
    add_parts(parts_.view().row(p / each), parts_.view().row(n + p), hidden_.view().row(p));
  }
  // Logits are consecutive, so the rows of pairs are the rows of the result.
  assert(logits.stride == each);
  second_.forward(hidden_.view(), {logits.data, all, 1, 1});
}

void LinkDecoder::backward(MatrixView<const float> dlogits, MatrixView<float> dembeddings,
                           ParameterSteps& steps) {
  const std::size_t n = dlogits.rows, each = dlogits.cols, all = n * each;
  assert(dlogits.stride == each && dembeddings.rows == n + all);
  d_logits_.resize(all, 1);
  for (std::size_t p = 0; p < all; ++p) d_logits_.view()(p, 0) = dlogits.data[p];
  d_hidden_.resize(all, dim_);
  second_.backward(d_logits_.view(), d_hidden_.view());
  steps.add(second_, hidden_.view(), d_logits_.view());
  d_parts_.resize(n + all, dim_);
  for (std::size_t p = 0; p < all; ++p) {
    float* source = d_parts_.view().row(p / each);
    float* destination = d_parts_.view().row(n + p);
    std::copy_n(d_hidden_.view().row(p), dim_, destination);
    kernels().relu_backward(hidden_.view().row(p), destination, dim_);
    if (p % each == 0) std::fill_n(source, dim_, 0.0F);
    kernels().axpy(1, destination, source, dim_);
  }
  const MatrixView<float> d_source = d_parts_.view().rows_between(0, n);
  const MatrixView<float> d_others = d_parts_.view().rows_between(n, n + all);
  d_embeddings_.resize(n + all, dim_);
  source_.backward(d_source, d_embeddings_.view().rows_between(0, n));
  destination_.backward(d_others, d_embeddings_.view().rows_between(n, n + all));
  for (std::size_t r = 0; r < n + all; ++r) {
    std::copy_n(d_embeddings_.view().row(row_of(n, each, r)), dim_, dembeddings.row(r));
  }
  steps.add(source_, embeddings_.columns(0, dim_).rows_between(0, n), d_source);
  steps.add(destination_, embeddings_.view().rows_between(n, n + all), d_others);
  if (pairs_) steps.add(*pairs_, pair_rows_.view(), d_others);
}

/// Sets embeddings_ to the sources of all events and the different destinations, and places_.
void LinkDecoder::list_destinations(MatrixView<const float> embeddings,
                                    std::span<const std::uint32_t> rows,
                                    MatrixView<const float> logits) {
  const std::size_t n = logits.rows, queries = 1 + logits.cols;
  embeddings_.resize(n + embeddings.rows, dim_ + 1);
  places_.assign(embeddings.rows, kNoRow);
  std::size_t end = n;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    const std::uint32_t row = rows[q];
    if (q % queries == 0) {
      add_embedding(embeddings.row(row), q / queries);
    } else if (places_[row] == kNoRow) {
      places_[row] = static_cast<std::uint32_t>(end);
      add_embedding(embeddings.row(row), end++);
    }
  }
  embeddings_.resize(end, dim_ + 1);
}

void LinkDecoder::score(MatrixView<const float> embeddings, std::span<const std::uint32_t> rows,
                        MatrixView<const float> pairs, MatrixView<float> logits) {
  constexpr std::size_t kRows = 256;  // pairs whose hidden rows stay in the cache
  const std::size_t n = logits.rows, each = logits.cols,
                    step = std::max<std::size_t>(1, kRows / each);
  assert(rows.size() == n * (1 + each) && logits.stride == each);
  list_destinations(embeddings, rows, logits);
  multiply_embeddings(n);
  for (std::size_t begin = 0; begin < n; begin += step) {
    const std::size_t first = begin * each, end = std::min(n, begin + step) * each;
    pair_parts_.resize(end - first, dim_);
    hidden_.resize(end - first, dim_ + 1);
    for (std::size_t p = first; p < end; ++p) {
      const std::uint32_t place = places_[rows[p + p / each + 1]];
      std::copy_n(parts_.view().row(place), dim_, pair_parts_.view().row(p - first));
    }
    add_pairs(pairs_ ? pairs.rows_between(first, end) : pairs, pair_parts_.view());
    for (std::size_t p = first; p < end; ++p) {
      add_parts(parts_.view().row(p / each), pair_parts_.view().row(p - first),
                hidden_.view().row(p - first));
    }
    second_.forward(hidden_.view(), {logits.data + first, end - first, 1, 1});
  }
}

/// Computes the hidden row of a pair, followed by a 1 for the bias.
void LinkDecoder::add_parts(const float* source, const float* destination, float* hidden) const {
  for (std::size_t c = 0; c < dim_; ++c) hidden[c] = std::max(0.0F, source[c] + destination[c]);
  hidden[dim_] = 1;
}

void LinkDecoder::visit_parameters(const ParameterVisit& each) {
  each.layer("decoder.source", source_);
  each.layer("decoder.destination", destination_);
  each.layer("decoder.second", second_);
  if (pairs_) each.layer("decoder.pairs", *pairs_);
}

void LinkDecoder::save(Document& document) const {
  Tensor weights = Tensor::make(kName + "fc1.weight", Dtype::f32, {dim_, num_inputs()});
  float* data = weights.as<float>().data();
  std::vector<float> bias(dim_);
  source_.get({data, dim_, dim_, num_inputs()}, {});
  destination_.get({data + dim_, dim_, dim_, num_inputs()}, bias);
  if (pairs_) pairs_->get({data + 2 * dim_, dim_, pair_dim_, num_inputs()}, {});
  document.tensors.push_back(std::move(weights));
  document.tensors.push_back(Tensor::copy_of<float>(kName + "fc1.bias", {dim_}, bias));
  second_.save(document, kName + "fc2");
}

void LinkDecoder::load(const Document& document, const std::string& path) {
  DenseLayer::check(document, path, kName + "fc1", {num_inputs(), dim_});
  const float* data = document.at(kName + "fc1.weight").as<float>().data();
  source_.set({data, dim_, dim_, num_inputs()}, {});
  if (pairs_) pairs_->set({data + 2 * dim_, dim_, pair_dim_, num_inputs()}, {});
  destination_.set({data + dim_, dim_, dim_, num_inputs()},
                   document.at(kName + "fc1.bias").as<float>());
  second_.load(document, path, kName + "fc2");
}

}  // namespace frugal::tgn
