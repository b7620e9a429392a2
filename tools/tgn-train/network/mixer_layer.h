#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/embedding_layer.h"

namespace frugal::tgn {

/// Sequences of tokens, at most `places` each. Tokens [offsets[s], offsets[s + 1]) are those of
/// sequence s. They take its last places; the places before them are absent.
struct TokenRows {
  std::vector<std::uint32_t> offsets = {0};
  std::size_t places = 0;

  std::size_t sequences() const { return offsets.size() - 1; }
  std::size_t tokens() const { return offsets.back(); }
  std::size_t tokens_of(std::size_t s) const { return offsets[s + 1] - offsets[s]; }
};

/// A layer of an MLP-Mixer (Tolstikhin et al., NeurIPS 2021): Z + W2 gelu(W1 norm(Z)) over the
/// tokens of each channel, then the same over the channels of each token. An absent token is a row
/// of zeros, before and after the layer.
class MixerLayer {
 public:
  enum class Output : std::uint8_t {
    tokens,  ///< a row for each token
    means    ///< a row for each sequence: the sum of its tokens over `places`
  };
  struct Shape {
    std::size_t places = 0, channels = 0;
    float dropout = 0;
    Precision precision = Precision::f32;
    Output output = Output::tokens;
  };
  /// number: of its dropout among the model's layers.
  MixerLayer(const Shape& shape, const std::string& name, std::size_t number);

  /// Numbers that a layer keeps for each token in training, backward pass included.
  static std::size_t kept_numbers(std::size_t channels) { return 15 * channels; }

  void randomize(std::uint64_t seed, std::uint64_t stream);
  /// z: [tokens, channels], valid until the backward pass. out: [tokens, channels] or [sequences,
  /// channels].
  void forward(const TokenRows& rows, MatrixView<const float> z, const TgnPass& pass,
               MatrixView<float> out);
  /// dout: shaped as out. dz: [tokens, channels].
  void backward(const TokenRows& rows, MatrixView<const float> dout, MatrixView<float> dz,
                ParameterSteps& steps);

  void visit_parameters(const ParameterVisit& each);
  void save(Document& document) const;
  void load(const Document& document, const std::string& path);

 private:
  /// Parameters that are no DenseLayer. w1: [token_units, places], w2: [places, token_units].
  enum Vector : std::uint8_t {
    token_gamma,
    token_beta,
    token_w1,
    token_b1,
    token_w2,
    token_b2,
    channel_gamma,
    channel_beta,
    kVectors
  };
  /// Sequences whose channels are mixed at once.
  struct Range {
    std::size_t begin, end;
  };
  /// Rows of one sequence while its tokens are mixed.
  struct Room {
    RowStore padded, normal, units, active, mixed, d_units, d_normal;
  };
  std::size_t token_units() const { return std::max<std::size_t>(1, shape_.places / 2); }
  std::size_t units() const { return 4 * shape_.channels; }
  bool means() const { return shape_.output == Output::means; }
  frugal::Shape tensor_shape(Vector vector) const;
  const float* values(Vector vector) const { return vectors_[vector].values().data(); }
  float* gradient(std::size_t group, Vector vector);

  template <class Body>
  void for_each_group(const TokenRows& rows, const Body& body) const;
  void drop(MatrixView<float> rows, std::size_t first, std::size_t part) const;
  void mix_units(const TokenRows& rows, std::size_t s, Room& room) const;
  void mix_tokens(const TokenRows& rows, std::size_t s, Room& room);
  void mix_channels(const TokenRows& rows, Range range, MatrixView<float> out);
  void add_means(const TokenRows& rows, Range range, MatrixView<float> out);
  void means_backward(const TokenRows& rows, Range range, MatrixView<const float> dout,
                      MatrixView<float> dz);
  void channels_backward(const TokenRows& rows, std::size_t group, Range range,
                         MatrixView<const float> dout, MatrixView<float> dz);
  void tokens_backward(const TokenRows& rows, std::size_t group, std::size_t s,
                       MatrixView<float> dz, Room& room);
  void add_gradients(ParameterSteps& steps);

  Shape shape_;
  std::string name_;
  std::size_t number_;
  std::array<VectorParameter, kVectors> vectors_;
  DenseLayer expand_, reduce_;

  // Rows of the last pass.
  TgnPass pass_;
  MatrixView<const float> z_;
  RowStore mixed_;      ///< [tokens, channels] after mixing tokens
  RowStore normal_;     ///< [tokens, channels + 1]
  RowStore before_;     ///< [tokens, units] before the activation
  RowStore active_;     ///< [tokens, units + 1]
  RowStore pooled_;     ///< means: [sequences, units + 1] sums of active rows over `places`
  RowStore d_reduced_;  ///< [rows of the output, channels]
  RowStore d_units_;    ///< [tokens, units]
  RowStore d_pooled_;
  std::vector<float> gradients_;  ///< [groups, all vectors]
};

}  // namespace frugal::tgn
