#include "libcore/nn/state_tensors.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal {
namespace {

std::size_t total_size(std::span<const DenseOptimizer> states) {
  std::size_t size = 0;
  for (const DenseOptimizer& state : states) size += state.state().size();
  return size;
}

}  // namespace

const Tensor& shaped_tensor(const Document& document, const std::string& path,
                            const std::string& name, const Shape& shape, Dtype dtype,
                            const std::string& because) {
  const Tensor* tensor = document.find(name);
  if (tensor == nullptr) fail(ExitStatus::bad_input, path, ": there is no tensor '", name, "'");
  if (tensor->dtype != dtype || tensor->shape != shape) {
    fail(ExitStatus::bad_input, path, ": tensor '", name, "' is ", dtype_name(tensor->dtype), " ",
         shape_text(tensor->shape), ", expected ", dtype_name(dtype), " ", shape_text(shape),
         because.empty() ? "" : ": ", because);
  }
  return *tensor;
}

void save_steps(Document& document, const std::string& name, std::uint64_t steps) {
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>(name + ".steps", {1}, {&steps, 1}));
}

std::uint64_t load_steps(const Document& document, const std::string& path,
                         const std::string& name) {
  return shaped_tensor(document, path, name + ".steps", {1}, Dtype::u64).as<std::uint64_t>()[0];
}

void save_states(Document& document, const std::string& name,
                 std::span<const DenseOptimizer> states) {
  const std::size_t size = total_size(states);
  if (size == 0) return;
  Tensor all = Tensor::make(name, Dtype::f32, {size});
  float* to = all.as<float>().data();
  for (const DenseOptimizer& state : states) {
    to = std::copy(state.state().begin(), state.state().end(), to);
  }
  document.tensors.push_back(std::move(all));
  save_steps(document, name, states.front().steps());
}

void load_states(const Document& document, const std::string& path, const std::string& name,
                 std::span<DenseOptimizer> states) {
  const std::size_t size = total_size(states);
  if (size == 0) return;
  const float* from = shaped_tensor(document, path, name, {size}).as<float>().data();
  const std::uint64_t steps = load_steps(document, path, name);
  for (DenseOptimizer& state : states) {
    const std::span<float> to = state.state();
    std::copy_n(from, to.size(), to.begin());
    from += to.size();
    state.set_steps(steps);
  }
}

}  // namespace frugal
