#pragma once
/// Rows of labels whose last column is a bias with a separate state: gathering them for products,
/// and their steps (libcore/nn/optimizer.h, step_biased_row).
#include "libcore/device/cuda/kernels/labels/sparse_features.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kWarp = 32;

/// Outputs [begin, begin + count) of a batch: labels from a list or, if that is null, by number.
struct OutputRows {
  TableRows table;
  const std::uint32_t* labels;
  std::uint32_t begin, count;
  FRUGAL_BOTH std::uint32_t label(std::uint32_t j) const {
    return labels == nullptr ? begin + j : labels[begin + j];
  }
};

/// Copies rows to [count, width], with zeros after a row's numbers. If log_inclusion [outputs] is
/// not null, it is subtracted from the biases. One thread per number.
FRUGAL_KERNEL gather_outputs(OutputRows outputs, const float* log_inclusion, std::uint32_t width,
                             float* to) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::uint64_t{outputs.count} * width) return;
  const auto j = static_cast<std::uint32_t>(i / width), c = static_cast<std::uint32_t>(i % width);
  const TableRows& table = outputs.table;
  float x = c < table.dim ? table.read(table.row(outputs.label(j)), c) : 0;
  if (log_inclusion != nullptr && c + 1 == table.dim) x -= log_inclusion[outputs.begin + j];
  to[i] = x;
}

/// Arguments of a step of the outputs' rows, with their gradient [count, width].
struct OutputStep {
  const SparseValues* values;
  RuleNumbers numbers;
  OutputRows outputs;
  const float* gradient;
  std::uint32_t width;
};

template <class T>
FRUGAL_DEVICE T sum_of_warp(T x) {
  for (int with = kWarp / 2; with != 0; with /= 2) x += __shfl_xor_sync(0xffffffffU, x, with);
  return x;
}

/// Adds to the sum of a row's mean squares; all lanes get the factor of its gradient.
FRUGAL_DEVICE float add_mean_square(float* sum, double square, float rate, float epsilon) {
  float h = 0;
  if (threadIdx.x % kWarp == 0) h = *sum = *sum + static_cast<float>(square);
  return adagrad_factor(rate, __shfl_sync(0xffffffffU, h, 0), epsilon);
}

/// Steps the outputs' rows; one warp per output.
template <Rule kRule>
FRUGAL_KERNEL step_outputs(OutputStep s) {
  const std::uint32_t lane = threadIdx.x % kWarp;
  const std::uint32_t j = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp;
  if (j >= s.outputs.count) return;  // the whole warp
  const TableRows& table = s.outputs.table;
  const std::uint32_t label = s.outputs.label(j), bias = table.dim - 1;
  float* row = table.row(label);
  float* state = table.state(row);
  const float* g = s.gradient + std::uint64_t{j} * s.width;
  const float rate = s.values->step.network_rate;
  float factor = -rate;
  if (kRule == Rule::adagrad) {
    double square = 0;
    for (std::uint32_t c = lane; c < bias; c += kWarp) {
      square += static_cast<double>(g[c]) * static_cast<double>(g[c]);
    }
    factor = add_mean_square(state, sum_of_warp(square) / bias, rate, s.numbers.epsilon);
  }
  const auto key =
      static_cast<std::uint32_t>(table.halves == 0 ? 0 : draw_at(s.values->rounding, label));
  for (std::uint32_t c = lane; c < bias; c += kWarp) {
    const float x = stepped<kRule>(table.read(row, c), g[c], factor, rate, state + c,
                                   state + bias + c, s.numbers);
    table.write(row, c, x, key);
  }
  float* of_bias = state + kNumStates<kRule> * (kByFactor<kRule> ? 1 : bias);
  if (kRule == Rule::adagrad) {
    factor = add_mean_square(of_bias, static_cast<double>(g[bias]) * static_cast<double>(g[bias]),
                             rate, s.numbers.epsilon);
  }
  if (lane != 0) return;
  float* number = table.number(row, bias);
  *number = stepped<kRule>(*number, g[bias], factor, rate, of_bias, of_bias + 1, s.numbers);
}

}  // namespace frugal::cuda
