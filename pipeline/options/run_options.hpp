#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/log/log.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}

namespace srcextract {

/// Options of every command that extracts images.
struct RunOptions {
  std::string config;                 ///< a path, `radio` or `crowd`; empty: config/default.yaml
  std::vector<std::string> inputs;    ///< images, or patterns and lists of them
  bool reads_standard_input = false;  ///< an input is `-`; `inputs` has standard_input_path then
  std::string output_dir = ".";
  Backend backend = Backend::automatic;
  std::vector<int> devices;  ///< CUDA devices; empty: all
  int threads = 1;
  std::optional<std::int64_t> memory;         ///< bytes that parallel images may take together
  std::optional<std::int64_t> device_memory;  ///< bytes that a run may take of each CUDA device
  std::vector<std::string> settings;          ///< dotted.key=value, for the configuration
  Verbosity verbosity = Verbosity::normal;
  std::string log_file;                ///< empty: none
  std::vector<std::string> arguments;  ///< as typed, the program's name first
  std::string answer;                  ///< the only requested output (--help, --version); empty: none
};

/// The arguments as typed, without the names of several inputs: thousands of names would be in every image's report.
std::vector<std::string> arguments_but_inputs(const RunOptions& options);

/// Declares the options of a command whose images are called `input` in its help.
class RunOptionParser {
 public:
  RunOptionParser(CLI::App& app, RunOptions& options, const std::string& input, const std::string& input_help);

  /// Parses arguments from index `first` on. Throws Error{config} that points to the command's help if they make no
  /// sense.
  void parse(int argc, const char* const* argv, int first = 2);

 private:
  void add_files(const std::string& input, const std::string& input_help);
  void add_execution();
  void add_messages();

  CLI::App& app_;
  RunOptions& options_;
  std::string input_, backend_ = "auto", devices_ = "all";
  bool quiet_ = false, verbose_ = false, report_ = false;
};

/// Makes the budget of memory for parallel images: `memory` bytes (RunOptions::memory), or most of what this process
/// can get.
MemoryBudget memory_budget(const std::optional<std::int64_t>& memory);

}  // namespace srcextract
