#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tools/tgn-train/evaluation/training_negatives.h"
#include "tools/tgn-train/links/link_data.h"
#include "tools/tgn-train/making/generate.h"

namespace frugal::tgn {

/// A generated stream, split, in a file that is gone with the object.
struct GeneratedStream {
  /// scale: of 1,000 sources, 200 destinations and 20,000 events.
  explicit GeneratedStream(double scale = 40) {
    GenerateOptions o;
    o.output = path;
    o.scale = scale;
    o.features = 2;
    o.distinct_times = 300;
    generate(o, [](std::uint64_t, std::uint64_t) {});
    data = std::make_unique<LinkData>(path, EventSplitOptions{});
    negatives = std::make_unique<TrainingNegatives>(
        UniformNegative(distinct_destinations(data->events()), 5), TrainNegatives::uniform,
        std::nullopt);
  }
  ~GeneratedStream() { std::filesystem::remove(path); }
  GeneratedStream(const GeneratedStream&) = delete;
  GeneratedStream& operator=(const GeneratedStream&) = delete;

  std::string path = (std::filesystem::temp_directory_path() /
                      ("generated-" + std::to_string(getpid()) + ".safetensors"))
                         .string();
  std::unique_ptr<LinkData> data;
  std::unique_ptr<TrainingNegatives> negatives;
};

}  // namespace frugal::tgn
