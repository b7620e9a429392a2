#include "libcore/train/accumulation.h"

#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/device/registry.h"

namespace frugal {
namespace {

constexpr char kCount[] = "train.accumulate";
constexpr char kSize[] = "train.mini_batch";

/// A positive number of a checkpoint's metadata; nothing where it has none.
std::optional<std::uint32_t> stored(const Document& state, const char* key,
                                    const std::string& path) {
  const auto found = state.metadata.find(key);
  if (found == state.metadata.end()) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(found->second);
  if (number && *number != 0) return number;
  fail(ExitStatus::bad_input, path, ": ", key, " is '", printable(found->second),
       "', expected a number above 0");
}

}  // namespace

OptionField& add_accumulate(const OptionFields& f, std::uint32_t& mini_batches,
                            const std::string& parts) {
  return f
      .add("--accumulate", mini_batches,
           "number of mini-batches whose " + parts +
               " makes an optimiser step; the ranks of MPI divide them among them. More of them "
               "give fewer steps. auto: one mini-batch, of which each rank takes a part")
      .range(1, 65536)
      .automatic(mini_batches, 0);
}

JointBatches batches_of_step(std::uint32_t given, std::size_t batch_size, int ranks,
                             const Document* state, const std::string& path) {
  if (given != 0) return {given, batch_size, false};
  const auto all = static_cast<std::uint32_t>(ranks);
  if (state == nullptr) return {all, (batch_size + all - 1) / all, true};
  const std::uint32_t before = stored(*state, kCount, path).value_or(1);
  if (before < all) {
    log_warning("steps of ", path, " have ", before, " mini-batches, so ", all - before, " of ",
                all, " ranks have nothing to train on");
  }
  const auto size = stored(*state, kSize, path);
  return {before, size ? *size : batch_size, true};
}

void save_batches(const JointBatches& batches, Document& state) {
  state.metadata[kCount] = std::to_string(batches.count);
  state.metadata[kSize] = std::to_string(batches.size);
}

std::string joint_step_text(const JointBatches& batches, const std::string& samples) {
  if (batches.count == 1) return "";
  const std::size_t all = batches.count * batches.size;
  std::string text = "steps of " + std::to_string(all) + " " + samples + ", in " +
                     std::to_string(batches.count) +
                     (batches.share_one ? " parts" : " mini-batches");
  if (batches.share_one) return text + "; --accumulate makes larger ones, with fewer exchanges";
  return text + ": fewer steps than of " + std::to_string(batches.size) +
         ", which learn less at the same rate; a --learning-rate up to " +
         std::to_string(batches.count) + " times as high, or more epochs, make up for it";
}

void refuse_device_for_joint_steps(const std::string& device, int ranks) {
  if (!names_device(device)) return;
  fail(ExitStatus::unavailable, "--device ", device, " has no engine for ",
       ranks > 1 ? "several ranks" : "--accumulate", ": use --device cpu");
}

}  // namespace frugal
