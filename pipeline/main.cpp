#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/fits_image.hpp"
#include "pipeline/backend.hpp"
#include "pipeline/command_line.hpp"
#include "pipeline/compare.hpp"
#include "pipeline/log.hpp"
#include "pipeline/outputs.hpp"
#include "pipeline/process.hpp"
#include "pipeline/progress.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// `message` with the name of what it is about before it, unless it names that, or the file that has it, itself.
std::string about(const std::string& name, const std::string& message) {
  const bool said = message.starts_with(name) || message.find(" of " + name) != std::string::npos ||
                    name.ends_with(" of " + message.substr(0, message.find(": ")));
  return said ? message : name + ": " + message;
}

/// Does the work and returns 0, or logs why it failed, as a message about `name`, and returns the exit code.
int attempt(const std::string& name, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    log_error(about(name, error.what()));
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    log_error(about(name, "not enough memory"));
  } catch (const std::exception& error) {
    log_error(about(name, std::string("internal error, please report it: ") + error.what()));
  }
  return exit_code(ErrorKind::internal);
}

/// Results go to stdout, and nothing else does.
void print_result(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
    throw Error(ErrorKind::output, "cannot write to standard output");
}

void require_agreement(const std::string& name, const std::vector<StageComparison>& comparison,
                       const Progress& progress) {
  if (comparison.empty()) return;
  progress.clear();
  print_result(format_comparison(name, comparison));
  if (!all_equal(comparison))
    throw Error(ErrorKind::mismatch, "CPU and CUDA disagree; please report it with the table and the image");
}

/// Extracts every image of one file. Each is tried; returns the highest exit code.
int process_file(const std::string& path, const Job& job, Progress& progress) {
  progress.begin_file(path);
  int worst = 0;
  const int opened = attempt(path, [&] {
    const std::vector<SelectedImage> images = select_images(path, job.config.input.hdu);
    const bool several = images.size() > 1;
    for (const SelectedImage& image : images) {
      const std::string name = several ? image.name : path;
      progress.begin_image(name);
      const int code = attempt(name, [&] {
        require_agreement(name, process_image(image.open(), path, name, several, job, progress), progress);
      });
      worst = std::max(worst, code);
    }
  });
  return std::max(worst, opened);
}

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

int run(int argc, char** argv) {
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

  Progress progress(show_progress, command.images.size());
  int worst = 0;
  for (const std::string& image : command.images)
    worst = std::max(worst, process_file(image, {command, config, execution, inputs}, progress));
  return worst;
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
