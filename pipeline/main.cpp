#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/backend.hpp"
#include "pipeline/batch.hpp"
#include "pipeline/command_line.hpp"
#include "pipeline/compare.hpp"
#include "pipeline/compare_options.hpp"
#include "pipeline/log.hpp"
#include "pipeline/outputs.hpp"
#include "pipeline/progress.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// What no output may replace: what the run reads and, once it exists, what it logs to.
KeptFiles kept_files(const CommandLine& command, bool with_log) {
  std::vector<std::string> paths = command.images;
  paths.push_back(command.config);
  if (with_log) paths.push_back(command.log_file);
  return KeptFiles(paths);
}

void start_log(const CommandLine& command, const Config& config, bool progress) {
  const Verbosity verbosity = command.quiet     ? Verbosity::quiet
                              : command.verbose ? Verbosity::verbose
                                                : Verbosity::normal;
  if (!command.log_file.empty()) {
    kept_files(command, false).require_kept({command.log_file});
    for (const std::string& image : command.images) {
      const OutputPaths paths = output_paths(command.output_dir, image, std::nullopt, config.output);
      require_separate_log(command.log_file, paths.all());
    }
  }
  configure_log(verbosity, command.log_file, progress);
}

int run_comparison(int argc, char** argv) {
  const CompareOptions options = parse_compare_options(argc, argv);
  if (options.answer.empty()) return run_compare(options);
  print_result(options.answer);
  return 0;
}

int run(int argc, char** argv) {
  if (is_compare(argc, argv)) return run_comparison(argc, argv);
  const CommandLine command = parse_command_line(argc, argv);
  if (!command.answer.empty()) {
    print_result(command.answer);
    return 0;
  }
  const Config config = load_config(command.config, command.settings);
  if (command.dump_config) {
    print_result(dump_config(config));
    return 0;
  }

  const bool show_progress = stderr_is_terminal() && !command.quiet;
  start_log(command, config, show_progress);
  const KeptFiles inputs = kept_files(command, true);
  require_distinct_outputs(command.images, config.input.hdu == "all");
  const Execution execution = choose_execution(command.backend, command.device, command.threads);
  prepare_output_directory(command.output_dir);

  const Progress progress(show_progress, command.images.size());
  return process_files({command, config, inputs}, share_out(execution, command.images), progress);
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  using namespace srcextract;
  // A file that may not grow any further is an error of write(), with a message, not a silent end.
  std::signal(SIGXFSZ, SIG_IGN);
  log_to_stderr();
  int code = 0;
  const int failure = attempt("", [&] { code = run(argc, argv); });
  return std::max(code, failure);
}
