#include "tools/tgn-train/network/tgn_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/kernels/kernels.h"
#include "tools/tgn-train/network/attention_layer.h"
#include "tools/tgn-train/network/sum_layer.h"
#include "tools/tgn-train/network/tpnet.h"
#include "tools/tgn-train/network/transformer_layer.h"

namespace frugal::tgn {
namespace {

const std::string kTime = "time_encoder.w";

/// Name of a vector's state in checkpoints, where time encoders have shorter names.
std::string state_name(const std::string& name) {
  for (const auto& [encoder, state] :
       {std::pair{kTime, "time"}, {std::string("gnn.time_enc.lin"), "gnn.conv.time"}}) {
    if (name.starts_with(encoder)) return state + name.substr(encoder.size());
  }
  return name;
}

// First stream of random numbers of each part.
enum Stream : std::uint64_t {
  updater_stream = 0x100,
  decoder_stream = 0x200,
  layer_stream = 0x300,
  time_stream = 0x400
};
constexpr std::uint64_t kLayerStreams = 0x10;

void zero(MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) std::fill_n(rows.row(r), rows.cols, 0.0F);
}

/// Makes layer number `layer` of the embedding module that the options name.
std::unique_ptr<EmbeddingLayer> make_embedding_layer(const TgnOptions& options,
                                                     const TgnInputs& inputs, std::size_t layer) {
  switch (options.embedding) {
    case EmbeddingKind::identity:
    case EmbeddingKind::time: return std::make_unique<MemoryLayer>(options);
    case EmbeddingKind::sum: return std::make_unique<SumLayer>(options, inputs, layer);
    case EmbeddingKind::transformer: return std::make_unique<TransformerLayer>(options, inputs);
    case EmbeddingKind::attention:
    case EmbeddingKind::walks: break;  // no layer, but a pair network
  }
  return std::make_unique<AttentionLayer>(options, inputs, layer);
}

/// Makes the network that the options name (TgnOptions::embeds_pairs()).
std::unique_ptr<PairNetwork> make_pair_network(const TgnOptions& options, const TgnInputs& inputs) {
  return std::make_unique<Tpnet>(options, inputs);
}

}  // namespace

TgnModel::TgnModel(const TgnOptions& options, const TgnInputs& inputs)
    : options_(options), inputs_(inputs), time_(options.time_dim, options.train_time) {
  if (options.has_memory()) updater_.emplace(options, inputs);
  if (options.embeds_pairs()) {
    pair_ = make_pair_network(options, inputs);
    return;
  }
  if (options.reads_common()) {
    common_.emplace(options);
  } else if (!options.is_empty) {
    decoder_.emplace(options, inputs.pair_features);
  }
  for (std::size_t k = 0; k < options.layers; ++k) {
    layers_.push_back(make_embedding_layer(options, inputs, k));
  }
  outputs_.resize(layers_.size());
  gradients_.resize(layers_.size() + 1);
}

std::uint64_t TgnModel::num_parameters() const {
  Document document;
  save(document);
  std::uint64_t count = 0;
  for (const Tensor& tensor : document.tensors) count += num_elements(tensor.shape);
  return count;
}

void TgnModel::randomize(std::uint64_t seed) {
  if (options_.is_pyg()) time_.randomize(seed, time_stream);
  if (updater_) updater_->randomize(seed, updater_stream);
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k]->randomize(seed, layer_stream + k * kLayerStreams);
  }
  if (decoder_) decoder_->randomize(seed, decoder_stream);
  if (common_) common_->randomize(seed, decoder_stream);
  if (pair_) pair_->randomize(seed);
}

MatrixView<float> TgnModel::begin(const StepPlan& plan) {
  if (pair_) return {};
  slots_.resize(plan.num_slots, options_.memory_dim);
  zero(slots_.view());
  return slots_.view();
}

MatrixView<float> TgnModel::below(std::size_t layer) {
  if (layer != 0) return outputs_[layer - 1].view();
  return inputs_.node_features ? base_.view() : slots_.view();
}

void TgnModel::add_node_features(const StepPlan& plan, const FeatureRows& nodes) {
  base_.resize(plan.num_slots, options_.memory_dim);
  for (std::size_t s = 0; s < plan.num_slots; ++s) {
    float* row = base_.view().row(s);
    nodes.read(plan.node_of_slot[s], row);
    kernels().axpy(1, slots_.view().row(s), row, options_.memory_dim);
  }
}

LayerInput TgnModel::layer_input(const StepPlan& plan, const StepFeatures& features,
                                 std::size_t layer) {
  return {&plan.layers[layer], below(layer), &features.edges, &time_, layer};
}

MatrixView<const float> TgnModel::embed(const StepPlan& plan, const StepFeatures& features,
                                        MatrixView<const float> messages, const TgnPass& pass) {
  if (pair_) {
    embed_pairs(plan, features, pass);
    return answers();
  }
  assert(plan.layers.size() == layers_.size());
  if (updater_) {
    updater_->forward(plan.updates, {features.edges, messages, &time_, pass.bf16_states},
                      slots_.view());
  }
  if (inputs_.node_features) add_node_features(plan, features.nodes);
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    outputs_[k].resize(plan.layers[k].size(), options_.memory_dim);
    layers_[k]->forward(layer_input(plan, features, k), pass, outputs_[k].view());
  }
  if (common_) embed_pairs(plan, features, pass);
  if (options_.dyrep) {
    answers_.resize(plan.answers.size(), options_.memory_dim);
    for (std::size_t r = 0; r < plan.answers.size(); ++r) {
      std::copy_n(slots_.view().row(plan.answers[r]), options_.memory_dim, answers_.view().row(r));
    }
  }
  return answers();
}

CommonDecoder::Input TgnModel::common_input(const StepPlan& plan) {
  return {&plan.common, plan.others, embeddings(), below(0)};
}

/// Sets answers_ to the logits of the step's pairs.
void TgnModel::embed_pairs(const StepPlan& plan, const StepFeatures& features,
                           const TgnPass& pass) {
  const std::size_t queries = plan.layers.back().size(), per_event = 2 + plan.others;
  logits_.resize(queries / per_event * (per_event - 1));
  if (pair_) {
    pair_->forward({&plan, &features, &time_}, pass, logits_);
  } else {
    common_->forward(common_input(plan), logits_);
  }
  answers_.resize(queries, 1);
  const float* logit = logits_.data();
  for (std::size_t q = 0; q < queries; ++q) {
    answers_.view()(q, 0) = q % per_event == 0 ? 0 : *logit++;
  }
}

MatrixView<float> TgnModel::make_logits(const StepPlan& plan, std::size_t queries) {
  const std::size_t events = queries / (2 + plan.others), pairs = 1 + plan.others;
  logits_.resize(events * pairs);
  return {logits_.data(), events, pairs};
}

/// Logits of a plan that is trained on.
MatrixView<const float> TgnModel::link_logits(const StepPlan& plan) {
  if (!decoder_) return score(plan, answers());
  const MatrixView<float> logits = make_logits(plan, answers().rows);
  decoder_->forward(answers(), plan.pair_rows(), logits);
  return logits;
}

MatrixView<const float> TgnModel::score(const StepPlan& plan, MatrixView<const float> embeddings) {
  std::span<const std::uint32_t> rows = plan.shared_rows;
  if (rows.empty()) {
    while (own_rows_.size() < embeddings.rows) {
      own_rows_.push_back(static_cast<std::uint32_t>(own_rows_.size()));
    }
    rows = std::span<const std::uint32_t>(own_rows_).first(embeddings.rows);
  }
  const MatrixView<float> logits = make_logits(plan, rows.size());
  if (decoder_) {
    decoder_->score(embeddings, rows, plan.pair_rows(), logits);
    return logits;
  }
  if (options_.is_empty) {
    std::fill(logits_.begin(), logits_.end(), 0.0F);
    return logits;
  }
  for (std::size_t p = 0; p < logits_.size(); ++p) {
    logits_[p] = embeddings(p + p / logits.cols + 1, 0);
  }
  return logits;
}

double TgnModel::train_links(const StepPlan& plan, const StepFeatures& features, float rate) {
  const double loss = backward_links(plan, features);
  if (!reaches_time(plan)) time_.rest();
  steps_.take(rate);
  return loss;
}

/// True if the model's time encoder gets a gradient.
bool TgnModel::reaches_time(const StepPlan& plan) const {
  return layers_encode_times(options_.embedding) || plan.updates.time_learns;
}

double TgnModel::backward_links(const StepPlan& plan, const StepFeatures& features,
                                std::size_t of_events) {
  const MatrixView<const float> logits = link_logits(plan);
  const std::size_t n = logits.rows, pairs = logits.cols;
  d_logits_.assign(logits_.begin(), logits_.end());
  const double loss =
      loss_.kind == LossKind::softmax ? softmax_of_events(pairs) : logistic_of_pairs(pairs);
  const std::size_t shared_by = of_events == 0 ? n : of_events;
  kernels().scale(1 / static_cast<float>(shared_by), d_logits_.data(), n * pairs);
  if (pair_) {
    pair_->backward({&plan, &features, &time_}, d_logits_, steps_);
  } else {
    gradients_.back().resize(n + n * pairs, options_.memory_dim);
    if (common_) {
      common_->backward(common_input(plan), d_logits_, gradients_.back().view(), steps_);
    } else {
      decoder_->backward({d_logits_.data(), n, pairs}, gradients_.back().view(), steps_);
    }
    backward(plan, features, gradients_.back().view());
  }
  if (reaches_time(plan)) time_.leave_steps(steps_);
  return loss / static_cast<double>(n);
}

/// Replaces the logits in d_logits_ by the gradient of the sum of all pairs' cross-entropies.
/// Returns that sum. A logit x has the cross-entropy log(1 + exp(-x)) if the event happened.
/// Otherwise it is log(1 + exp(x)).
double TgnModel::logistic_of_pairs(std::size_t pairs) {
  const std::size_t all = d_logits_.size();
  const auto negate = [&] {
    for (std::size_t p = 0; p < all; p += pairs) d_logits_[p] = -d_logits_[p];
  };
  weights_.assign(pairs == 2 ? 0 : all, 1 / static_cast<float>(pairs - 1));
  for (std::size_t p = 0; p < weights_.size(); p += pairs) weights_[p] = 1;
  negate();
  const float loss =
      kernels().logistic(d_logits_.data(), weights_.empty() ? nullptr : weights_.data(), all);
  negate();
  return loss;
}

/// As logistic_of_pairs(), for the softmax of each event.
double TgnModel::softmax_of_events(std::size_t pairs) {
  double loss = 0;
  const std::uint32_t happened = 0;
  const std::size_t others = pairs - 1;
  const double share =
      static_cast<double>(others) / static_cast<double>(std::max(others, loss_.destinations));
  const std::vector<float> inclusion(pairs, static_cast<float>(std::log(share)));
  for (std::size_t p = 0; p < d_logits_.size(); p += pairs) {
    loss += softmax_loss({d_logits_.data() + p, pairs}, {&happened, 1}, inclusion, 1);
  }
  return loss;
}

GradientLayout TgnModel::gradient_layout() {
  GradientLayout layout;
  const ParameterVisit visit = layout.visit();
  visit_time(visit);
  visit_updater(visit);
  visit_layers(visit);
  visit_decoder(visit);
  return layout;
}

std::vector<float> TgnModel::take_gradient() {
  const GradientLayout layout = gradient_layout();
  std::vector<float> gradient(layout.size());
  layout.take(steps_, gradient);
  return gradient;
}

void TgnModel::apply_gradient(std::span<const float> gradient, float rate) {
  gradient_layout().apply(gradient, rate);
}

void TgnModel::backward(const StepPlan& plan, const StepFeatures& features,
                        MatrixView<float> dout) {
  if (options_.dyrep) {
    RowStore& dbelow = gradients_.front();
    dbelow.resize(plan.updates.size(), options_.memory_dim);
    zero(dbelow.view());
    add_to_rows(dout, plan.answer_gradient, dbelow.view());
    dout = dbelow.view();
  }
  for (std::size_t k = options_.dyrep ? 0 : layers_.size(); k-- > 0;) {
    RowStore& dbelow = gradients_[k];
    dbelow.resize(k == 0 ? plan.updates.size() : plan.layers[k - 1].size(), options_.memory_dim);
    zero(dbelow.view());
    layers_[k]->backward(layer_input(plan, features, k), dout, dbelow.view(), steps_);
    dout = dbelow.view();
  }
  if (!updater_ || plan.updates.size() == 0) return;
  if (common_) common_->add_memory_gradient(plan.common, dout);
  updater_->backward(plan.updates, dout, plan.updates.time_learns ? &time_ : nullptr, steps_);
}

void TgnModel::prepare_training(const OptimizerOptions& optimizer, const LinkLoss& loss) {
  loss_ = loss;
  visit_all(prepare_each(optimizer));
}

void TgnModel::visit_all(const ParameterVisit& visit) {
  visit_time(visit);
  visit_updater(visit);
  visit_layers(visit);
  visit_decoder(visit);
}

void TgnModel::visit_time(const ParameterVisit& visit) { time_.visit_parameters(visit, kTime); }

void TgnModel::visit_layers(const ParameterVisit& visit) {
  for (const auto& layer : layers_) layer->visit_parameters(visit);
  if (pair_) pair_->visit_parameters(visit);
}

void TgnModel::visit_updater(const ParameterVisit& visit) {
  if (updater_) updater_->visit_parameters(visit);
}

void TgnModel::save(Document& document) const {
  if (options_.is_empty) return;
  time_.save(document, kTime);
  if (updater_) updater_->save(document);
  for (const auto& layer : layers_) layer->save(document);
  if (decoder_) decoder_->save(document);
  if (common_) common_->save(document);
  if (pair_) pair_->save(document);
}

void TgnModel::load(const Document& document, const std::string& path) {
  if (options_.is_empty) return;
  time_.load(document, path, kTime);
  if (updater_) updater_->load(document, path);
  for (const auto& layer : layers_) layer->load(document, path);
  if (decoder_) decoder_->load(document, path);
  if (common_) common_->load(document, path);
  if (pair_) pair_->load(document, path);
}

void TgnModel::save_state(Document& document) {
  visit_all({[&](const std::string& name, DenseLayer& layer) { layer.save_state(document, name); },
             [&](const std::string& name, VectorParameter& vector, bool) {
               vector.save_state(document, state_name(name));
             }});
}

void TgnModel::load_state(const Document& document, const std::string& path) {
  visit_all(
      {[&](const std::string& name, DenseLayer& layer) { layer.load_state(document, path, name); },
       [&](const std::string& name, VectorParameter& vector, bool) {
         vector.load_state(document, path, state_name(name));
       }});
}

}  // namespace frugal::tgn
