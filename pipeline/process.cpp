#include "pipeline/process.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

#include "io/catalog.hpp"
#include "io/pixel_unit.hpp"
#include "io/segmentation.hpp"
#include "pipeline/report.hpp"
#include "pipeline/summary.hpp"
#include "pipeline/versions.hpp"
#include "survey/output_names.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The catalogues and the label map, complete but for the commit.
std::vector<OutputFile> write_tables(const OutputPaths& paths, const ImageInput& input, const Extraction& extraction,
                                     const ImageConfig& config, const Cpu& where) {
  const std::string& header = input.image.header();
  const CatalogMetadata metadata{program_version(), config.yaml, pixel_unit(header)};
  std::vector<OutputFile> files;
  for (const auto& [format, path] : paths.catalogs)
    files.push_back(write_catalog(path, format, extraction.sources, metadata, where));
  if (!paths.segmentation.empty())
    files.push_back(write_segmentation(paths.segmentation, extraction.runs, extraction.label, header, metadata));
  return files;
}

OutputFile write_report(const std::string& path, const RunReport& report) {
  OutputFile file(path);
  file.write(format_report(report));
  return file;
}

/// The name of a file below the output directory, and its size.
std::pair<std::string, std::int64_t> output_of(const OutputFile& file, const std::string& directory) {
  return {std::filesystem::path(file.path()).lexically_relative(directory), file.size()};
}

void record_result(const ImageInput& input, const ImageResult& result, std::uint32_t datasum, ImageRecord& record) {
  record.done = true;
  record.datasum = datasum;
  record.width = input.pixels.shape.width;
  record.height = input.pixels.shape.height;
  record.sources = result.extraction.sources.size();
  record.background = result.extraction.background.clipped.median;
  record.sigma = result.extraction.background.clipped.sigma;
}

}  // namespace

ImageRecord begin_record(const ImageTask& task) {
  ImageRecord record;
  record.name = task.file->name;
  record.hdu = task.hdu;
  record.images = task.images;
  record.path = std::filesystem::absolute(task.file->path);
  record.bytes = task.file->bytes;
  record.modified = task.file->modified;
  record.config = task.file->config->hash;
  record.program = program_version();
  return record;
}

OpenImage::OpenImage(const ImageTask& task, const Job& job)
    : task_(task),
      job_(job),
      image_(task.image.open()),
      paths_(output_paths(job.output_dir, task.file->name, task.hdu, task.file->config->config.output)),
      input_{*task.file, task.name, image_, image_.plane(task.file->config->config.input.plane)} {
  job.kept.require_kept(paths_.all());
  if (job.describe) log_input(input_, task.file->config->config.input);
}

ImageOutcome OpenImage::finish(ImageResult result, const Execution& execution) {
  log_result(input_, result, job_.describe);
  const ImageConfig& config = *task_.file->config;

  const auto summing = Clock::now();
  const std::uint32_t datasum = image_.datasum(config.config.input.plane);
  result.times.push_back({"checksum", seconds_since(summing)});

  const auto writing = Clock::now();
  make_directory_of(paths_.report);
  std::vector<OutputFile> files = write_tables(paths_, input_, result.extraction, config, execution.cpu);
  if (job_.flush == Flush::now) {
    for (OutputFile& file : files) file.flush();
  }
  result.times.push_back({"write", seconds_since(writing)});

  ImageOutcome outcome{begin_record(task_), task_.name, {}, {}};
  record_result(input_, result, datasum, outcome.record);
  const double seconds = seconds_since(begin_);
  files.push_back(write_report(
      paths_.report, {job_.arguments, config, execution, input_, result, datasum, paths_.all(), start_, seconds}));
  for (const OutputFile& file : files) outcome.record.outputs.push_back(output_of(file, job_.output_dir));
  commit(files, job_.flush);
  if (job_.describe) log_done(input_, result, execution, seconds);
  outcome.times = std::move(result.times);
  outcome.comparison = std::move(result.comparison);
  return outcome;
}

}  // namespace srcextract
