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

/// Options that all commands that extract images have.
struct RunOptions {
  std::string config;  ///< a path, `radio` or `crowd`; empty: config/default.yaml
  /// Paths of images; also directories, patterns or manifests if the command accepts them.
  std::vector<std::string> inputs;
  /// Whether the user named `-` as an input. `inputs` then contains standard_input_path instead of `-`.
  bool reads_standard_input = false;
  std::string output_dir = ".";
  bool record = false;  ///< whether a run of single images writes run.json
  Backend backend = Backend::automatic;
  std::vector<int> devices;  ///< indices of CUDA devices; empty: all
  int threads = 1;
  /// Limit in bytes on the host memory that parallel images take together. Empty: memory_budget() chooses.
  std::optional<std::int64_t> memory;
  /// Limit in bytes on the memory that the run takes of each CUDA device. Empty: none.
  std::optional<std::int64_t> device_memory;
  std::vector<std::string> settings;  ///< "section.key=value", which override CONFIG
  Verbosity verbosity = Verbosity::normal;
  std::string log_file;                ///< path; empty: none
  std::vector<std::string> arguments;  ///< as typed, the program's name first
  std::string answer;                  ///< the only text to print (--help, --version); empty: none
};

/// The arguments as typed, but without the input names if there are several inputs. Otherwise, the report of every
/// image of a survey would repeat thousands of names.
std::vector<std::string> arguments_but_inputs(const RunOptions& options);

/// Declares and parses the options of a command that extracts images. The command's help calls the images `input`.
class RunOptionParser {
 public:
  /// If `options.config` is not empty, that is the configuration, and the command takes no other.
  RunOptionParser(CLI::App& app, RunOptions& options, const std::string& input, const std::string& input_help);

  /// Parses the arguments with indices `first` and above. Throws Error{config} that refers to the command's --help if
  /// the arguments are invalid.
  void parse(int argc, const char* const* argv, int first = 2);

 private:
  void add_files(const std::string& input, const std::string& input_help);
  void add_execution();
  void add_messages();

  CLI::App& app_;
  RunOptions& options_;
  std::string input_, backend_ = "auto", devices_ = "all";
  bool quiet_ = false, verbose_ = false, report_ = false, csv_ = false, parquet_ = false;
};

/// Declares --record, for commands that extract single images.
void add_record_option(CLI::App& app, RunOptions& options);

/// Makes the memory budget that parallel images share: strictly `memory` bytes, or 4/5 of the memory that this process
/// can get if `memory` is empty.
MemoryBudget memory_budget(const std::optional<std::int64_t>& memory);

}  // namespace srcextract
