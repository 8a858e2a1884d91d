#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "io/files/standard_input.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/batch/commands.hpp"
#include "pipeline/exposure/position_tables.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
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
    log_detail("no CONFIG is named: the default configuration is used; srcextract --dump-config prints it");
  return kept;
}

/// The configurations of one run: for the images, for the detection image (null without -d), for the reference (null if
/// --reference-set is not given), and one for each band.
struct RunConfig {
  Config config;
  std::string note;  ///< GivenConfig::note
  std::optional<GivenConfig> detection = {}, reference = {};
  std::vector<GivenConfig> bands = {};
};

RunConfig load_run_config(const CommandLine& command) {
  const GivenConfig given = load_given(command.config, set_overrides(command.settings));
  RunConfig result{given.config, given.note};
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
  return PlannedFiles(with_references(std::move(files), command.memory, kept));
}

}  // namespace

int run_images(const CommandLine& command) {
  const RunConfig run_config = load_run_config(command);
  const Config& config = run_config.config;
  if (command.dump_config) {
    if (!run_config.note.empty()) log_warning(run_config.note);
    print_result(commented_config(config));
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
  if (!run_config.note.empty()) log_warning(run_config.note);
  const PlannedFiles files = planned_files(command, config, beside, kept);
  const Machine machine =
      choose_machine({command.backend, command.devices, command.threads, command.device_memory}, workload_of(files));
  prepare_output_directory(command.output_dir);

  const auto show = show_progress ? Progress::Show::on_terminal : Progress::Show::nothing;
  const Job job{.output_dir = command.output_dir,
                .arguments = arguments_but_inputs(command),
                .kept = kept,
                .record = command.record,
                .several = files.size() > 1,
                .positions = positions,
                .only_psf = command.only_psf};
  const Progress progress(show, files.size(), total_bytes(files));
  RunControl control;
  control.on_failure = [](const ImageTask& task, const Failure& failure) {
    log_failure(task.file->has_bands() ? "" : task.name, failure);  // the message about bands names the file already
  };
  const auto begin = std::chrono::steady_clock::now();
  const RunResult run = process_files(job, files, machine, budget, progress, control);
  if (run.images > 1 && !command.only_psf)
    spdlog::info("{} of {}: {} in {:.3f} s", run.done, counted(run.images, "image"), counted(run.sources, "source"),
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return run.code;
}

}  // namespace srcextract
