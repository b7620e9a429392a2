#pragma once
/// Hidden units of sparse examples, and steps of the rows of their features. One block of threads
/// handles each row, so that gradients are added in a fixed order.
#include "libcore/device/cuda/kernels/block_sums.h"
#include "libcore/device/cuda/kernels/row_table.h"

namespace frugal::cuda {

/// Threads of a block: units of an example or a row.
inline constexpr std::uint32_t kUnitThreads = 128;
inline constexpr std::uint32_t kMostUnits = 4096;
inline constexpr std::uint32_t kNoFeature = 0xffffffffU;

/// Values that change from step to step.
struct SparseValues {
  StepValues step;  ///< its network_rate is the learning rate
  /// Random keys as on the CPU: dropout's of seed and of step, and that of rounding label rows.
  std::uint64_t dropout_seed, dropout_step, rounding;
};

/// Sparse examples: those listed in `examples`, or all in order if it is null. If values is null,
/// all are 1.
struct SparseExamples {
  const std::uint64_t* offsets;
  const std::uint32_t* features;
  const float* values;
  const std::uint32_t* examples;

  FRUGAL_BOTH std::uint32_t id(std::uint32_t k) const {
    return examples == nullptr ? k : examples[k];
  }
  FRUGAL_BOTH float value(std::uint64_t entry) const {
    return values == nullptr ? 1 : values[entry];
  }
};

/// Dropout of units: sparse-train's dropout.h. threshold 0: none.
struct UnitDropout {
  std::uint32_t threshold;
  float scale;
  FRUGAL_DEVICE float factor(const SparseValues& v, std::uint32_t example,
                             std::uint32_t unit) const {
    if (threshold == 0) return 1;
    const std::uint64_t key = hash_combine(v.dropout_seed, hash_combine(v.dropout_step, example));
    const std::uint64_t bits = draw_at(key, unit / 4) >> (16 * (unit % 4)) & 0xffff;
    return bits < threshold ? 0 : scale;
  }
};

struct UnitShape {
  std::uint32_t units, width;  ///< width: numbers of a row: the units, then a 1 and zeros
  bool relu;
};

/// hidden [examples, width]; one block of threads per example.
FRUGAL_KERNEL hidden_units(const SparseValues* values, SparseExamples x, TableRows table,
                           UnitShape shape, UnitDropout dropout, float* hidden) {
  const std::uint32_t k = blockIdx.x;
  if (k >= values->step.samples) return;
  const std::uint32_t example = x.id(k);
  const std::uint64_t begin = x.offsets[example], end = x.offsets[example + 1];
  for (std::uint32_t c = threadIdx.x; c < shape.width; c += blockDim.x) {
    float h = c == shape.units ? 1 : 0;
    if (c < shape.units) {
      for (std::uint64_t e = begin; e < end; ++e) {
        h = fmaf(x.value(e), table.row(x.features[e])[c], h);
      }
      if (shape.relu && h < 0) h = 0;
      h *= dropout.factor(*values, example, c);
    }
    hidden[std::uint64_t{k} * shape.width + c] = h;
  }
}

/// Replaces gradients of hidden units by those of the sums before activation and dropout. squares
/// [examples]: their mean squares. One block of threads per example.
FRUGAL_KERNEL hidden_gradients(const SparseValues* values, SparseExamples x, UnitShape shape,
                               UnitDropout dropout, const float* hidden, float* gradient,
                               float* squares) {
  const std::uint32_t k = blockIdx.x;
  if (k >= values->step.samples) return;
  const std::uint32_t example = x.id(k);
  double sum = 0;
  for (std::uint32_t c = threadIdx.x; c < shape.units; c += blockDim.x) {
    const std::uint64_t at = std::uint64_t{k} * shape.width + c;
    float g = gradient[at];
    if (shape.relu && !(hidden[at] > 0)) g = 0;
    g *= dropout.factor(*values, example, c);
    gradient[at] = g;
    sum += static_cast<double>(g) * static_cast<double>(g);
  }
  sum = block_sum<kUnitThreads>(sum);
  if (threadIdx.x == 0) squares[k] = static_cast<float>(sum) / static_cast<float>(shape.units);
}

/// The features of a batch as entries: example k has the entries [begin[k], begin[k + 1]), of at
/// most `most`.
struct BatchEntries {
  const std::uint32_t* begin;
  std::uint32_t most;

  /// Example that an entry belongs to.
  FRUGAL_DEVICE std::uint32_t owner(std::uint32_t samples, std::uint32_t entry) const {
    std::uint32_t low = 0, high = samples;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (begin[middle] <= entry ? low : high) = middle;
    }
    return low;
  }
};

/// Writes rows [most], kNoFeature after the batch's entries, and places, to be sorted; one thread
/// per entry.
FRUGAL_KERNEL list_entries(const SparseValues* values, SparseExamples x, BatchEntries entries,
                           std::uint32_t* rows, std::uint32_t* places) {
  const std::uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= entries.most) return;
  const std::uint32_t samples = values->step.samples;
  places[e] = e;
  rows[e] = kNoFeature;
  if (e >= entries.begin[samples]) return;
  const std::uint32_t k = entries.owner(samples, e);
  rows[e] = x.features[x.offsets[x.id(k)] + (e - entries.begin[k])];
}

/// Entries sorted by row; those of equal rows are in the order of the examples.
struct RowRuns {
  const std::uint32_t* rows;  ///< [most]
  std::uint32_t* owners;      ///< [most] examples of the batch
  float* weights;             ///< [most]
  std::uint32_t* heads;       ///< [count] first entry of each row, in any order
  std::uint32_t* count;
  std::uint32_t most;
};

/// Fills the runs from the sorted places of list_entries(); count must be 0 before. One thread per
/// entry.
FRUGAL_KERNEL find_runs(const SparseValues* values, SparseExamples x, BatchEntries entries,
                        const std::uint32_t* places, RowRuns runs) {
  const std::uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= runs.most || runs.rows[e] == kNoFeature) return;
  const std::uint32_t k = entries.owner(values->step.samples, places[e]);
  runs.owners[e] = k;
  runs.weights[e] = x.value(x.offsets[x.id(k)] + (places[e] - entries.begin[k]));
  if (e == 0 || runs.rows[e - 1] != runs.rows[e]) runs.heads[atomicAdd(runs.count, 1U)] = e;
}

/// Arguments of the steps of feature rows.
struct FeatureStep {
  const SparseValues* values;
  RuleNumbers numbers;
  TableRows table;
  RowRuns runs;
  const float* gradient;  ///< [examples, width]
  std::uint32_t width;
  const float* squares;  ///< [examples] from hidden_gradients()

  /// End of the run of entries that begins at `begin`. Most rows have few entries, some have
  /// thousands; sums over a known number of them are faster.
  FRUGAL_DEVICE std::uint32_t end_of(std::uint32_t begin) const {
    const std::uint32_t row = runs.rows[begin];
    std::uint32_t last = begin, step = 1;
    for (; holds(last + step, row); step *= 2) last += step;
    for (step /= 2; step != 0; step /= 2) {
      if (holds(last + step, row)) last += step;
    }
    return last + 1;
  }
  FRUGAL_DEVICE bool holds(std::uint32_t entry, std::uint32_t row) const {
    return entry < runs.most && runs.rows[entry] == row;
  }
};

/// One step per row, with the sum over the batch. Blocks of kUnitThreads take rows in turn.
template <Rule kRule>
FRUGAL_KERNEL step_feature_rows(FeatureStep s) {
  FRUGAL_SHARED(float, sums, kMostUnits);
  const float rate = s.values->step.network_rate;
  const std::uint32_t dim = s.table.dim;
  for (std::uint32_t i = blockIdx.x; i < *s.runs.count; i += gridDim.x) {
    const std::uint32_t begin = s.runs.heads[i], end = s.end_of(begin);
    double square = 0;
    for (std::uint32_t c = threadIdx.x; c < dim; c += blockDim.x) {
      float sum = 0;
      for (std::uint32_t e = begin; e < end; ++e) {
        sum =
            fmaf(s.runs.weights[e], s.gradient[std::uint64_t{s.runs.owners[e]} * s.width + c], sum);
      }
      sums[c] = sum;
      square += static_cast<double>(sum) * static_cast<double>(sum);
    }
    float* row = s.table.row(s.runs.rows[begin]);
    float* state = s.table.state(row);
    float factor = -rate;
    if (kRule == Rule::adagrad) {
      square = block_sum<kUnitThreads>(square);
      const float h = *state + static_cast<float>(square / dim);
      factor = adagrad_factor(rate, h, s.numbers.epsilon);
      __syncthreads();  // all have read it
      if (threadIdx.x == 0) *state = h;
    }
    for (std::uint32_t c = threadIdx.x; c < dim; c += blockDim.x) {
      row[c] = stepped<kRule>(row[c], sums[c], factor, rate, state + c, state + dim + c, s.numbers);
    }
  }
}

/// One step for each example after another, for rows of at most kUnitThreads numbers; for rules
/// by_factor. Blocks take rows in turn.
template <Rule kRule>
FRUGAL_KERNEL step_feature_bags(FeatureStep s) {
  const float rate = s.values->step.network_rate;
  const std::uint32_t c = threadIdx.x;
  for (std::uint32_t i = blockIdx.x; i < *s.runs.count; i += gridDim.x) {
    const std::uint32_t begin = s.runs.heads[i], end = s.end_of(begin);
    float* row = s.table.row(s.runs.rows[begin]);
    float* state = s.table.state(row);
    float h = kRule == Rule::adagrad ? *state : 0, x = c < s.table.dim ? row[c] : 0;
    __syncthreads();  // all have read it
    for (std::uint32_t e = begin; e < end; ++e) {
      const std::uint32_t k = s.runs.owners[e];
      const float weight = s.runs.weights[e];
      float factor = -rate * weight;
      if (kRule == Rule::adagrad) {
        h = fmaf(weight * weight, s.squares[k], h);
        factor = adagrad_factor(rate, h, s.numbers.epsilon) * weight;
      }
      if (c < s.table.dim) x = fmaf(factor, s.gradient[std::uint64_t{k} * s.width + c], x);
    }
    if (c < s.table.dim) row[c] = x;
    if (kRule == Rule::adagrad && c == 0) *state = h;
  }
}

}  // namespace frugal::cuda
