#include "libcore/train/accumulation.h"

#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/device/registry.h"

namespace frugal {
namespace {

constexpr char kKey[] = "train.accumulate";

}  // namespace

OptionField& add_accumulate(const OptionFields& f, std::uint32_t& mini_batches,
                            const std::string& parts) {
  return f
      .add("--accumulate", mini_batches,
           "mini-batches whose " + parts +
               " makes a step, shared by the ranks of MPI; auto: one a rank")
      .range(1, 65536)
      .automatic(mini_batches, 0);
}

std::uint32_t mini_batches_of_step(std::uint32_t given, int ranks, const Document* state,
                                   const std::string& path) {
  if (given != 0) return given;
  const auto all = static_cast<std::uint32_t>(ranks);
  if (state == nullptr) return all;
  const auto found = state->metadata.find(kKey);
  const auto before = found == state->metadata.end() ? std::optional<std::uint32_t>(1)
                                                     : parse_number<std::uint32_t>(found->second);
  if (!before || *before == 0) {
    fail(ExitStatus::bad_input, path, ": ", kKey, " is '", printable(found->second),
         "', expected a number of mini-batches");
  }
  if (*before < all) {
    log_warning("steps of ", path, " have ", *before, " mini-batches, so ", all - *before, " of ",
                all, " ranks have nothing to train on");
  }
  return *before;
}

void save_mini_batches(std::uint32_t mini_batches, Document& state) {
  state.metadata[kKey] = std::to_string(mini_batches);
}

void refuse_device_for_joint_steps(const std::string& device, int ranks) {
  if (!names_device(device)) return;
  fail(ExitStatus::unavailable, "--device ", device, " has no engine for ",
       ranks > 1 ? "several ranks" : "--accumulate", ": use --device cpu");
}

}  // namespace frugal
