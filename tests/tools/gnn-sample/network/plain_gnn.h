#pragma once
#include <Eigen/Core>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/tools/gnn-sample/network/random_batch.h"

// The models again in double, by Eigen, from their formulas and the tensors of a file.
namespace frugal::gnn {

/// A row for each node.
using PlainRows = Eigen::MatrixXd;
using PlainRow = Eigen::RowVectorXd;
using PlainParameters = std::map<std::string, std::vector<double>>;

inline PlainParameters plain_parameters(GnnModel& model) {
  Document document;
  model.save(document);
  PlainParameters all;
  for (const Tensor& tensor : document.tensors) {
    const std::span<const float> values = tensor.as<float>();
    all[tensor.name].assign(values.begin(), values.end());
  }
  return all;
}

class PlainGnn {
 public:
  PlainGnn(const GnnOptions& options, const PlainParameters& parameters, const GnnPass& pass)
      : o_(options), p_(parameters), pass_(pass) {}

  /// The outputs of the seeds.
  PlainRows forward(const RandomBatch& batch) const {
    const GnnBatch view = batch.view();
    PlainRows x(view.blocks.front().sources, batch.row(0).size());
    for (Eigen::Index s = 0; s < x.rows(); ++s) {
      const std::vector<double> row = batch.row(static_cast<std::size_t>(s));
      x.row(s) = PlainRow::Map(row.data(), x.cols());
    }
    if (o_.kind == "sage-ri") return inception(view, x);
    const std::size_t layers = o_.num_layers + o_.head_layers;
    std::vector<PlainRows> outputs;
    drop(o_.input_dropout, place_of(layers - 1) + 1, x);
    for (std::size_t l = 0; l < layers; ++l) {
      const bool conv = l < o_.num_layers;
      const std::string number = std::to_string(conv ? l : l - o_.num_layers);
      if (l == o_.num_layers && o_.jumping != Jumping::none) x = joined(outputs, x.rows());
      x = conv ? convolve(view, l, x) : dense("lins." + number + ".", x);
      if (conv && o_.kind == "hoga") continue;  // a norm and units of its own
      if (l + 1 == layers) break;
      const bool gin = is_gin();
      if (!gin) normalize((conv ? "bns." : "lin_bns.") + number, x);
      activate(x);
      if (!gin || !conv || o_.head_layers == 0) drop(o_.dropout, place_of(l), x);
      outputs.push_back(x);
    }
    return x;
  }

 private:
  PlainRow vector(const std::string& name) const {
    const std::vector<double>& values = p_.at(name);
    return PlainRow::Map(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  /// x W^T + b, without b if the tensors have none.
  PlainRows dense(const std::string& name, const PlainRows& x, const char* weight = "weight",
                  const char* bias = "bias") const {
    const PlainRow values = vector(name + weight);  // W by rows, hence W^T by columns
    PlainRows y = x * PlainRows::Map(values.data(), x.cols(), values.size() / x.cols());
    if (p_.contains(name + bias)) y.rowwise() += vector(name + bias);
    return y;
  }

  /// The seeds' rows of all convolutions.
  PlainRows joined(const std::vector<PlainRows>& outputs, Eigen::Index seeds) const {
    PlainRows all = outputs[0].topRows(seeds);
    for (std::size_t l = 1; l < o_.num_layers; ++l) {
      const PlainRows rows = outputs[l].topRows(seeds);
      if (o_.jumping == Jumping::sum) {
        all += rows;
        continue;
      }
      PlainRows wider(seeds, all.cols() + rows.cols());
      wider << all, rows;
      all = wider;
    }
    return all;
  }

  PlainRows inception(const GnnBatch& batch, PlainRows x) const {
    drop(o_.input_dropout, o_.num_layers + 2, x);
    const Eigen::Index seeds = batch.blocks.back().targets;
    PlainRows joined = x.topRows(seeds);
    for (std::size_t l = 0; l < o_.num_layers; ++l) {
      const std::string number = std::to_string(l);
      PlainRows y = convolve(batch, l, x);
      normalize("bns." + number, y);
      activate(y);
      drop(o_.dropout, l, y);
      const std::string shortcut = "res_linears." + number + ".";
      const PlainRows targets = x.topRows(y.rows());
      y += p_.contains(shortcut + "weight") ? dense(shortcut, targets) : targets;
      PlainRows wider(seeds, joined.cols() + y.cols());
      wider << joined, y.topRows(seeds);
      joined = wider;
      x = y;
    }
    return dense("mlp.lins.1.", dense("mlp.lins.0.", joined));
  }

  /// Among the model's layers, of which each convolution of gin is two.
  std::size_t place_of(std::size_t layer) const {
    return is_gin() ? layer + std::min(layer + 1, o_.num_layers) : layer;
  }

  PlainRows convolve(const GnnBatch& batch, std::size_t l, const PlainRows& x) const {
    const std::string name = "convs." + std::to_string(l) + ".";
    const Block& block = batch.blocks[l];
    if (is_gin()) return gin(name, block, x);
    if (o_.kind == "sign") return dense(name, x.topRows(block.targets));
    if (o_.kind == "sagn") return sagn(name, x.topRows(block.targets));
    if (o_.kind == "hoga") return hoga(name, x.topRows(block.targets));
    PlainRows y = o_.kind == "gcn"             ? gcn(name, block, batch, x)
                  : o_.kind.starts_with("gat") ? gat(l, block, x)
                                               : sage(name, block, x);
    if (o_.residual) y += dense(name + "residual.", x.topRows(y.rows()));
    return y;
  }

  static double weight(const Block& block, std::uint32_t edge) {
    return block.weights == nullptr ? 1 : static_cast<double>(block.weights[edge]);
  }
  static double sum_of_weights(const Block& block, std::uint32_t t, bool with_own) {
    double sum = 0;
    for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
      if (with_own || block.neighbors[e] != t) sum += weight(block, e);
    }
    return sum;
  }
  WeightedDegree degree(const GnnBatch& batch, std::uint32_t node) const {
    if (o_.edge_weights) return batch.weighted_degrees[node];
    return {static_cast<double>(batch.degrees[node]), 1};
  }

  PlainRows gcn(const std::string& name, const Block& block, const GnnBatch& batch,
                const PlainRows& x) const {
    PlainRows sums(block.targets, x.cols());
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      const WeightedDegree d = degree(batch, t);
      const double drawn = sum_of_weights(block, t, false);
      sums.row(t) = d.own * x.row(t) / d.total();
      for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
        const std::uint32_t j = block.neighbors[e];
        if (j == t || drawn == 0) continue;
        const double share = weight(block, e) / drawn * d.neighbors;
        sums.row(t) += share / std::sqrt(d.total() * degree(batch, j).total()) * x.row(j);
      }
    }
    return dense(name, sums, "lin.weight");
  }

  bool is_gin() const { return o_.kind == "gin" || o_.kind == "gine"; }

  PlainRow message(const std::string& name, const Block& block, std::uint32_t e,
                   const PlainRows& x) const {
    PlainRows features(1, o_.edge_dim);
    const float* const row = block.edge_features + block.positions[e] * block.edge_dim;
    for (std::size_t c = 0; c < o_.edge_dim; ++c) features(0, c) = static_cast<double>(row[c]);
    const PlainRows sum = dense(name + "lin.", features) + x.row(block.neighbors[e]);
    return sum.cwiseMax(0).row(0);
  }

  PlainRows gin(const std::string& name, const Block& block, const PlainRows& x) const {
    PlainRows sums = (1 + p_.at(name + "eps")[0]) * x.topRows(block.targets);
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
        sums.row(t) += o_.kind == "gine" ? message(name, block, e, x)
                                         : PlainRow(weight(block, e) * x.row(block.neighbors[e]));
      }
    }
    PlainRows y = dense(name + "nn.0.", sums);
    if (o_.residual) y += dense(name + "residual.", x.topRows(y.rows()));
    normalize(name + "nn.1", y);
    activate(y);
    return dense(name + "nn.3.", y);
  }

  PlainRows sage(const std::string& name, const Block& block, const PlainRows& x) const {
    PlainRows pooled = PlainRows::Zero(block.targets, x.cols());
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      const auto neighbors = block.row(t);
      const bool max = o_.aggregate == SageAggregate::max;
      if (max && !neighbors.empty()) pooled.row(t) = x.row(neighbors[0]);
      const double sum = sum_of_weights(block, t, true);
      for (std::uint32_t e = block.offsets[t]; e < block.offsets[t + 1]; ++e) {
        const PlainRow row = x.row(block.neighbors[e]);
        const double share = sum == 0 ? 0 : weight(block, e) / sum;
        pooled.row(t) =
            max ? PlainRow(pooled.row(t).cwiseMax(row)) : PlainRow(pooled.row(t) + share * row);
      }
    }
    return dense(name, x.topRows(block.targets), "lin_r.weight", "") +
           dense(name, pooled, "lin_l.weight", "lin_l.bias");
  }

  PlainRows gat(std::size_t l, const Block& block, const PlainRows& x) const {
    const std::string name = "convs." + std::to_string(l) + ".";
    const bool last = l + 1 == o_.num_layers + o_.head_layers;
    const std::size_t heads = last ? o_.output_heads : o_.heads;
    const bool v2 = o_.kind == "gatv2";
    const PlainRow source = vector(name + (v2 ? "att" : "att_src"));
    const PlainRow target = v2 ? source : vector(name + "att_dst");
    const Eigen::Index out = source.size() / static_cast<Eigen::Index>(heads);
    const PlainRows h = v2 ? dense(name + "lin_l.", x) : dense(name, x, "lin.weight", "");
    const PlainRows r = v2 ? dense(name + "lin_r.", x) : h;
    PlainRows y = PlainRows::Zero(block.targets, last ? out : h.cols());
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      std::vector<std::uint32_t> neighbors(block.row(t).begin(), block.row(t).end());
      std::erase(neighbors, t);
      neighbors.push_back(t);
      std::vector<float> mask(neighbors.size() * heads, 1.0F);
      Dropout(o_.attention_dropout, pass_, kAttentionStream + l).apply(t, mask);
      for (std::size_t k = 0; k < heads; ++k) {
        const Eigen::Index begin = static_cast<Eigen::Index>(k) * out;
        const auto part = [&](const PlainRows& rows, Eigen::Index r) {
          return rows.row(r).segment(begin, out);
        };
        Eigen::ArrayXd alpha(neighbors.size());
        for (std::size_t n = 0; n < neighbors.size(); ++n) {
          const auto leaky = [](double z) { return z > 0 ? z : 0.2 * z; };
          const PlainRow sum = part(h, neighbors[n]) + part(r, t);
          const double logit = v2 ? part(source, 0).dot(sum.unaryExpr(leaky))
                                  : leaky(part(source, 0).dot(part(h, neighbors[n])) +
                                          part(target, 0).dot(part(r, t)));
          alpha[static_cast<Eigen::Index>(n)] = std::exp(logit);
        }
        alpha /= alpha.sum() * (last ? static_cast<double>(heads) : 1.0);
        for (std::size_t n = 0; n < neighbors.size(); ++n) {
          y.row(t).segment(last ? 0 : begin, out) += alpha[static_cast<Eigen::Index>(n)] *
                                                     static_cast<double>(mask[n * heads + k]) *
                                                     part(h, neighbors[n]);
        }
      }
    }
    if (p_.contains(name + "bias")) y.rowwise() += vector(name + "bias");
    return y;
  }

  PlainRows sagn(const std::string& name, const PlainRows& x) const {
    const auto parts = static_cast<Eigen::Index>(o_.hops + 1);
    const Eigen::Index features = x.cols() / parts;
    const bool last = o_.head_layers == 0;
    const std::size_t heads = last ? o_.output_heads : o_.heads;
    const PlainRow source = vector(name + "att_src"), target = vector(name + "att_dst");
    const Eigen::Index out = source.size() / static_cast<Eigen::Index>(heads);
    std::vector<PlainRows> h;
    for (Eigen::Index k = 0; k < parts; ++k) {
      const std::string hop = name + "hops." + std::to_string(k) + ".";
      h.push_back(dense(hop, x.middleCols(k * features, features)));
    }
    PlainRows y = dense(name + "residual.", x.leftCols(features));
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      std::vector<float> mask(h.size() * heads, 1.0F);
      Dropout(o_.attention_dropout, pass_, kAttentionStream)
          .apply(static_cast<std::size_t>(t), mask);
      for (std::size_t head = 0; head < heads; ++head) {
        const Eigen::Index begin = static_cast<Eigen::Index>(head) * out;
        const double own = target.segment(begin, out).dot(h[0].row(t).segment(begin, out));
        Eigen::ArrayXd alpha(parts);
        for (Eigen::Index k = 0; k < parts; ++k) {
          const double z = source.segment(begin, out).dot(h[k].row(t).segment(begin, out)) + own;
          alpha[k] = std::exp(z > 0 ? z : 0.2 * z);
        }
        alpha /= alpha.sum() * (last ? static_cast<double>(heads) : 1.0);
        for (std::size_t k = 0; k < h.size(); ++k) {
          y.row(t).segment(last ? 0 : begin, out) += alpha[static_cast<Eigen::Index>(k)] *
                                                     static_cast<double>(mask[k * heads + head]) *
                                                     h[k].row(t).segment(begin, out);
        }
      }
    }
    return y;
  }

  PlainRows hoga(const std::string& name, const PlainRows& x) const {
    const auto parts = static_cast<Eigen::Index>(o_.hops + 1);
    const Eigen::Index features = x.cols() / parts, targets = x.rows();
    PlainRows hops(targets * parts, features);
    for (Eigen::Index r = 0; r < hops.rows(); ++r) {
      hops.row(r) = x.row(r / parts).segment(r % parts * features, features);
    }
    PlainRows h = dense(name + "lin.", hops);
    if (p_.contains(name + "hop_bias")) {
      const PlainRow values = vector(name + "hop_bias");  // a row for each unit
      for (Eigen::Index r = 0; r < h.rows(); ++r) {
        h.row(r) += values(Eigen::seqN(r % parts, h.cols(), parts));
      }
    }
    const PlainRows products = dense(name + "in_proj.", h);
    const Eigen::Index width = products.cols() / 4;
    const auto out = static_cast<Eigen::Index>(o_.hidden);
    PlainRows z(hops.rows(), width);
    for (Eigen::Index t = 0; t < targets; ++t) {
      std::vector<float> mask(o_.heads * static_cast<std::size_t>(parts * parts), 1.0F);
      Dropout(o_.attention_dropout, pass_, kAttentionStream)
          .apply(static_cast<std::size_t>(t), mask);
      for (Eigen::Index head = 0; head < width / out; ++head) {
        const auto of_head = [&](Eigen::Index matrix) {
          return products.block(t * parts, matrix * width + head * out, parts, out);
        };
        PlainRows s = of_head(1) * of_head(2).transpose() / std::sqrt(static_cast<double>(out));
        for (Eigen::Index i = 0; i < parts; ++i) {
          s.row(i) = s.row(i).array().exp();
          s.row(i) /= s.row(i).sum();
          for (Eigen::Index j = 0; j < parts; ++j) {
            s(i, j) *= static_cast<double>(mask[(head * parts + i) * parts + j]);
          }
        }
        z.block(t * parts, head * out, parts, out) = of_head(0).cwiseProduct(s * of_head(3));
      }
    }
    normalize_rows(name + "norm", z);
    activate(z);
    drop(o_.dropout, 0, z);
    return read_out(vector(name + "att"), z, parts);
  }

  /// The paper's formula, with the parameters that the softmax removes: those of z_0.
  static PlainRows read_out(const PlainRow& att, const PlainRows& z, Eigen::Index parts) {
    PlainRow both(2 * att.size());
    both << PlainRow::Constant(att.size(), 0.3), att;
    PlainRows y(z.rows() / parts, z.cols());
    for (Eigen::Index t = 0; t < y.rows(); ++t) {
      Eigen::ArrayXd alpha(parts - 1);
      for (Eigen::Index k = 1; k < parts; ++k) {
        PlainRow joined(2 * att.size());
        joined << z.row(t * parts), z.row(t * parts + k);
        alpha[k - 1] = std::exp(both.dot(joined));
      }
      y.row(t) = z.row(t * parts);
      for (Eigen::Index k = 1; k < parts; ++k) {
        y.row(t) += alpha[k - 1] / alpha.sum() * z.row(t * parts + k);
      }
    }
    return y;
  }

  void normalize(const std::string& name, PlainRows& x) const {
    if (o_.norm == NormKind::none) return;
    if (o_.norm == NormKind::layer) return normalize_rows(name, x);
    PlainRow mean = x.colwise().mean();
    PlainRow variance = (x.rowwise() - mean).array().square().colwise().mean();
    if (!pass_.training) {
      mean = vector(name + ".running_mean");
      variance = vector(name + ".running_var");
    }
    const PlainRow factor = vector(name + ".weight").array() / (variance.array() + 1e-5).sqrt();
    x = ((x.rowwise() - mean).array().rowwise() * factor.array()).matrix();
    x.rowwise() += vector(name + ".bias");
  }

  /// Layer norms are called lns where batch norms are bns.
  void normalize_rows(std::string name, PlainRows& x) const {
    if (const auto at = name.find("bns."); at != std::string::npos) name[at] = 'l';
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const Eigen::ArrayXd centred = x.row(r).array() - x.row(r).mean();
      const double deviation = std::sqrt(centred.square().mean() + 1e-5);
      x.row(r) = (centred / deviation).matrix().transpose().cwiseProduct(vector(name + ".weight"));
    }
    x.rowwise() += vector(name + ".bias");
  }

  void activate(PlainRows& x) const {
    x = x.unaryExpr([this](double v) {
      if (v > 0) return v;
      if (o_.activation == ActivationKind::relu) return 0.0;
      return o_.activation == ActivationKind::elu ? std::exp(v) - 1 : 0.01 * v;
    });
  }

  /// The mask is what dropout makes of ones.
  void drop(float rate, std::uint64_t layer, PlainRows& x) const {
    const Dropout dropout(rate, pass_, layer);
    Eigen::RowVectorXf mask(x.cols());
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      mask.setOnes();
      dropout.apply(static_cast<std::size_t>(r), {mask.data(), static_cast<std::size_t>(x.cols())});
      x.row(r) = x.row(r).cwiseProduct(mask.cast<double>());
    }
  }

  const GnnOptions& o_;
  const PlainParameters& p_;
  GnnPass pass_;
};

}  // namespace frugal::gnn
