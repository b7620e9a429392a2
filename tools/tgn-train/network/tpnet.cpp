#include "tools/tgn-train/network/tpnet.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal::tgn {
namespace {

const std::string kTpnetName = "tpnet.";
/// First stream of random numbers; those of layers are kTpnetStreams apart.
constexpr std::uint64_t kTpnetStream = 0x600, kTpnetStreams = 0x10;
/// First dropout number of the mixers; other layers use smaller ones.
constexpr std::size_t kMixerDropout = 0x10;
/// Sequences computed at once, so that their rows stay in the cache.
constexpr std::size_t kSequencesAtOnce = 16;
/// Pairs computed at once without training, which bounds the memory.
constexpr std::size_t kPairsAtOnce = 256;
/// Ages are logarithms of this many parts of the time unit. Times are rounded to them.
constexpr double kAgesOfUnit = 4096;

std::size_t products_of_two(std::size_t hops) { return (hops + 1) * (hops + 1); }
std::size_t products_of_one(std::size_t hops) { return (hops + 1) * (hops + 2) / 2; }

void relu_rows(MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) kernels().relu(rows.row(r), rows.cols);
}

void relu_rows_backward(MatrixView<const float> y, MatrixView<float> dy) {
  for (std::size_t r = 0; r < dy.rows; ++r) kernels().relu_backward(y.row(r), dy.row(r), dy.cols);
}

const float* row_of(const std::vector<float>& rows, std::size_t row, std::size_t dim) {
  return rows.data() + row * dim;
}

}  // namespace

Tpnet::Tpnet(const TgnOptions& options, const TgnInputs& inputs)
    : channels_(options.memory_dim),
      time_dim_(options.time_dim),
      edge_dim_(inputs.edge_features),
      node_dim_(inputs.node_features ? options.memory_dim : 0),
      own_(products_of_one(inputs.walk_hops)),
      cross_(products_of_two(inputs.walk_hops)),
      relative_dim_(4 * cross_),
      relative_{{{2 * own_ + cross_, 4 * relative_dim_}, options.precision},
                {{4 * relative_dim_, relative_dim_}, options.precision}},
      project_{{{time_dim_ + 2 * relative_dim_ + edge_dim_ + node_dim_, 2 * channels_},
                options.precision},
               {{2 * channels_, channels_}, options.precision}},
      decode_{{{2 * channels_ + relative_dim_, channels_}, options.precision},
              {{channels_, 1}, options.precision}} {
  for (std::size_t k = 0; k < options.layers; ++k) {
    const auto output =
        k + 1 == options.layers ? MixerLayer::Output::means : MixerLayer::Output::tokens;
    mixers_.emplace_back(
        MixerLayer::Shape{options.neighbors, channels_, options.dropout, options.precision, output},
        kTpnetName + "mixer." + std::to_string(k), kMixerDropout + k);
  }
  tokens_.places = options.neighbors;
  rows_.resize(mixers_.size());
}

template <class Network>
auto Tpnet::layers(Network& network) {
  std::vector<std::pair<std::string, decltype(&network.relative_[0])>> all;
  const auto add = [&](const std::string& name, auto& two) {
    all.emplace_back(kTpnetName + name + ".0", &two[0]);
    all.emplace_back(kTpnetName + name + ".1", &two[1]);
  };
  add("relative", network.relative_);
  add("projection", network.project_);
  add("decoder", network.decode_);
  return all;
}

void Tpnet::randomize(std::uint64_t seed) {
  std::uint64_t stream = kTpnetStream;
  for (const auto& [name, layer] : layers(*this)) {
    layer->randomize_uniform(seed, stream);
    stream += kTpnetStreams;
  }
  for (MixerLayer& mixer : mixers_) {
    mixer.randomize(seed, stream);
    stream += kTpnetStreams;
  }
}

/// Lists the tokens of the pairs, which follow the pairs listed before.
void Tpnet::list_tokens(const StepPlan& plan, Range pairs) {
  const QueryRows& queries = plan.layers.back();
  const std::size_t each = 1 + plan.others;
  tokens_.offsets.assign(1, 0);
  list_.clear();
  ends_.clear();
  for (std::size_t pair = pairs.begin; pair < pairs.end; ++pair) {
    const auto source = static_cast<std::uint32_t>(pair / each * (each + 1));
    const auto destination = static_cast<std::uint32_t>(source + 1 + pair % each);
    for (const Ends& ends : {Ends{source, destination}, Ends{destination, source}}) {
      for (std::uint32_t e = queries.offsets[ends.own]; e < queries.offsets[ends.own + 1]; ++e) {
        list_.push_back({e, static_cast<std::uint32_t>(next_other_++)});
      }
      tokens_.offsets.push_back(static_cast<std::uint32_t>(list_.size()));
      ends_.push_back(ends);
    }
  }
}

void Tpnet::resize_rows(Range pairs) {
  const std::size_t count = pairs.end - pairs.begin, tokens = tokens_.tokens();
  relative_in_.resize(pair_row(count), relative_[0].shape().in + 1);
  relative_hidden_.resize(pair_row(count), relative_[1].shape().in + 1);
  encodings_.resize(pair_row(count), relative_dim_);
  inputs_.resize(tokens, token_width() + 1);
  hidden_.resize(tokens, 2 * channels_ + 1);
  for (RowStore& rows : rows_) rows.resize(tokens, channels_);
  embeddings_.resize(2 * count, channels_);
  pair_inputs_.resize(count, decode_[0].shape().in + 1);
  pair_hidden_.resize(count, channels_ + 1);
}

/// Calls body(range) for ranges of sequences, on all threads.
template <class Body>
void Tpnet::for_each_range(std::size_t sequences, const Body& body) const {
  const std::size_t blocks = (sequences + kSequencesAtOnce - 1) / kSequencesAtOnce;
  parallel_for(blocks, 1, [&](std::size_t b) {
    body(Range{b * kSequencesAtOnce, std::min(sequences, (b + 1) * kSequencesAtOnce)});
  });
}

/// Writes the products that the relative encodings of the sequences' tokens read.
void Tpnet::fill_relative(const WalkRows& walks, Range sequences) {
  for (std::size_t s = sequences.begin; s < sequences.end; ++s) {
    for (std::size_t t = tokens_.offsets[s]; t < tokens_.offsets[s + 1]; ++t) {
      const Token& token = list_[t];
      for (const bool other : {false, true}) {
        float* to = relative_in_.view().row(2 * t + (other ? 1 : 0));
        to = std::copy_n(other ? row_of(walks.others, token.other, cross_)
                               : row_of(walks.ends, token.entry, cross_),
                         cross_, to);
        to = std::copy_n(row_of(walks.neighbors, token.entry, own_), own_, to);
        to =
            std::copy_n(row_of(walks.nodes, other ? ends_[s].other : ends_[s].own, own_), own_, to);
        *to = 1;
      }
    }
  }
}

/// Writes the products that the relative encoding of a pair reads; `number` is its place among the
/// listed pairs.
void Tpnet::fill_pair(const WalkRows& walks, std::size_t pair, std::size_t number) {
  float* to = relative_in_.view().row(pair_row(number));
  to = std::copy_n(row_of(walks.pairs, pair, cross_), cross_, to);
  to = std::copy_n(row_of(walks.nodes, ends_[2 * number].own, own_), own_, to);
  to = std::copy_n(row_of(walks.nodes, ends_[2 * number].other, own_), own_, to);
  *to = 1;
}

void Tpnet::encode_relative(Range rows) {
  const auto of = [&](RowStore& store) { return store.view().rows_between(rows.begin, rows.end); };
  const std::size_t units = relative_[1].shape().in;
  const MatrixView<float> hidden = of(relative_hidden_);
  relative_[0].forward(of(relative_in_), {hidden.data, hidden.rows, units, hidden.stride});
  relu_rows({hidden.data, hidden.rows, units, hidden.stride});
  set_ones(hidden);
  relative_[1].forward(hidden, of(encodings_));
}

/// Joins the inputs of the sequences' tokens and projects them to the rows of the first mixer.
void Tpnet::project(const PairStep& step, Range sequences) {
  const QueryRows& queries = step.plan->layers.back();
  const Range rows{tokens_.offsets[sequences.begin], tokens_.offsets[sequences.end]};
  encode_relative({2 * rows.begin, 2 * rows.end});
  for (std::size_t t = rows.begin; t < rows.end; ++t) {
    const std::uint32_t entry = list_[t].entry;
    float* to = inputs_.view().row(t);
    to = std::copy_n(times_.view().row(entry), time_dim_, to);
    to = std::copy_n(encodings_.view().row(2 * t), relative_dim_, to);
    to = std::copy_n(encodings_.view().row(2 * t + 1), relative_dim_, to);
    if (edge_dim_ != 0) step.features->edges.read(queries.events[entry], to);
    to += edge_dim_;
    if (node_dim_ != 0) {
      step.features->nodes.read(step.plan->node_of_slot[queries.neighbors[entry]], to);
    }
    to[node_dim_] = 1;
  }
  const MatrixView<float> hidden = hidden_.view().rows_between(rows.begin, rows.end);
  const MatrixView<float> units(hidden.data, hidden.rows, 2 * channels_, hidden.stride);
  project_[0].forward(inputs_.view().rows_between(rows.begin, rows.end), units);
  relu_rows(units);
  set_ones(hidden);
  project_[1].forward(hidden, rows_[0].view().rows_between(rows.begin, rows.end));
}

void Tpnet::decode(Range pairs, std::span<float> logits) {
  const std::size_t count = pairs.end - pairs.begin;
  for (std::size_t p = 0; p < count; ++p) {
    float* to = pair_inputs_.view().row(p);
    to = std::copy_n(embeddings_.view().row(2 * p), channels_, to);
    to = std::copy_n(embeddings_.view().row(2 * p + 1), channels_, to);
    std::copy_n(encodings_.view().row(pair_row(p)), relative_dim_, to);
  }
  set_ones(pair_inputs_.view());
  const MatrixView<float> units = pair_hidden_.columns(0, channels_);
  decode_[0].forward(pair_inputs_.view(), units);
  relu_rows(units);
  set_ones(pair_hidden_.view());
  decode_[1].forward(pair_hidden_.view(), {logits.data() + pairs.begin, count, 1, 1});
}

/// Bytes of the rows that a step of training keeps where every end has all neighbours, with those
/// of the plan's products.
std::uint64_t Tpnet::training_bytes(std::uint64_t pairs) const {
  const std::uint64_t tokens = 2 * pairs * tokens_.places, relative = 2 * tokens + pairs;
  // Each encoding has its products, hidden units and result; then the gradients of the last two.
  const std::uint64_t of_relative =
      relative_[0].shape().in + 2 * (relative_[1].shape().in + relative_dim_);
  const std::uint64_t inputs = 2 * (token_width() + 2 * channels_ + time_dim_);
  const std::uint64_t of_token = inputs + 2 * channels_ + 2 * cross_ + own_ +
                                 mixers_.size() * (channels_ + MixerLayer::kept_numbers(channels_));
  return sizeof(float) * (relative * of_relative + tokens * of_token);
}

/// Fails (unavailable) before the first step that would need more memory than is left.
void Tpnet::check_training_memory(std::size_t pairs) {
  if (pairs <= checked_pairs_) return;
  check_memory("a training step of " + format_count(pairs, "pair") + " with " +
                   format_count(tokens_.places, "neighbour") +
                   " at each end, by --batch-size, --negatives and --neighbors,",
               training_bytes(pairs));
  checked_pairs_ = pairs;
}

void Tpnet::forward(const PairStep& step, const TgnPass& pass, std::span<float> logits) {
  if (pass.training) check_training_memory(logits.size());
  const QueryRows& queries = step.plan->layers.back();
  log_ages_.resize(queries.dt.size());
  for (std::size_t e = 0; e < log_ages_.size(); ++e) {
    log_ages_[e] = std::log1p(kAgesOfUnit * std::max(0.0, queries.dt[e]));
  }
  times_.resize(log_ages_.size(), time_dim_);
  parallel_blocks(log_ages_.size(), kPairsAtOnce, [&](std::size_t begin, std::size_t end) {
    step.time->encode({log_ages_.data() + begin, end - begin},
                      times_.view().rows_between(begin, end));
  });
  const std::size_t at_once = pass.training ? logits.size() : kPairsAtOnce;
  next_other_ = 0;
  for (std::size_t begin = 0; begin < logits.size(); begin += at_once) {
    const Range pairs{begin, std::min(logits.size(), begin + at_once)};
    const std::size_t count = pairs.end - pairs.begin;
    list_tokens(*step.plan, pairs);
    resize_rows(pairs);
    for_each_range(2 * count, [&](Range sequences) {
      fill_relative(step.plan->walks, sequences);
      project(step, sequences);
    });
    for (std::size_t p = 0; p < count; ++p) fill_pair(step.plan->walks, begin + p, p);
    encode_relative({pair_row(0), pair_row(count)});
    for (std::size_t k = 0; k < mixers_.size(); ++k) {
      mixers_[k].forward(tokens_, rows_[k].view(), pass,
                         k + 1 < mixers_.size() ? rows_[k + 1].view() : embeddings_.view());
    }
    decode(pairs, logits);
  }
}

/// Sets d_embeddings_ and the pairs' rows of d_encodings_.
void Tpnet::decode_backward(std::span<const float> dlogits, ParameterSteps& steps) {
  const std::size_t count = dlogits.size();
  d_logits_.resize(count, 1);
  for (std::size_t p = 0; p < count; ++p) d_logits_.view()(p, 0) = dlogits[p];
  d_pair_hidden_.resize(count, channels_);
  d_pair_inputs_.resize(count, decode_[0].shape().in);
  decode_[1].backward(d_logits_.view(), d_pair_hidden_.view());
  relu_rows_backward(pair_hidden_.view(), d_pair_hidden_.view());
  decode_[0].backward(d_pair_hidden_.view(), d_pair_inputs_.view());
  steps.add(decode_[1], pair_hidden_.view(), d_logits_.view());
  steps.add(decode_[0], pair_inputs_.view(), d_pair_hidden_.view());
  d_embeddings_.resize(2 * count, channels_);
  d_encodings_.resize(pair_row(count), relative_dim_);
  for (std::size_t p = 0; p < count; ++p) {
    const float* const from = d_pair_inputs_.view().row(p);
    std::copy_n(from, channels_, d_embeddings_.view().row(2 * p));
    std::copy_n(from + channels_, channels_, d_embeddings_.view().row(2 * p + 1));
    std::copy_n(from + 2 * channels_, relative_dim_, d_encodings_.view().row(pair_row(p)));
  }
}

/// From d_rows_, the gradient of what the first mixer reads.
void Tpnet::project_backward(const PairStep& step, ParameterSteps& steps) {
  const std::size_t tokens = tokens_.tokens();
  d_hidden_.resize(tokens, 2 * channels_);
  d_inputs_.resize(tokens, token_width());
  d_relative_hidden_.resize(encodings_.view().rows, relative_[1].shape().in);
  d_times_.resize(log_ages_.size(), time_dim_);
  for (std::size_t e = 0; e < log_ages_.size(); ++e) {
    std::fill_n(d_times_.view().row(e), time_dim_, 0.0F);
  }
  for_each_range(tokens_.sequences(), [&](Range sequences) {
    const std::size_t begin = tokens_.offsets[sequences.begin],
                      end = tokens_.offsets[sequences.end];
    const auto of = [&](RowStore& store) { return store.view().rows_between(begin, end); };
    project_[1].backward(of(d_rows_), of(d_hidden_));
    relu_rows_backward(of(hidden_), of(d_hidden_));
    project_[0].backward(of(d_hidden_), of(d_inputs_));
    for (std::size_t t = begin; t < end; ++t) {
      const float* const from = d_inputs_.view().row(t) + time_dim_;
      std::copy_n(from, relative_dim_, d_encodings_.view().row(2 * t));
      std::copy_n(from + relative_dim_, relative_dim_, d_encodings_.view().row(2 * t + 1));
    }
  });
  relative_[1].backward(d_encodings_.view(), d_relative_hidden_.view());
  relu_rows_backward(relative_hidden_.view(), d_relative_hidden_.view());
  steps.add(project_[1], hidden_.view(), d_rows_.view());
  steps.add(project_[0], inputs_.view(), d_hidden_.view());
  steps.add(relative_[1], relative_hidden_.view(), d_encodings_.view());
  steps.add(relative_[0], relative_in_.view(), d_relative_hidden_.view());
  for (std::size_t t = 0; t < tokens; ++t) {
    kernels().axpy(1, d_inputs_.view().row(t), d_times_.view().row(list_[t].entry), time_dim_);
  }
  step.time->add_gradient(log_ages_, d_times_.view());
}

void Tpnet::backward(const PairStep& step, std::span<const float> dlogits, ParameterSteps& steps) {
  decode_backward(dlogits, steps);
  MatrixView<const float> above = d_embeddings_.view();
  for (std::size_t k = mixers_.size(); k-- > 0;) {
    RowStore& below = k % 2 == 0 ? d_rows_ : d_above_;
    below.resize(tokens_.tokens(), channels_);
    mixers_[k].backward(tokens_, above, below.view(), steps);
    above = below.view();
  }
  project_backward(step, steps);
}

void Tpnet::visit_parameters(const ParameterVisit& each) {
  for (const auto& [name, layer] : layers(*this)) each.layer(name, *layer);
  for (MixerLayer& mixer : mixers_) mixer.visit_parameters(each);
}

void Tpnet::save(Document& document) const {
  for (const auto& [name, layer] : layers(*this)) layer->save(document, name);
  for (const MixerLayer& mixer : mixers_) mixer.save(document);
}

void Tpnet::load(const Document& document, const std::string& path) {
  for (const auto& [name, layer] : layers(*this)) layer->load(document, path, name);
  for (MixerLayer& mixer : mixers_) mixer.load(document, path);
}

}  // namespace frugal::tgn
