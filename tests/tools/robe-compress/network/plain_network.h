#pragma once
#include <Eigen/Core>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/robe-compress/network/architecture.h"

/// The formulas of the architectures in double, by Eigen, for one sample: the oracle of the tests.
namespace frugal::robe::plain {

using Eigen::VectorXd;
using Numbers = std::vector<double>;
using Parameters = std::map<std::string, Numbers>;  ///< by the names of their tensors

inline Parameters parameters_of(const Network& network) {
  Document document;
  network.save(document);
  Parameters all;
  for (const Tensor& tensor : document.tensors) {
    const auto values = tensor.as<float>();
    all[tensor.name] = Numbers(values.begin(), values.end());
  }
  return all;
}

inline VectorXd vector(const Numbers& x) {
  return VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size()));
}
inline VectorXd joined(const VectorXd& a, const VectorXd& b) {
  VectorXd all(a.size() + b.size());
  all.head(a.size()) = a;
  all.tail(b.size()) = b;
  return all;
}

/// W x + b of the layer, b left out where there is none.
inline VectorXd dense(const Parameters& p, const std::string& name, const VectorXd& x) {
  const Numbers& w = p.at("network." + name + ".weight");
  const auto bias = p.find("network." + name + ".bias");
  const std::size_t in = static_cast<std::size_t>(x.size());
  const VectorXd b = bias == p.end() ? VectorXd::Zero(static_cast<Eigen::Index>(w.size() / in))
                                     : vector(bias->second);
  // W by rows is W^T by columns.
  return b + Eigen::MatrixXd::Map(w.data(), x.size(), b.size()).transpose() * x;
}

inline VectorXd relu(const VectorXd& x) { return x.cwiseMax(0.0); }

/// The vectors of a sample as columns: the dense one first, as far as there are numbers, then the
/// rows of the fields.
inline Eigen::MatrixXd vectors_of(const NetworkOptions& o, const NetworkShape& s,
                                  const Parameters& p, VectorXd numbers,
                                  const VectorXd& embeddings) {
  const auto dim = static_cast<Eigen::Index>(s.dim),
             fields = static_cast<Eigen::Index>(s.num_fields);
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Map(embeddings.data(), dim, fields);
  if (s.num_numbers == 0) return rows;
  for (std::size_t i = 0; i <= o.bottom.size(); ++i) {
    numbers = relu(dense(p, "bottom." + std::to_string(i), numbers));
  }
  Eigen::MatrixXd all(dim, fields + 1);
  all << numbers, rows;
  return all;
}

/// The dense vector, or all vectors without numbers, then the dot products of the pairs.
inline VectorXd dlrm_features(const NetworkOptions& o, const NetworkShape& s,
                              const Eigen::MatrixXd& vectors) {
  const Eigen::MatrixXd dots = vectors.transpose() * vectors;
  Numbers below;
  for (Eigen::Index i = 0; i < dots.rows(); ++i) {
    for (Eigen::Index j = 0; j < i + (o.diagonal ? 1 : 0); ++j) below.push_back(dots(i, j));
  }
  const VectorXd own = s.num_numbers != 0 ? VectorXd(vectors.col(0)) : VectorXd(vectors.reshaped());
  return joined(own, vector(below));
}

inline VectorXd cross(const NetworkOptions& o, const Parameters& p, const VectorXd& x0) {
  VectorXd x = x0;
  for (std::size_t l = 0; l < o.cross_layers; ++l) {
    const std::string name = "cross." + std::to_string(l);
    x += x0.cwiseProduct(o.cross_rank == 0 ? dense(p, name, x)
                                           : dense(p, name + ".u", dense(p, name + ".v", x)));
  }
  return x;
}

/// Sum of the last numbers, and of the dot products of all pairs without them.
inline double fm_terms(const Eigen::MatrixXd& vectors) {
  const Eigen::MatrixXd v = vectors.topRows(vectors.rows() - 1);
  const Eigen::MatrixXd dots = v.transpose() * v;
  return vectors.bottomRows(1).sum() + (dots.sum() - dots.trace()) / 2;
}

/// The sum of the rows' last numbers, then the numbers.
inline double wide_terms(const Parameters& p, const VectorXd& numbers, double sum) {
  return dense(p, "wide", joined(VectorXd::Constant(1, sum), numbers))[0];
}

inline double logit(const NetworkOptions& o, const NetworkShape& s, const Parameters& p,
                    const Numbers& of_numbers, const Numbers& of_embeddings) {
  const VectorXd numbers = vector(of_numbers);
  VectorXd embeddings = vector(of_embeddings);
  if (o.architecture == "linear") return dense(p, "top.0", numbers)[0] + embeddings.sum();
  const bool wide = o.architecture == "wide-dlrm";
  double last = 0;
  for (std::size_t f = 1; wide && f <= s.num_fields; ++f) {
    double& v = embeddings[static_cast<Eigen::Index>(f * s.dim - 1)];
    last += std::exchange(v, 0.0);
  }
  const Eigen::MatrixXd vectors = vectors_of(o, s, p, numbers, embeddings);
  VectorXd units = vectors.reshaped();
  if (o.architecture == "dlrm" || wide) units = dlrm_features(o, s, vectors);
  if (o.architecture == "dcn") units = cross(o, p, units);
  for (std::size_t i = 0; i < o.top.size(); ++i) {
    units = relu(dense(p, "top." + std::to_string(i), units));
  }
  const double top = dense(p, "top." + std::to_string(o.top.size()), units)[0];
  if (wide) return top + wide_terms(p, numbers, last);
  return top + (o.architecture == "deepfm" ? fm_terms(vectors) : 0);
}

}  // namespace frugal::robe::plain
