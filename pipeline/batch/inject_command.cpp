#include "pipeline/batch/commands.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "io/catalog/table_writer.hpp"
#include "io/files/standard_input.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/outputs/injection/inject_gaussians.hpp"
#include "pipeline/outputs/injection/injection_tables.hpp"
#include "pipeline/outputs/run_record.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_config.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

/// Throws Error{config} if the configuration fits no Gaussians. Without the fit, injected Gaussians cannot be found
/// again.
void require_gaussians(const Config& config, const std::string& name) {
  if (fits_gaussians(config)) return;
  throw Error(ErrorKind::config,
              (name.empty() ? "config/default.yaml" : name) +
                  ": fit.model is none, and inject puts Gaussians of a beam into radio maps; name a configuration that "
                  "fits them, as in srcextract inject radio map.fits. For images of stars, srcextract --report --set "
                  "output.report_copies=1000 measures the completeness with copies of their own stars");
}

/// Returns the configuration with report, check images, picture and label map turned off, and without the fit in the
/// negated map (fit.reliability).
Config config_of_injection(Config config) {
  config.output.report = false;
  config.output.report_copies = 0;
  config.output.check_images.clear();
  config.output.quicklook = false;
  config.output.segmentation = false;
  config.fit.reliability = false;
  return config;
}

class InjectionFiles {
 public:
  InjectionFiles(const InjectCommand& command, const KeptFiles& kept) : command_(command), kept_(kept) {}

  void make(const ImageTask& task, const ImageInput& input, ImageResult&& result, const Execution& execution) {
    const auto start = std::chrono::system_clock::now();
    const Injection injection = inject_gaussians(input, result.extraction, command_.plan, execution.cpu);
    if (!injection.problem.empty())
      throw Error(ErrorKind::input, input.name + ": nothing was injected: " + injection.problem +
                                        "; --shapes points takes the shape of the beam");
    if (std::ssize(injection.rows) < command_.plan.number)
      spdlog::warn(
          "{}: {} of {} Gaussians were injected, as a round has one per 50 beams; raise --rounds or leave it out",
          input.name, injection.rows.size(), command_.plan.number);
    const ImageConfig& config = *input.file.config;
    const InjectionPaths paths = injection_paths(command_.output_dir, task.file->name, task.hdu, config.config.output);
    kept_.require_kept(paths.all());
    const CatalogMetadata metadata = metadata_of(input, result.extraction, config);
    std::vector<OutputFile> files;
    const Table bins = injection_table(injection);
    const Table rows = injected_rows_table(injection, input.config().resources.beam->to_jansky, metadata.pixel_unit);
    for (const std::string& path : paths.bins) files.push_back(write_table(path, bins, metadata, execution.cpu));
    for (const std::string& path : paths.rows) files.push_back(write_table(path, rows, metadata, execution.cpu));
    const double seconds = std::chrono::duration<double>(std::chrono::system_clock::now() - start).count();
    RunRecord record{command_.arguments,    config,      execution, input,  result,
                     input.frame.datasum(), paths.all(), start,     seconds};
    record.injection = &injection;
    files.emplace_back(paths.record).write(format_run_record(record));
    commit(files, Flush::now);
    const std::lock_guard lock(one_at_a_time_);
    print_result(input.name + ": " + describe_injection(injection) + "\n" + injection_text(injection));
  }

 private:
  const InjectCommand& command_;
  const KeptFiles& kept_;
  std::mutex one_at_a_time_;
};

}  // namespace

int run_inject(const InjectCommand& command) {
  const GivenConfig given = load_given(command.config, Overrides{"--set", command.settings});
  require_use({given.unused});
  require_gaussians(given.config, command.config);
  if (given.config.detection.sign == DetectionSign::negative)
    throw Error(ErrorKind::config,
                given.config.place_of("detection.sign") +
                    ": 'detection.sign' is negative, and inject puts Gaussians into the map that are "
                    "brighter than the sky; set it to positive or both");
  require_outputs_of_images(given.config);
  if (command.reads_standard_input) keep_standard_input();
  KeptFiles kept(command.inputs);
  kept.add(command.config);
  kept.add_files_of(given.config);
  if (!command.log_file.empty()) kept.require_kept({command.log_file});
  prepare_directory_of_log(command.log_file, command.output_dir);
  const bool show_progress = stderr_is_terminal() && command.verbosity != Verbosity::quiet;
  configure_log(command.verbosity, command.log_file, show_progress);
  if (!given.note.empty()) log_warning(given.note);
  kept.add(command.log_file);
  ImageFiles images;
  for (const std::string& path : command.inputs) {
    ImageFile file = look_at(path, std::filesystem::path(path).filename());
    file.config = make_image_config(config_of_injection(given.config));
    images.push_back(file);
  }
  require_distinct_outputs(images, [&](std::size_t i) { return "'" + images[i].path + "'"; });
  const PlannedFiles files(std::move(images));
  const Machine machine =
      choose_machine({command.backend, command.devices, command.threads, command.device_memory}, workload_of(files));
  prepare_output_directory(command.output_dir);
  InjectionFiles out(command, kept);
  MemoryBudget budget = memory_budget(command.memory);
  Job job{.output_dir = command.output_dir, .arguments = arguments_but_inputs(command), .kept = kept};
  job.take = [&](const ImageTask& task, const ImageInput& input, ImageResult&& result, const Execution& execution) {
    out.make(task, input, std::move(result), execution);
  };
  const auto show = show_progress ? Progress::Show::on_terminal : Progress::Show::nothing;
  const Progress progress(show, files.size(), total_bytes(files));
  return process_files(job, files, machine, budget, progress).code;
}

}  // namespace srcextract
