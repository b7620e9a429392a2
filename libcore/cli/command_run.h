#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/cli/progress.h"
#include "libcore/cli/tool.h"

namespace frugal {

/// Writes a text to standard output at once. Fails (io_error), e.g. on a full disk.
void print_text(std::string_view text);

/// Inputs that run_tool() passes to a CommandRun.
struct RunSetup {
  std::string tool;
  std::string command;
  std::vector<std::string> words;  ///< words of the command line, without the program's name
  std::vector<std::string> config_files;
  std::string config;
  CommonOptions common;
  int threads = 1;
  Communicator* ranks = nullptr;
  bool asks_for_device = false;  ///< the command may use a device: --device is not cpu
};

/// Implementation of the Run that commands receive.
class CommandRun : public Run {
 public:
  explicit CommandRun(RunSetup setup);
  ~CommandRun() override;
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;

  const CommonOptions& options() const override { return setup_.common; }
  int threads() const override { return setup_.threads; }
  std::string simd() const override;
  Communicator& ranks() const override { return *setup_.ranks; }
  const std::string& config() const override { return setup_.config; }
  std::string result_config() const override;
  Precision precision() const override;
  const std::string& history_entry() const override { return history_; }
  nlohmann::ordered_json& result() override { return *result_; }
  void say(const std::string& line) override;
  std::unique_ptr<Progress> progress(const std::string& task, double total,
                                     const std::string& unit) override;
  RunLog& log() override;
  Report& report() override;
  void reads(const std::string& path) override;
  void writes(const std::string& path) override;
  void keeps(const std::string& path) override;

  /// Writes report, metrics, dependency file and, last, the JSON result. Call it after the command.
  void finish();

 private:
  void claim(const std::string& path, std::vector<std::string>& to);
  std::string command_line() const;
  std::string machine_text() const;  ///< for a report's table of runs
  std::string log_header() const;

  RunSetup setup_;
  std::string history_;
  std::unique_ptr<nlohmann::ordered_json> result_;
  std::unique_ptr<RunLog> log_;
  std::unique_ptr<Report> report_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<std::string> own_outputs_;  ///< report and metrics
  std::vector<std::string> kept_;         ///< checkpoint and depfile, which are not results
  bool stdout_taken_ = false;
};

}  // namespace frugal
