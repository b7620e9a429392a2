#include "tools/tgn-train/network/mixer_layer.h"

#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/kernels/gemm.h"
#include "libcore/nn/init.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

/// Groups of consecutive sequences that threads share; gradients are added up in their order.
constexpr std::size_t kMixerGroups = 16;
/// Sequences mixed at once, so that their rows stay in the cache.
constexpr std::size_t kMixedAtOnce = 16;

constexpr const char* kVectorNames[] = {
    ".token_norm.weight",  ".token_norm.bias",  ".token_mix.0.weight",  ".token_mix.0.bias",
    ".token_mix.1.weight", ".token_mix.1.bias", ".channel_norm.weight", ".channel_norm.bias"};

// Parts of a layer whose dropout is drawn apart.
enum MixerDropout : std::uint8_t { token_hidden, token_out, channel_hidden, channel_out, kDrops };

void fill_rows(MatrixView<float> rows, const float* values) {
  for (std::size_t r = 0; r < rows.rows; ++r) std::fill_n(rows.row(r), rows.cols, values[r]);
}

/// sums[r] += the sum of row r.
void add_row_sums(MatrixView<const float> rows, float* sums) {
  thread_local std::vector<float> ones;
  if (ones.size() < rows.cols) ones.assign(rows.cols, 1);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    sums[r] += kernels().dot(rows.row(r), ones.data(), rows.cols);
  }
}

void add_rows(MatrixView<const float> from, MatrixView<float> to) {
  for (std::size_t r = 0; r < from.rows; ++r) kernels().axpy(1, from.row(r), to.row(r), from.cols);
}

void copy_rows(MatrixView<const float> from, MatrixView<float> to) {
  for (std::size_t r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.cols, to.row(r));
}

}  // namespace

MixerLayer::MixerLayer(const Shape& shape, const std::string& name, std::size_t number)
    : shape_(shape),
      name_(name),
      number_(number),
      expand_({shape.channels, units()}, shape.precision),
      reduce_({units(), shape.channels}, shape.precision) {
  for (std::size_t v = 0; v < kVectors; ++v) {
    vectors_[v] = VectorParameter(num_elements(tensor_shape(static_cast<Vector>(v))));
  }
  for (const Vector gamma : {token_gamma, channel_gamma}) {
    std::fill(vectors_[gamma].values().begin(), vectors_[gamma].values().end(), 1.0F);
  }
}

frugal::Shape MixerLayer::tensor_shape(Vector vector) const {
  switch (vector) {
    case token_w1: return {token_units(), shape_.places};
    case token_w2: return {shape_.places, token_units()};
    case token_b1: return {token_units()};
    case channel_gamma:
    case channel_beta: return {shape_.channels};
    default: return {shape_.places};
  }
}

/// As PyTorch's layers: norms are the identity, products uniform within 1 / sqrt(inputs).
void MixerLayer::randomize(std::uint64_t seed, std::uint64_t stream) {
  const auto draw = [&](Vector vector, std::size_t inputs, std::uint64_t number) {
    const std::span<float> values = vectors_[vector].values();
    fill_uniform({values.data(), 1, values.size()}, 1 / std::sqrt(static_cast<double>(inputs)),
                 seed, stream + number);
  };
  draw(token_w1, shape_.places, 0);
  draw(token_b1, shape_.places, 1);
  draw(token_w2, token_units(), 2);
  draw(token_b2, token_units(), 3);
  expand_.randomize_uniform(seed, stream + 4);
  reduce_.randomize_uniform(seed, stream + 6);
}

/// Calls body(group, range) for ranges of at most kMixedAtOnce sequences. Ranges of a group come in
/// order, by one thread.
template <class Body>
void MixerLayer::for_each_group(const TokenRows& rows, const Body& body) const {
  const std::size_t n = rows.sequences();
  parallel_for(kMixerGroups, 1, [&](std::size_t group) {
    const std::size_t end = n * (group + 1) / kMixerGroups;
    for (std::size_t at = n * group / kMixerGroups; at < end;) {
      const Range range{at, std::min(end, at + kMixedAtOnce)};
      body(group, range);
      at = range.end;
    }
  });
}

/// Drops numbers of rows, the first of which is row `first` of its part. A backward pass drops the
/// same ones.
void MixerLayer::drop(MatrixView<float> rows, std::size_t first, std::size_t part) const {
  if (!pass_.training || shape_.dropout == 0) return;
  const std::uint32_t key = dropout_key(pass_, kDrops * number_ + part);
  const auto threshold = static_cast<std::uint32_t>(static_cast<double>(shape_.dropout) * 0x1p32);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    kernels().dropout(rows.row(r), rows.cols,
                      static_cast<std::uint32_t>(hash_combine(key, first + r)), threshold,
                      1 / (1 - shape_.dropout));
  }
}

/// Computes the hidden units of a sequence's tokens: room.units and room.active, [token_units,
/// channels].
void MixerLayer::mix_units(const TokenRows& rows, std::size_t s, Room& room) const {
  const std::size_t places = shape_.places, count = rows.tokens_of(s), first = places - count;
  for (RowStore* const store : {&room.padded, &room.normal}) store->resize(places, shape_.channels);
  for (RowStore* const store : {&room.units, &room.active}) {
    store->resize(token_units(), shape_.channels);
  }
  const MatrixView<float> padded = room.padded.view(), normal = room.normal.view();
  for (std::size_t r = 0; r < first; ++r) std::fill_n(padded.row(r), padded.cols, 0.0F);
  copy_rows(z_.rows_between(rows.offsets[s], rows.offsets[s + 1]),
            padded.rows_between(first, places));
  kernels().normalize_columns(
      {padded.data, padded.stride, places, padded.cols, values(token_gamma), values(token_beta)},
      normal.data);
  const MatrixView<float> units = room.units.view(), active = room.active.view();
  fill_rows(units, values(token_b1));
  gemm_in_place({values(token_w1), units.rows, places, places}, Transpose::no, normal, units, 1, 1);
  for (std::size_t r = 0; r < units.rows; ++r) {
    kernels().gelu(units.row(r), active.row(r), units.cols);
  }
  drop(active, s * units.rows, token_hidden);
}

/// Sets the sequence's rows of mixed_.
void MixerLayer::mix_tokens(const TokenRows& rows, std::size_t s, Room& room) {
  const std::size_t count = rows.tokens_of(s), first = shape_.places - count;
  if (count == 0) return;
  mix_units(rows, s, room);
  const std::size_t inputs = token_units();
  const MatrixView<float> out = mixed_.view().rows_between(rows.offsets[s], rows.offsets[s + 1]);
  fill_rows(out, values(token_b2) + first);
  gemm_in_place({values(token_w2) + first * inputs, count, inputs, inputs}, Transpose::no,
                room.active.view(), out, 1, 1);
  drop(out, rows.offsets[s], token_out);
  add_rows(z_.rows_between(rows.offsets[s], rows.offsets[s + 1]), out);
}

void MixerLayer::mix_channels(const TokenRows& rows, Range range, MatrixView<float> out) {
  const std::size_t begin = rows.offsets[range.begin], end = rows.offsets[range.end];
  const std::size_t channels = shape_.channels;
  const MatrixView<float> normal = normal_.view(), before = before_.view(), active = active_.view();
  for (std::size_t t = begin; t < end; ++t) {
    kernels().normalize_row(
        {mixed_.view().row(t), values(channel_gamma), values(channel_beta), channels},
        normal.row(t));
    normal(t, channels) = active(t, units()) = 1;
  }
  expand_.forward(normal.rows_between(begin, end), before.rows_between(begin, end));
  for (std::size_t t = begin; t < end; ++t) {
    kernels().gelu(before.row(t), active.row(t), units());
  }
  drop(active_.columns(0, units()).rows_between(begin, end), begin, channel_hidden);
  if (means()) return add_means(rows, range, out);
  const MatrixView<float> to = out.rows_between(begin, end);
  reduce_.forward(active.rows_between(begin, end), to);
  drop(to, begin, channel_out);
  add_rows(mixed_.view().rows_between(begin, end), to);
}

/// The mean of W2 a + b over tokens is W2 times the mean of a, plus b for the tokens that there
/// are.
void MixerLayer::add_means(const TokenRows& rows, Range range, MatrixView<float> out) {
  const float share = 1 / static_cast<float>(shape_.places);
  const MatrixView<float> pooled = pooled_.view();
  for (std::size_t s = range.begin; s < range.end; ++s) {
    std::fill_n(pooled.row(s), pooled.cols, 0.0F);
    for (std::size_t t = rows.offsets[s]; t < rows.offsets[s + 1]; ++t) {
      kernels().axpy(share, active_.view().row(t), pooled.row(s), pooled.cols);
    }
  }
  const MatrixView<float> to = out.rows_between(range.begin, range.end);
  reduce_.forward(pooled.rows_between(range.begin, range.end), to);
  drop(to, range.begin, channel_out);
  for (std::size_t s = range.begin; s < range.end; ++s) {
    for (std::size_t t = rows.offsets[s]; t < rows.offsets[s + 1]; ++t) {
      kernels().axpy(share, mixed_.view().row(t), out.row(s), out.cols);
    }
  }
}

void MixerLayer::forward(const TokenRows& rows, MatrixView<const float> z, const TgnPass& pass,
                         MatrixView<float> out) {
  pass_ = pass;
  z_ = z;
  mixed_.resize(rows.tokens(), shape_.channels);
  normal_.resize(rows.tokens(), shape_.channels + 1);
  before_.resize(rows.tokens(), units());
  active_.resize(rows.tokens(), units() + 1);
  if (means()) pooled_.resize(rows.sequences(), units() + 1);
  for_each_group(rows, [&](std::size_t, Range range) {
    thread_local Room room;
    for (std::size_t s = range.begin; s < range.end; ++s) mix_tokens(rows, s, room);
    mix_channels(rows, range, out);
  });
}

/// Sets the tokens' rows of d_units_ and dz: of the units after their dropout, and of the residual.
void MixerLayer::means_backward(const TokenRows& rows, Range range, MatrixView<const float> dout,
                                MatrixView<float> dz) {
  const float share = 1 / static_cast<float>(shape_.places);
  const MatrixView<float> d_pooled = d_pooled_.view().rows_between(range.begin, range.end);
  reduce_.backward(d_reduced_.view().rows_between(range.begin, range.end), d_pooled);
  for (std::size_t s = range.begin; s < range.end; ++s) {
    kernels().scale(share, d_pooled.row(s - range.begin), d_pooled.cols);
    for (std::size_t t = rows.offsets[s]; t < rows.offsets[s + 1]; ++t) {
      std::copy_n(d_pooled.row(s - range.begin), d_pooled.cols, d_units_.view().row(t));
      std::copy_n(dout.row(s), dz.cols, dz.row(t));
      kernels().scale(share, dz.row(t), dz.cols);
    }
  }
}

/// Sets the rows of dz to the gradient of mixed_.
void MixerLayer::channels_backward(const TokenRows& rows, std::size_t group, Range range,
                                   MatrixView<const float> dout, MatrixView<float> dz) {
  const std::size_t begin = rows.offsets[range.begin], end = rows.offsets[range.end];
  const Range of_out = means() ? range : Range{begin, end};
  const MatrixView<float> d_reduced = d_reduced_.view().rows_between(of_out.begin, of_out.end);
  const MatrixView<float> d_units = d_units_.view().rows_between(begin, end);
  copy_rows(dout.rows_between(of_out.begin, of_out.end), d_reduced);
  drop(d_reduced, of_out.begin, channel_out);
  if (means()) {
    means_backward(rows, range, dout, dz);
  } else {
    reduce_.backward(d_reduced, d_units);
    copy_rows(dout.rows_between(begin, end), dz.rows_between(begin, end));
  }
  drop(d_units, begin, channel_hidden);
  for (std::size_t t = begin; t < end; ++t) {
    kernels().gelu_backward(before_.view().row(t), d_units.row(t - begin), units());
  }
  thread_local RowStore d_normal;
  d_normal.resize(end - begin, shape_.channels);
  expand_.backward(d_units, d_normal.view());
  for (std::size_t t = begin; t < end; ++t) {
    float* const row = d_normal.view().row(t - begin);
    kernels().normalize_row_backward(
        {mixed_.view().row(t), values(channel_gamma), values(channel_beta), shape_.channels}, row,
        gradient(group, channel_gamma), gradient(group, channel_beta));
    kernels().axpy(1, row, dz.row(t), shape_.channels);
  }
}

/// Converts the sequence's rows of dz from the gradient of mixed_ to that of z.
void MixerLayer::tokens_backward(const TokenRows& rows, std::size_t group, std::size_t s,
                                 MatrixView<float> dz, Room& room) {
  const std::size_t places = shape_.places, count = rows.tokens_of(s), first = places - count;
  const std::size_t inputs = token_units(), channels = shape_.channels;
  if (count == 0) return;
  mix_units(rows, s, room);
  room.mixed.resize(count, channels);
  room.d_units.resize(inputs, channels);
  room.d_normal.resize(places, channels);
  const MatrixView<float> dz_here = dz.rows_between(rows.offsets[s], rows.offsets[s + 1]);
  const MatrixView<float> d_out = room.mixed.view(), d_units = room.d_units.view();
  const MatrixView<float> normal = room.normal.view(), d_normal = room.d_normal.view();
  copy_rows(dz_here, d_out);
  drop(d_out, rows.offsets[s], token_out);
  add_row_sums(d_out, gradient(group, token_b2) + first);
  gemm(d_out, Transpose::no, room.active.view(), Transpose::yes,
       {gradient(group, token_w2) + first * inputs, count, inputs, inputs}, 1, 1);
  gemm_in_place({values(token_w2) + first * inputs, count, inputs, inputs}, Transpose::yes, d_out,
                d_units);
  drop(d_units, s * inputs, token_hidden);
  for (std::size_t r = 0; r < inputs; ++r) {
    kernels().gelu_backward(room.units.view().row(r), d_units.row(r), channels);
  }
  add_row_sums(d_units, gradient(group, token_b1));
  gemm(d_units, Transpose::no, normal, Transpose::yes,
       {gradient(group, token_w1), inputs, places, places}, 1, 1);
  gemm_in_place({values(token_w1), inputs, places, places}, Transpose::yes, d_units, d_normal);
  kernels().normalize_columns_backward({room.padded.view().data, d_normal.stride, places, channels,
                                        values(token_gamma), values(token_beta)},
                                       d_normal.data, gradient(group, token_gamma),
                                       gradient(group, token_beta));
  add_rows(d_normal.rows_between(first, places), dz_here);
}

void MixerLayer::backward(const TokenRows& rows, MatrixView<const float> dout, MatrixView<float> dz,
                          ParameterSteps& steps) {
  d_reduced_.resize(dout.rows, shape_.channels);
  d_units_.resize(rows.tokens(), units());
  if (means()) d_pooled_.resize(rows.sequences(), units());
  std::size_t size = 0;
  for (const VectorParameter& vector : vectors_) size += vector.size();
  gradients_.assign(kMixerGroups * size, 0);
  for_each_group(rows, [&](std::size_t group, Range range) {
    thread_local Room room;
    channels_backward(rows, group, range, dout, dz);
    for (std::size_t s = range.begin; s < range.end; ++s) tokens_backward(rows, group, s, dz, room);
  });
  steps.add(reduce_, means() ? pooled_.view() : active_.view(), d_reduced_.view());
  steps.add(expand_, normal_.view(), d_units_.view());
  add_gradients(steps);
}

/// The group's gradient of a vector.
float* MixerLayer::gradient(std::size_t group, Vector vector) {
  float* at = gradients_.data() + group * (gradients_.size() / kMixerGroups);
  for (std::size_t v = 0; v < vector; ++v) at += vectors_[v].size();
  return at;
}

void MixerLayer::add_gradients(ParameterSteps& steps) {
  for (std::size_t v = 0; v < kVectors; ++v) {
    for (std::size_t group = 0; group < kMixerGroups; ++group) {
      kernels().axpy(1, gradient(group, static_cast<Vector>(v)), vectors_[v].gradient(),
                     vectors_[v].size());
    }
    steps.add(vectors_[v]);
  }
}

void MixerLayer::visit_parameters(const ParameterVisit& each) {
  // A vector's state in checkpoints has the name of the visit, which must not be its tensor's.
  for (std::size_t v = 0; v < kVectors; ++v) {
    each.vector("state." + name_ + kVectorNames[v], vectors_[v], true);
  }
  each.layer(name_ + ".channel_mix.0", expand_);
  each.layer(name_ + ".channel_mix.1", reduce_);
}

void MixerLayer::save(Document& document) const {
  for (std::size_t v = 0; v < kVectors; ++v) {
    document.tensors.push_back(Tensor::copy_of<float>(
        name_ + kVectorNames[v], tensor_shape(static_cast<Vector>(v)), vectors_[v].values()));
  }
  expand_.save(document, name_ + ".channel_mix.0");
  reduce_.save(document, name_ + ".channel_mix.1");
}

void MixerLayer::load(const Document& document, const std::string& path) {
  for (std::size_t v = 0; v < kVectors; ++v) {
    const auto from =
        shaped_tensor(document, path, name_ + kVectorNames[v], tensor_shape(static_cast<Vector>(v)))
            .as<float>();
    std::copy(from.begin(), from.end(), vectors_[v].values().begin());
  }
  expand_.load(document, path, name_ + ".channel_mix.0");
  reduce_.load(document, path, name_ + ".channel_mix.1");
}

}  // namespace frugal::tgn
