#include "libcore/train/run_options.h"

namespace frugal {

OptionTexts run_options(const OptionFields& fields, std::uint64_t& seed, Precision& precision) {
  fields.add("--seed", seed, "of everything random");
  fields.add("--precision", precision, kPrecisionNames, "of products");
  return result_options(fields);
}

}  // namespace frugal
