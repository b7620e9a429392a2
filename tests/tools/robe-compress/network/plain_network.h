#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tools/robe-compress/network/architecture.h"

/// The formulas of the architectures in plain double, for one sample: the oracle of the tests.
namespace frugal::robe::plain {

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

/// W x + b of the layer, b left out where there is none.
inline Numbers dense(const Parameters& p, const std::string& name, const Numbers& x) {
  const Numbers& w = p.at("network." + name + ".weight");
  const auto bias = p.find("network." + name + ".bias");
  const std::size_t out = bias == p.end() ? w.size() / x.size() : bias->second.size();
  Numbers y = bias == p.end() ? Numbers(out) : bias->second;
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
  }
  return y;
}

inline Numbers relu(Numbers x) {
  for (double& v : x) v = std::max(v, 0.0);
  return x;
}

inline double dot(const Numbers& x, const Numbers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// The dense vector first, as far as there are numbers.
inline std::vector<Numbers> vectors_of(const NetworkOptions& o, const NetworkShape& s,
                                       const Parameters& p, Numbers numbers,
                                       const Numbers& embeddings) {
  std::vector<Numbers> all;
  if (s.num_numbers != 0) {
    for (std::size_t i = 0; i <= o.bottom.size(); ++i) {
      numbers = relu(dense(p, "bottom." + std::to_string(i), numbers));
    }
    all.push_back(numbers);
  }
  for (std::size_t f = 0; f < s.num_fields; ++f) {
    all.emplace_back(embeddings.begin() + static_cast<std::ptrdiff_t>(f * s.dim),
                     embeddings.begin() + static_cast<std::ptrdiff_t>((f + 1) * s.dim));
  }
  return all;
}

inline Numbers dlrm_features(const NetworkOptions& o, const NetworkShape& s,
                             const std::vector<Numbers>& vectors) {
  Numbers features;
  for (const Numbers& v : vectors) {
    features.insert(features.end(), v.begin(), v.end());
    if (s.num_numbers != 0) break;
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j < i + (o.diagonal ? 1 : 0); ++j) {
      features.push_back(dot(vectors[i], vectors[j]));
    }
  }
  return features;
}

inline Numbers cross(const NetworkOptions& o, const Parameters& p, const Numbers& x0) {
  Numbers x = x0;
  for (std::size_t l = 0; l < o.cross_layers; ++l) {
    const std::string name = "cross." + std::to_string(l);
    const Numbers z =
        o.cross_rank == 0 ? dense(p, name, x) : dense(p, name + ".u", dense(p, name + ".v", x));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += x0[i] * z[i];
  }
  return x;
}

inline double fm_terms(const NetworkShape& s, std::vector<Numbers> vectors) {
  double logit = 0;
  for (Numbers& v : vectors) {
    logit += v[s.dim - 1];
    v.pop_back();
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) logit += dot(vectors[i], vectors[j]);
  }
  return logit;
}

inline double linear_logit(const Parameters& p, const Numbers& numbers, const Numbers& weights) {
  double logit = dense(p, "top.0", numbers)[0];
  for (const double weight : weights) logit += weight;
  return logit;
}

/// The sum of the rows' last numbers, then the numbers.
inline double wide_terms(const NetworkShape& s, const Parameters& p, const Numbers& numbers,
                         const Numbers& embeddings) {
  Numbers x = {0};
  for (std::size_t f = 1; f <= s.num_fields; ++f) x[0] += embeddings[f * s.dim - 1];
  x.insert(x.end(), numbers.begin(), numbers.end());
  return dense(p, "wide", x)[0];
}

/// The rows with 0 for their last numbers.
inline Numbers without_last(const NetworkShape& s, Numbers embeddings) {
  for (std::size_t f = 1; f <= s.num_fields; ++f) embeddings[f * s.dim - 1] = 0;
  return embeddings;
}

inline double logit(const NetworkOptions& o, const NetworkShape& s, const Parameters& p,
                    const Numbers& numbers, const Numbers& embeddings) {
  if (o.architecture == "linear") return linear_logit(p, numbers, embeddings);
  const bool wide = o.architecture == "wide-dlrm";
  const std::vector<Numbers> vectors =
      vectors_of(o, s, p, numbers, wide ? without_last(s, embeddings) : embeddings);
  Numbers units;
  for (const Numbers& v : vectors) units.insert(units.end(), v.begin(), v.end());
  if (o.architecture == "dlrm" || wide) units = dlrm_features(o, s, vectors);
  if (o.architecture == "dcn") units = cross(o, p, units);
  for (std::size_t i = 0; i < o.top.size(); ++i) {
    units = relu(dense(p, "top." + std::to_string(i), units));
  }
  const double top = dense(p, "top." + std::to_string(o.top.size()), units)[0];
  if (wide) return top + wide_terms(s, p, numbers, embeddings);
  return top + (o.architecture == "deepfm" ? fm_terms(s, vectors) : 0);
}

}  // namespace frugal::robe::plain
