#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "io/files/standard_input.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/batch/commands.hpp"
#include "pipeline/batch/trial_command.hpp"
#include "pipeline/compare/compare.hpp"
#include "pipeline/compare/compare_options.hpp"
#include "pipeline/engine/extractor.hpp"
#include "pipeline/exposure/position_tables.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/options/answers.hpp"
#include "pipeline/options/command_line.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "pipeline/sextractor/commands.hpp"
#include "stages/core/error.hpp"
#include "stages/core/keep_buffers.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/image_config.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

/// Base name of an image's outputs. The outputs of difference imaging, of several bands and of forced photometry have
/// base names of their own. With the plain name, such outputs would replace the image's normal outputs.
std::string output_name(const std::string& path, const CommandLine& command) {
  const std::string name = std::filesystem::path(path).filename();
  if (!command.bands.empty()) return bands_name(name);
  if (!command.positions.empty()) return forced_name(name);
  return command.reference.empty() ? name : difference_name(name);
}

/// The images that outputs are named after: with bands the detection image, else the inputs.
std::vector<std::string> named_images(const CommandLine& command) {
  return command.bands.empty() ? command.inputs : std::vector{command.detect};
}

void require_separate_log(const CommandLine& command, const Config& config, const KeptFiles& kept) {
  kept.require_kept({command.log_file});
  const LogFile log(command.log_file);
  for (const std::string& image : named_images(command))
    log.require_none_of(
        output_paths(command.output_dir, output_name(image, command), std::nullopt, config.output).all());
}

/// Whether a configuration selects a bare threshold: it sets no convolution kernel, no deblending method and no unit of
/// the threshold, all of which the default configuration sets. False for crowded-field fitting, which uses none of
/// these keys.
bool leaves_out_most(const Config& config) {
  return !fits_crowd(config) &&
         std::ranges::none_of(std::array{"convolve.kernel", "deblend.method", "detection.threshold_unit"},
                              [&](const char* key) { return config.set_at.contains(key); });
}

/// Starts the log. Returns the set of files that no output may replace: the files that the run reads, and the log file.
KeptFiles start_log(const CommandLine& command, const Config& config, const FilesBeside* beside, bool progress) {
  KeptFiles kept(command.inputs);
  if (beside != nullptr) kept.add_files_of(*beside);
  kept.add(command.config);
  kept.add_files_of(config);
  if (!command.log_file.empty()) require_separate_log(command, config, kept);
  prepare_directory_of_log(command.log_file, command.output_dir);
  configure_log(command.verbosity, command.log_file, progress);
  kept.add(command.log_file);
  if (command.config.empty())
    log_info("no CONFIG is named: the default configuration is used; srcextract --dump-config prints it");
  return kept;
}

/// The configurations of one run: for the images, for the detection image (null without -d), for the reference (null if
/// --reference-set is not given), and one for each band.
struct RunConfig {
  Config config;
  std::optional<GivenConfig> detection = {}, reference = {};
  std::vector<GivenConfig> bands = {};
};

RunConfig load_run_config(const CommandLine& command) {
  const GivenConfig given = load_given(command.config, set_overrides(command.settings));
  RunConfig result{given.config};
  std::vector<UnusedKeys> unused;
  if (command.bands.empty()) unused.push_back(given.unused);
  for (const BandOption& band : command.bands) {
    const Overrides own{"--band-set " + band.name + ":", band.settings};
    unused.push_back(result.bands.emplace_back(override_given(given, command.config, own)).unused);
  }
  if (!command.detect.empty()) {
    result.detection = override_given(given, command.config, Overrides{"--detect-set", command.detect_settings});
    unused.push_back(result.detection->unused);
  }
  if (!command.reference_settings.empty())
    result.reference =
        override_for_reference(given, command.config, Overrides{"--reference-set", command.reference_settings});
  require_use(unused);
  return result;
}

/// The files that accompany every image, with their configurations: the detection image with its bands, the table of
/// positions, and the reference image. Returns null if the command names no such file.
std::shared_ptr<const FilesBeside> files_beside(const CommandLine& command, const RunConfig& run) {
  if (!run.detection && command.positions.empty() && command.reference.empty()) return nullptr;
  FilesBeside beside{.positions = command.positions, .reference = command.reference};
  if (run.reference) beside.of_reference = make_image_config(*run.reference);
  if (run.detection) beside.detection = {command.detect, make_image_config(*run.detection)};
  for (std::size_t i = 0; i < command.bands.size(); ++i) {
    const BandOption& band = command.bands[i];
    beside.bands.push_back({band.name, band.path, band.settings, make_image_config(run.bands[i])});
  }
  require_config_beside(run.config, beside);
  return std::make_shared<const FilesBeside>(std::move(beside));
}

/// The images in the order of the command line. Throws Error{config} if two images have the same outputs. Does not
/// check that an image exists: opening the image reports that.
PlannedFiles planned_files(const CommandLine& command, const Config& config,
                           const std::shared_ptr<const FilesBeside>& beside, KeptFiles& kept) {
  const std::shared_ptr<const ImageConfig> shared = make_image_config(config, !command.reference.empty());
  ImageFiles files;
  for (const std::string& path : named_images(command)) {
    ImageFile file = look_at(path, output_name(path, command));
    file.config = shared;
    file.beside = beside;
    files.push_back(file);
  }
  require_distinct_outputs(files, [&](std::size_t i) { return "'" + files[i].path + "'"; });
  return PlannedFiles(with_references(std::move(files), kept));
}

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

int run_images(const CommandLine& command) {
  const RunConfig run_config = load_run_config(command);
  const Config& config = run_config.config;
  if (command.dump_config) {
    print_result(dump_config(config));
    return 0;
  }
  if (command.reference.empty()) require_outputs_of_images(config);
  if (!command.bands.empty() && fits_gaussians(config))
    throw Error(ErrorKind::config,
                config.place_of("fit.model") +
                    ": 'fit.model' is gaussians, which are fitted in one image; leave out --band, or "
                    "find sources in one image and fit them in another with -d");
  if ((!command.bands.empty() || !command.detect.empty()) && fits_crowd(config))
    throw Error(ErrorKind::config, config.place_of("crowd.method") +
                                       ": 'crowd.method' is joint, which finds its stars in one image; leave out "
                                       "--band and -d, or fit it at given places with --positions");
  if (command.reads_standard_input) keep_standard_input();
  const bool show_progress = stderr_is_terminal() && command.verbosity != Verbosity::quiet;
  const std::shared_ptr<const FilesBeside> beside = files_beside(command, run_config);
  MemoryBudget budget = memory_budget(command.memory);
  const auto positions = std::make_shared<PositionTables>(budget.bytes());
  if (!command.positions.empty()) positions->read(command.positions);
  KeptFiles kept = start_log(command, config, beside.get(), show_progress);
  const PlannedFiles files = planned_files(command, config, beside, kept);
  const Machine machine =
      choose_machine({command.backend, command.devices, command.threads, command.device_memory}, workload_of(files));
  prepare_output_directory(command.output_dir);

  if (!command.config.empty() && leaves_out_most(config))
    log_info(
        command.config +
        ": it names neither a filter nor deblending, so there is none; the default configuration, which srcextract "
        "--dump-config prints, has both");
  const auto show = show_progress ? Progress::Show::on_terminal : Progress::Show::nothing;
  const Job job{.output_dir = command.output_dir,
                .arguments = arguments_but_inputs(command),
                .kept = kept,
                .positions = positions,
                .only_psf = command.only_psf};
  const Progress progress(show, files.size(), total_bytes(files));
  RunControl control;
  control.on_failure = [](const ImageTask& task, const Failure& failure) {
    log_failure(task.file->has_bands() ? "" : task.name, failure);  // the message about bands names the file already
  };
  return process_files(job, files, machine, budget, progress, control).code;
}

/// The arguments of main(), with `help COMMAND` replaced by `COMMAND --help`.
std::vector<char*> without_help(int argc, char** argv) {
  static std::string help = "--help";
  std::vector<char*> arguments(argv, argv + argc);
  const std::vector<std::string> commands = command_names();
  if (argc == 3 && std::string_view(argv[1]) == "help" && std::ranges::count(commands, argv[2]) > 0)
    arguments = {argv[0], argv[2], help.data()};
  return arguments;
}

/// Runs a command. If its options only ask for a text, such as that of --help, prints that text instead.
template <class Options>
int answer_or_run(const Options& options, int (*run)(const Options&)) {
  if (options.answer.empty()) return run(options);
  print_result(options.answer);
  return 0;
}

int run(int given_count, char** given) {
  std::vector<char*> arguments = without_help(given_count, given);
  const int argc = static_cast<int>(arguments.size());
  char** const argv = arguments.data();
  keep_released_memory(KeepBuffers::least);
  if (is_sextractor(argc, argv)) return answer_or_run(parse_sextractor_options(argc, argv), run_sextractor);
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
