#include "tests/tools/tgn-train/plain_tgn.h"

#include <cassert>
#include <cmath>

namespace frugal::tgn::plain {
namespace {

const std::string kCell = "memory_updater.memory_updater.";

}  // namespace

Tensors tensors_of(const Document& document) {
  Tensors all;
  for (const Tensor& tensor : document.tensors) {
    const std::span<const float> from = tensor.as<float>();
    all[tensor.name].assign(from.begin(), from.end());
  }
  return all;
}

void Network::keep_constant() {
  for (const auto& [name, tensor] : tensors_) {
    parameters_[name].assign(tensor.begin(), tensor.end());
  }
}

void Network::make_variable() {
  Tape::current().clear();
  for (auto& [name, numbers] : parameters_) {
    for (Number& x : numbers) x = Number::variable(x.value);
  }
}

Tensors Network::gradient(const Number& of) const {
  const std::vector<double> by = Tape::current().derivatives(of.place);
  Tensors gradient;
  for (const auto& [name, numbers] : parameters_) {
    for (const Number& x : numbers) {
      gradient[name].push_back(by[static_cast<std::size_t>(x.place)]);
    }
  }
  return gradient;
}

void Network::descend(const Tensors& gradient, double rate) {
  const std::size_t dim = options_.memory_dim;
  const bool gru = options_.updater == UpdaterKind::gru;
  const bool own_is_first = options_.message == MessageKind::identity;
  // Two parameters that the model holds as one, h = (a + b) / 2 with 2 x as its input: the
  // derivative by h is that by a plus that by b.
  const auto is_half = [&](const std::string& name, std::size_t row, std::size_t column) {
    if (gru && row >= 2 * dim) return false;
    if (name == kCell + "weight_ih") return own_is_first && column < dim;
    if (name == kCell + "weight_hh") return own_is_first;
    return name == kCell + "bias_ih" || name == kCell + "bias_hh";
  };
  const std::size_t rows = (gru ? 3 : 1) * dim;
  for (auto& [name, tensor] : tensors_) {
    const std::size_t columns = std::max<std::size_t>(1, tensor.size() / rows);
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const bool frozen = !options_.train_time && name.find("time_enc") != std::string::npos;
      const double factor = frozen ? 0 : is_half(name, i / columns, i % columns) ? 2 : 1;
      tensor[i] -= factor * rate * gradient.at(name)[i];
    }
  }
  keep_constant();
}

Numbers Network::product(const std::string& weight, const std::string& bias, std::size_t first_bias,
                         const Numbers& x) const {
  const Numbers& w = parameters_.at(weight);
  Numbers y;
  for (std::size_t row = 0; row * x.size() < w.size(); ++row) {
    const std::span<const Number> weights(w.data() + row * x.size(), x.size());
    y.push_back(dot(parameters_.at(bias)[first_bias + row], weights, x));
  }
  return y;
}

Numbers Network::linear(const std::string& name, const Numbers& x) const {
  assert(parameters_.at(name + ".weight").size() ==
         parameters_.at(name + ".bias").size() * x.size());
  return product(name + ".weight", name + ".bias", 0, x);
}

Numbers Network::encode_with(const std::string& encoder, double dt) const {
  Numbers phi = linear(encoder, {Number(dt)});
  for (Number& x : phi) x = cos(x);
  return phi;
}

Numbers Network::encode(double dt) const { return encode_with("time_encoder.w", dt); }

Numbers Network::raw_message(const Numbers& own, const Numbers& other, const Numbers& edge,
                             double dt, bool time_learns) const {
  const Numbers memory = fixed(joined({own, other})), phi = encode(dt);
  return joined({memory, edge, time_learns ? phi : fixed(phi)});
}

Numbers Network::update(const Numbers& raw, const Numbers& own) const {
  Numbers message = raw;
  if (options_.message == MessageKind::mlp) {
    message = linear("message_function.mlp.0", message);
    for (Number& x : message) x = relu(x);
    message = linear("message_function.mlp.2", message);
  }
  const Numbers i = product(kCell + "weight_ih", kCell + "bias_ih", 0, message);
  const Numbers h = product(kCell + "weight_hh", kCell + "bias_hh", 0, own);
  const std::size_t dim = own.size();
  Numbers made;
  for (std::size_t c = 0; c < dim; ++c) {
    if (options_.updater == UpdaterKind::rnn) {
      made.push_back(tanh(i[c] + h[c]));
      continue;
    }
    const Number reset = sigmoid(i[c] + h[c]), keep = sigmoid(i[dim + c] + h[dim + c]);
    const Number candidate = tanh(i[2 * dim + c] + reset * h[2 * dim + c]);
    made.push_back((Number(1) - keep) * candidate + keep * own[c]);
  }
  return made;
}

Numbers Network::embed(std::size_t layer, const Numbers& self, double since,
                       const std::vector<Neighbor>& neighbors) const {
  const std::string number = std::to_string(layer);
  if (options_.embedding == EmbeddingKind::identity) return self;
  if (options_.embedding == EmbeddingKind::sum) return add_up(number, self, neighbors);
  if (options_.embedding == EmbeddingKind::time) {
    Numbers row = linear("embedding_module.embedding_layer", {Number(since)});
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = self[c] * (Number(1) + row[c]);
    return row;
  }
  if (options_.embedding == EmbeddingKind::transformer) return transform(self, neighbors);
  assert(options_.embedding == EmbeddingKind::attention);
  const std::string name = "embedding_module.attention_models." + number + ".";
  const Numbers query = joined({self, encode(0)});
  return merge(name + "merger", joined({attend(name, query, neighbors), self}));
}

/// As PyTorch's MultiheadAttention with its own kdim and vdim; zeros where there is no neighbour.
Numbers Network::attend(const std::string& name, const Numbers& query,
                        const std::vector<Neighbor>& neighbors) const {
  const std::size_t dim = query.size(), heads = options_.heads, head_dim = dim / heads;
  if (neighbors.empty()) return Numbers(dim);
  const std::string target = name + "multi_head_target.", bias = target + "in_proj_bias";
  const Numbers q = product(target + "q_proj_weight", bias, 0, query);
  std::vector<Numbers> keys, values;
  for (const Neighbor& n : neighbors) {
    const Numbers x = joined({n.row, n.edge, encode(n.dt)});
    keys.push_back(product(target + "k_proj_weight", bias, dim, x));
    values.push_back(product(target + "v_proj_weight", bias, 2 * dim, x));
  }
  Numbers answer;
  for (std::size_t h = 0; h < heads; ++h) {
    const auto of_head = [&](const Numbers& x) {
      return std::span<const Number>(x.data() + h * head_dim, head_dim);
    };
    Numbers weights;
    Number total;
    for (const Numbers& key : keys) {
      const Number score = dot(0, of_head(q), of_head(key));
      weights.push_back(exp(score / Number(std::sqrt(static_cast<double>(head_dim)))));
      total = total + weights.back();
    }
    for (std::size_t c = h * head_dim; c < (h + 1) * head_dim; ++c) {
      Number sum;
      for (std::size_t j = 0; j < values.size(); ++j) {
        sum = sum + weights[j] / total * values[j][c];
      }
      answer.push_back(sum);
    }
  }
  return linear(target + "out_proj", answer);
}

/// As PyTorch Geometric's TransformerConv, with [edge | phi] of an encoder of its own as features
/// of edges.
Numbers Network::transform(const Numbers& self, const std::vector<Neighbor>& neighbors) const {
  const std::string conv = "gnn.conv.";
  const std::size_t dim = self.size(), heads = options_.heads, head_dim = dim / heads;
  const Numbers q = linear(conv + "lin_query", self);
  std::vector<Numbers> keys, values;
  for (const Neighbor& n : neighbors) {
    const Numbers attributes = joined({n.edge, encode_with("gnn.time_enc.lin", n.dt)});
    keys.push_back(linear(conv + "lin_key", n.row));
    values.push_back(linear(conv + "lin_value", n.row));
    for (std::size_t c = 0; c < dim; ++c) {
      const std::span<const Number> w(
          parameters_.at(conv + "lin_edge.weight").data() + c * attributes.size(),
          attributes.size());
      const Number by_edge = dot(0, w, attributes);
      keys.back()[c] = keys.back()[c] + by_edge;
      values.back()[c] = values.back()[c] + by_edge;
    }
  }
  Numbers out = linear(conv + "lin_skip", self);
  for (std::size_t h = 0; h < heads; ++h) {
    const std::size_t begin = h * head_dim;
    Numbers weights;
    Number total;
    for (const Numbers& key : keys) {
      const Number score = dot(0, {q.data() + begin, head_dim}, {key.data() + begin, head_dim});
      weights.push_back(exp(score / Number(std::sqrt(static_cast<double>(head_dim)))));
      total = total + weights.back();
    }
    for (std::size_t j = 0; j < values.size(); ++j) {
      for (std::size_t c = begin; c < begin + head_dim; ++c) {
        out[c] = out[c] + weights[j] / total * values[j][c];
      }
    }
  }
  return out;
}

Numbers Network::add_up(const std::string& number, const Numbers& self,
                        const std::vector<Neighbor>& neighbors) const {
  Numbers sum(self.size());
  for (const Neighbor& n : neighbors) {
    const Numbers y =
        linear("embedding_module.linear_1." + number, joined({n.row, encode(n.dt), n.edge}));
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] = sum[c] + y[c];
  }
  for (Number& x : sum) x = relu(x);
  return linear("embedding_module.linear_2." + number, joined({sum, self, encode(0)}));
}

Numbers Network::merge(const std::string& name, const Numbers& x) const {
  Numbers hidden = linear(name + ".fc1", x);
  for (Number& y : hidden) y = relu(y);
  return linear(name + ".fc2", hidden);
}

Number Network::logit(const Numbers& source, const Numbers& destination,
                      const Numbers& pair) const {
  if (options_.reads_common()) return common_logit(source, destination, pair);
  return merge("affinity_score", joined({source, destination, pair}))[0];
}

/// As published, from one row of all parts; a part that is not there has no bias either.
Number Network::common_logit(const Numbers& source, const Numbers& destination,
                             const Numbers& pair) const {
  const std::size_t dim = source.size();
  Numbers hidden, product;
  for (std::size_t c = 0; c < dim; ++c) product.push_back(source[c] * destination[c]);
  const auto add = [&](const std::string& name, const Numbers& x, const Number& times_bias) {
    const std::string part = "common_decoder." + name;
    const Numbers &weights = parameters_.at(part + ".weight"),
                  &bias = parameters_.at(part + ".bias");
    hidden.resize(bias.size());
    for (std::size_t o = 0; o < bias.size(); ++o) {
      hidden[o] = hidden[o] + dot(times_bias * bias[o], {weights.data() + o * dim, dim}, x);
    }
  };
  const auto scaled = [&](Numbers row, const Number& by) {
    for (Number& x : row) x = x * by;
    return row;
  };
  add("product", product, 1);
  add("0_1", scaled(source, pair[0]), pair[0]);
  add("1_0", scaled(destination, pair[1]), pair[1]);
  auto at = pair.begin() + 2;
  for (const char* name : {"1_1", "1_2", "2_1", "2_2"}) {
    const auto end = at + static_cast<std::ptrdiff_t>(dim);
    add(name, Numbers(at, end), *end);
    at = end + 1;
  }
  for (Number& x : hidden) x = relu(x);
  return linear("common_decoder.last", hidden)[0];
}

Number Network::link_loss(const std::vector<Numbers>& rows, const std::vector<Numbers>& pairs,
                          std::size_t others) const {
  Number sum;
  std::size_t events = 0;
  for_each_event(rows, pairs, others, [&](const Number& happened, const Numbers& not_happened) {
    sum = sum + softplus(Number(0) - happened);
    for (const Number& logit : not_happened) {
      sum = sum + softplus(logit) / Number(static_cast<double>(others));
    }
    ++events;
  });
  return sum / Number(static_cast<double>(events));
}

Number Network::ranking_loss(const std::vector<Numbers>& rows, const std::vector<Numbers>& pairs,
                             std::size_t others, double destinations) const {
  Number sum;
  std::size_t events = 0;
  for_each_event(rows, pairs, others, [&](const Number& happened, const Numbers& not_happened) {
    Number odds;
    for (const Number& logit : not_happened) odds = odds + exp(logit - happened);
    const Number each(destinations / static_cast<double>(others));
    sum = sum + log(Number(1) + each * odds);
    ++events;
  });
  return sum / Number(static_cast<double>(events));
}

void Network::for_each_event(
    const std::vector<Numbers>& rows, const std::vector<Numbers>& pairs, std::size_t others,
    const std::function<void(const Number&, const Numbers&)>& visit) const {
  std::size_t p = 0;
  for (std::size_t source = 0; source < rows.size(); source += 2 + others) {
    Numbers logits;
    for (std::size_t k = 1; k < 2 + others; ++k, ++p) {
      logits.push_back(logit(rows[source], rows[source + k], pairs.empty() ? Numbers() : pairs[p]));
    }
    visit(logits[0], Numbers(logits.begin() + 1, logits.end()));
  }
}

}  // namespace frugal::tgn::plain
