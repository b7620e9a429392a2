#pragma once
#include <string>

#include "libcore/cli/tool.h"
#include "tools/tgn-train/memory/memory_place.h"
#include "tools/tgn-train/train.h"

namespace frugal::tgn {

/// Where the memory of nodes lies, as the command line says it.
struct PlaceOptions {
  std::string tier = "ram", file;

  void add(CLI::App& app, const char* group);
  MemoryPlace place(const std::string& output) const { return memory_place(tier, file, output); }
};

struct TrainCommandOptions {
  TrainOptions train;
  PlaceOptions place;
  TrainerOptions trainer;
  std::string task = "link";
  std::string from;  ///< of node-label: a model of links
  // 0: the task's.
  std::size_t batch = 0;
  double learning_rate = 0;
  int epochs = 0;
  std::string preset = "tgn-attn";
  std::string arch = "twitter";
  // "auto": the preset's.
  std::string message = "auto", aggregator = "auto", updater = "auto", embedding = "auto";
  // 0: the preset's or the architecture's.
  std::size_t layers = 0, memory_dim = 0, time_dim = 0;
  std::string sampling = "recent";
  std::string time_encoder = "trainable";
  std::string memory = "window";
  std::string refresh = "auto";
  std::string ties = "auto";
  std::string memory_dtype = "f32";
};

/// --ties of a command that evaluates.
void add_ties(CLI::App& app, std::string& ties, const char* group);

/// What --precision asks for.
Precision network_precision(const Run& run);

/// What the options say of a training. Fails (usage) where they contradict each other.
TrainOptions complete_options(const TrainCommandOptions& options, const Run& run);
/// All options of a training but --memory and --batch-size.
void add_shared_options(CLI::App& app, TrainCommandOptions& options);
void add_memory_mode(CLI::App& app, TrainCommandOptions& options);
void add_batch(CLI::App& app, TrainCommandOptions& options);

}  // namespace frugal::tgn
