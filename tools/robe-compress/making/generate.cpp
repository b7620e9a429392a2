#include "tools/robe-compress/making/generate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/metrics/classification.h"
#include "libcore/system/output_file.h"
#include "libcore/threading/ordered_pipeline.h"
#include "tools/robe-compress/columns/click_shapes.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kVector = 4;
constexpr std::uint64_t kFieldStream = ~std::uint64_t{0};  // beyond all samples
constexpr std::uint64_t kCalibrationSamples = 4096;

/// About normal, from four parts of 64 random bits.
double normal_of(std::uint64_t bits) {
  std::uint64_t sum = 0;
  for (int part = 0; part < 4; ++part, bits >>= 16) sum += bits & 0xffff;
  return (static_cast<double>(sum) / 65536 - 2) * 1.7320508;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

// The scales of weights and vectors are those of a study in which full tables reached an area under
// the ROC curve of 0.80 after one epoch of 600,000 samples.
ClickGenerator::ClickGenerator(const ClickGeneratorOptions& options)
    : seed_(options.seed), exponent_(std::abs(options.zipf - 1) < 1e-9 ? 0 : 1 - options.zipf) {
  Rng rng(seed_, kFieldStream);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    Field& field = fields_[f];
    field.rows = options.rows[f];
    const auto n = static_cast<double>(field.rows) + 1;
    field.tail = exponent_ == 0 ? std::log(n) : 1 - std::pow(n, exponent_);
    do {
      field.stride = 1 + rng.below(field.rows);
    } while (std::gcd(field.stride, field.rows) != 1);
    field.offset = rng.below(field.rows);
    field.salt = rng.next();
    field.weight_scale = 0.35 * rng.uniform(0.3, 1.7);
    field.vector_scale = 0.55 * 0.35 * rng.uniform(0.3, 1.7);
    field.missing = f % 3 == 2 ? static_cast<unsigned>(rng.below(65536 / 8)) : 0;
  }
  for (std::size_t n = 0; n < numbers_.size(); ++n) {
    numbers_[n] = {rng.uniform(0, 5), rng.uniform(0.5, 1.5), rng.uniform(-0.25, 0.25),
                   n % 4 == 3 ? static_cast<unsigned>(rng.below(65536 / 4)) : 0};
  }
  calibrate(options.click_rate);
}

/// The constant of the logit that gives the click rate.
void ClickGenerator::calibrate(double click_rate) {
  std::vector<double> logits;
  for (std::uint64_t i = 0; i < kCalibrationSamples; ++i) {
    logits.push_back(sample(kFieldStream - 1 - i).logit);
  }
  double low = -30, high = 30;
  for (int step = 0; step < 60; ++step) {
    bias_ = (low + high) / 2;
    double sum = 0;
    for (const double logit : logits) sum += sigmoid(logit + bias_);
    (sum < click_rate * kCalibrationSamples ? low : high) = bias_;
  }
}

/// A rank with about the probability of a power law: the inverse of the continuous one's
/// distribution, in closed form.
std::uint64_t ClickGenerator::draw_row(const Field& field, double uniform) const {
  const double r = exponent_ == 0 ? std::exp(uniform * field.tail)
                                  : std::pow(1 - uniform * field.tail, 1 / exponent_);
  const std::uint64_t rank = std::min(field.rows, static_cast<std::uint64_t>(std::max(1.0, r))) - 1;
  return (rank * field.stride + field.offset) % field.rows;
}

GeneratedSample ClickGenerator::sample(std::uint64_t number) const {
  GeneratedSample sample;
  Rng rng(seed_, number);
  double sum[kVector] = {}, squares = 0, logit = bias_;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field& field = fields_[f];
    const std::uint64_t bits = rng.next();
    sample.rows[f] = -1;
    if ((bits & 0xffff) < field.missing) continue;
    const std::uint64_t row = draw_row(field, static_cast<double>(bits >> 16) * 0x1p-48);
    sample.rows[f] = static_cast<std::int64_t>(row);
    std::uint64_t hash = mix64(field.salt + row);
    logit += field.weight_scale * normal_of(hash);
    for (double& s : sum) {
      hash = mix64(hash + 0x9e3779b97f4a7c15U);
      const double v = field.vector_scale * normal_of(hash);
      s += v;
      squares += v * v;
    }
  }
  for (std::size_t n = 0; n < numbers_.size(); ++n) {
    const Number& parameters = numbers_[n];
    const std::uint64_t bits = rng.next();
    sample.has_number[n] = (mix64(bits) & 0xffff) >= parameters.missing;
    if (!sample.has_number[n]) continue;
    const double normal = normal_of(bits);
    sample.numbers[n] =
        static_cast<std::int64_t>(std::exp(parameters.mean + parameters.deviation * normal)) - 1;
    logit += parameters.weight * normal;
  }
  // The sum over pairs of fields of the products of their vectors.
  double pairs = -squares;
  for (const double s : sum) pairs += s * s;
  sample.logit = logit + pairs / 2;
  sample.click = rng.uniform() < sigmoid(sample.logit);
  return sample;
}

namespace {

constexpr std::uint64_t kSamplesAtATime = 4096;
constexpr std::size_t kLongestLine = 1024;
constexpr std::size_t kBlocksInFlight = 2;  ///< a thread

/// Lines of neighbouring samples, and what they were drawn by.
struct Block {
  std::uint64_t begin = 0, end = 0;
  std::vector<char> text;
  std::size_t size = 0;
  std::vector<float> logits, labels;
};

char* append(char* at, std::int64_t value, int base) {
  return std::to_chars(at, at + 24, value, base).ptr;
}

char* append_line(char* at, const GeneratedSample& sample) {
  *at++ = sample.click ? '1' : '0';
  for (std::size_t n = 0; n < sample.numbers.size(); ++n) {
    *at++ = '\t';
    if (sample.has_number[n]) at = append(at, sample.numbers[n], 10);
  }
  for (const std::int64_t row : sample.rows) {
    *at++ = '\t';
    if (row >= 0) at = append(at, row, 16);
  }
  *at++ = '\n';
  return at;
}

void fill(const ClickGenerator& generator, Block& block) {
  block.text.resize(kSamplesAtATime * kLongestLine);
  block.logits.clear();
  block.labels.clear();
  char* at = block.text.data();
  for (std::uint64_t i = block.begin; i < block.end; ++i) {
    const GeneratedSample sample = generator.sample(i);
    at = append_line(at, sample);
    block.logits.push_back(static_cast<float>(sample.logit));
    block.labels.push_back(sample.click ? 1.0F : 0.0F);
  }
  block.size = static_cast<std::size_t>(at - block.text.data());
}

void check(const GenerateOptions& options) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (options.samples < 1 || options.samples > kMost || options.first > kMost) {
    fail(ExitStatus::usage, "--samples is ", options.samples, " from --from ", options.first,
         ", expected at least one sample below number 2^62");
  }
  if (!(options.scale >= 1)) {
    fail(ExitStatus::usage, "--scale is ", options.scale, ", expected 1 or more");
  }
  if (!(options.zipf >= 0 && options.zipf <= 5)) {
    fail(ExitStatus::usage, "--exponent is ", options.zipf, ", expected 0 to 5");
  }
  if (!(options.click_rate > 0 && options.click_rate < 1)) {
    fail(ExitStatus::usage, "--click-rate is ", options.click_rate, ", expected 0 to 1, without");
  }
}

}  // namespace

GenerateResult generate(const GenerateOptions& options,
                        const std::function<void(std::uint64_t)>& progress) {
  check(options);
  GenerateResult result;
  result.rows = scaled_rows(click_shape(options.shape, "--shape"), options.scale);
  const ClickGenerator generator({options.seed, result.rows, options.zipf, options.click_rate});
  OutputFile out(options.output, {.binary = false});
  BinaryMetrics metrics;
  std::uint64_t next = options.first;
  const std::uint64_t end = options.first + options.samples;
  OrderedPipeline<Block> pipeline;
  pipeline.produce = [&](Block& block) {
    block.begin = next;
    block.end = next = std::min(end, next + kSamplesAtATime);
    return block.begin < block.end;
  };
  pipeline.transform = [&](Block& block) { fill(generator, block); };
  pipeline.consume = [&](Block& block) {
    out.write(block.text.data(), block.size);
    metrics.add(block.logits, block.labels);
    progress(block.end - options.first);
  };
  pipeline.run(static_cast<std::size_t>(num_threads()) * kBlocksInFlight);
  out.commit();
  result.clicks = metrics.positives();
  result.best_auc = metrics.auc();
  result.best_log_loss = metrics.log_loss();
  return result;
}

}  // namespace frugal::robe
