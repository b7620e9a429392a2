#include "tools/robe-compress/run/samples.h"

#include <utility>

#include "libcore/base/error.h"
#include "tools/robe-compress/model/click_model.h"

namespace frugal::robe {

TrainingSamples::TrainingSamples(const std::string& path, const ClickOptions& options,
                                 bool stream) {
  if (stream) {
    source_ = std::make_unique<ClickSource>(path, options);
  } else {
    owned_ = std::make_unique<ClickData>(path, options);
    data_ = owned_.get();
  }
}

TrainingSamples::TrainingSamples(const std::string& path, const ClickOptions& options,
                                 ClickEncoder encoder)
    : encoder_(std::make_unique<ClickEncoder>(std::move(encoder))),
      owned_(std::make_unique<ClickData>(path, options, *encoder_)),
      data_(owned_.get()) {}

const ClickEncoder& TrainingSamples::encoder() const {
  return data_ != nullptr ? data_->encoder() : source_->encoder();
}

ClickBatches& TrainingSamples::batches() {
  return data_ != nullptr ? static_cast<ClickBatches&>(*data_) : *source_;
}

void TrainingSamples::start_epoch(std::uint64_t seed, std::uint64_t epoch) {
  if (data_ != nullptr) data_->start_epoch(seed, epoch);
}

void TrainingSamples::skip(std::uint64_t samples) {
  const std::uint64_t passed = data_ != nullptr ? data_->skip(samples) : source_->skip(samples);
  if (passed == samples) return;
  fail(ExitStatus::bad_input, "the checkpoint is ", samples, " samples into the input, which has ",
       passed);
}

std::string TrainingSamples::fingerprint() const {
  return data_ != nullptr ? data_->fingerprint() : "streamed";
}

RowCounts TrainingSamples::row_counts() const {
  return data_ != nullptr ? row_counts_of(encoder()) : RowCounts();
}

}  // namespace frugal::robe
