#include "tools/robe-compress/generate.h"

#include <algorithm>
#include <charconv>

#include "libcore/base/error.h"
#include "libcore/metrics/binary_metrics.h"
#include "libcore/system/output_file.h"
#include "libcore/threading/ordered_pipeline.h"
#include "tools/robe-compress/click_generator.h"
#include "tools/robe-compress/data/click_shapes.h"

namespace frugal::robe {
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
  OutputFile out(options.output, {.binary = false, .if_changed = options.if_changed});
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
