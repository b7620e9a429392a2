#include "tools/sparse-train/outputs/active_count.h"

#include "libcore/base/error.h"

namespace frugal::sparse {

void ActiveCount::add(std::uint64_t outputs) {
  for (Sums* sums : {&all_, &recent_}) {
    sums->outputs.fetch_add(outputs, std::memory_order_relaxed);
    sums->examples.fetch_add(1, std::memory_order_relaxed);
  }
}

double ActiveCount::Sums::share(std::size_t num_labels) const {
  const double all = static_cast<double>(examples) * static_cast<double>(num_labels);
  return all > 0 ? static_cast<double>(outputs) / all : 0;
}

void ActiveCount::save(Document& state) const {
  const std::uint64_t sums[] = {all_.outputs, all_.examples, recent_.outputs, recent_.examples};
  state.tensors.push_back(Tensor::copy_of<std::uint64_t>("lsh.outputs", {4}, sums));
}

void ActiveCount::restore(const Document& state, const std::string& path) {
  const auto sums = state.at("lsh.outputs").as<std::uint64_t>();
  if (sums.size() != 4) {
    fail(ExitStatus::bad_input, path, ": tensor 'lsh.outputs' has ", sums.size(),
         " elements, expected 4");
  }
  all_.outputs = sums[0];
  all_.examples = sums[1];
  recent_.outputs = sums[2];
  recent_.examples = sums[3];
}

}  // namespace frugal::sparse
