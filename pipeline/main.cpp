#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/batch/commands.hpp"
#include "pipeline/batch/trial_command.hpp"
#include "pipeline/compare/compare.hpp"
#include "pipeline/compare/compare_options.hpp"
#include "pipeline/engine/extractor.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/options/answers.hpp"
#include "pipeline/options/command_line.hpp"
#include "pipeline/sextractor/commands.hpp"
#include "stages/core/keep_buffers.hpp"

namespace srcextract {
namespace {

/// Opens /dev/null for every standard stream that is closed. A file opened later would take the number of a closed
/// stream, and the log would be written into that file.
void open_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int opened =
        open("/dev/null", O_RDWR);  // open() takes the lowest free number, which is `stream`
  }
}

/// Raises the limit of open files to the maximum that the system allows. Every worker thread keeps several files open,
/// and the usual limit is meant for single-threaded programs.
void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

int run_comparison(const CompareOptions& options) {
  // A comparison allocates and frees table columns of tens of MB all the time. Returning that memory to the system and
  // mapping new memory would take a quarter of the time of a large comparison (measured). With a single malloc arena, a
  // thread can also reuse memory that another thread released.
  mallopt(M_ARENA_MAX, 1);
  keep_released_memory(std::size_t{1} << 30);
  return run_compare(options);
}

/// The arguments of main() with the command first, before options that stood before it, and with `help COMMAND`
/// replaced by `COMMAND --help`. Options before a command that only prints a text have no use.
std::vector<char*> in_order(int argc, char** argv) {
  static std::string help = "--help";
  std::vector<char*> arguments(argv, argv + argc);
  if (is_sextractor(argc, argv)) return arguments;
  if (const int command = command_after_options(argc, argv)) {
    const auto place = arguments.begin() + command;
    std::rotate(arguments.begin() + 1, place, place + 1);
    if (is_answer(argc, arguments.data())) arguments.erase(arguments.begin() + 2, arguments.begin() + command + 1);
  }
  const std::vector<std::string> commands = command_names();
  if (arguments.size() == 3 && std::string_view(arguments[1]) == "help" &&
      std::ranges::count(commands, arguments[2]) > 0)
    arguments = {arguments[0], arguments[2], help.data()};
  return arguments;
}

/// Runs a command. If its options only ask for a text, such as that of --help, prints that text instead.
template <class Options>
int answer_or_run(const Options& options, int (*run)(const Options&)) {
  if (options.answer.empty()) return run(options);
  print_result(options.answer);
  return 0;
}

/// The same for `srcextract sextractor`, whose answer may have a part on stderr, as SExtractor's has.
int answer_or_run_sextractor(const SextractorOptions& options) {
  if (options.aside.empty()) return answer_or_run(options, run_sextractor);
  print_result(options.answer);
  std::fputs(options.aside.c_str(), stderr);
  return 0;
}

int run(int given_count, char** given) {
  std::vector<char*> arguments = in_order(given_count, given);
  const int argc = static_cast<int>(arguments.size());
  char** const argv = arguments.data();
  keep_released_memory(KeepBuffers::least);
  if (is_sextractor(argc, argv)) return answer_or_run_sextractor(parse_sextractor_options(argc, argv));
  if (is_answer(argc, argv)) {
    print_result(answer({argv + 1, argv + argc}));
    return 0;
  }
  if (is_trial(argc, argv)) return run_trial(argc, argv);
  const std::string_view command = argv[1];
  if (command == "compare") return answer_or_run(parse_compare_options(argc, argv), run_comparison);
  if (command == "batch") return answer_or_run(parse_batch_options(argc, argv), run_batch);
  if (command == "inject") return answer_or_run(parse_inject_options(argc, argv), run_inject);
  if (command == "convert-config") return run_convert(argc, argv);
  if (command == "status") return answer_or_run(parse_status_options(argc, argv), run_status);
  if (command == "merge") return answer_or_run(parse_merge_options(argc, argv), run_merge);
  if (command == "psf") return answer_or_run(parse_psf_options(argc, argv), run_images);
  if (command == "difference") return answer_or_run(parse_difference_options(argc, argv), run_images);
  return answer_or_run(parse_command_line(argc, argv), run_images);
}

/// Ends the process without destructors of static objects. The system ends threads that still work, such as a thread
/// that starts a GPU driver, and releases CUDA's resources. With a sanitizer, the process ends by std::exit(), at which
/// the sanitizer reports.
[[noreturn]] void leave(int code) {
#ifdef SRCEXTRACT_SANITIZED
  std::exit(code);
#else
  end_log();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  using namespace srcextract;
  open_standard_streams();
  allow_many_files();
  // write() to a file beyond the size limit, or to a pipe without a reader, then returns an error. By default the
  // signal would kill the process without a message.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  log_to_stderr();
#ifndef SRCEXTRACT_SANITIZED
  CudaExtractor::leave_all_to_the_system();
#endif
  int code = 0;
  try {
    code = run(argc, argv);
  } catch (...) {
    const Failure failure = current_failure();
    log_failure("", failure);
    code = exit_code(failure.kind);
  }
  leave(code);
}
