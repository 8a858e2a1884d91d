#include "pipeline/process.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

#include "io/catalog.hpp"
#include "io/output_file.hpp"
#include "io/pixel_unit.hpp"
#include "io/segmentation.hpp"
#include "pipeline/extract.hpp"
#include "pipeline/report.hpp"
#include "pipeline/summary.hpp"
#include "pipeline/versions.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// 0 if the path has no size: the image was opened from it, and its name may be gone by now.
std::uintmax_t file_bytes(const std::string& path) {
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
  return failure ? 0 : bytes;
}

/// The catalogues and the label map, complete but for the commit.
std::vector<OutputFile> write_tables(const OutputPaths& paths, const ImageInput& input, const Extraction& extraction,
                                     const Config& config, const Cpu& where) {
  const std::string& header = input.image.header();
  const CatalogMetadata metadata{program_version(), dump_config(config), pixel_unit(header)};
  std::vector<OutputFile> files;
  for (const auto& [format, path] : paths.catalogs)
    files.push_back(write_catalog(path, format, extraction.sources, metadata, where));
  if (!paths.segmentation.empty())
    files.push_back(write_segmentation(paths.segmentation, extraction.runs, extraction.label, header, metadata));
  for (OutputFile& file : files) file.flush();
  return files;
}

OutputFile write_report(const std::string& path, const RunReport& report) {
  OutputFile file(path);
  file.write(format_report(report));
  return file;
}

}  // namespace

std::vector<StageComparison> process_image(const FitsImage& image, const std::string& path, const std::string& name,
                                           bool in_names, const Job& job, const Execution& execution,
                                           Progress& progress) {
  const auto start = std::chrono::system_clock::now();
  const auto begin = Clock::now();
  const std::optional<int> hdu = in_names ? std::optional(image.hdu()) : std::nullopt;
  const OutputPaths paths = output_paths(job.command.output_dir, path, hdu, job.config.output);
  job.inputs.require_kept(paths.all());

  const ImageInput input{path, file_bytes(path), name, image, image.plane(job.config.input.plane)};
  log_input(input, job.config.input);
  ImageResult result = extract_image(input, job.config, execution, progress);
  log_result(input, result);

  const auto summing = Clock::now();
  const std::uint32_t datasum = image.datasum(job.config.input.plane);
  result.times.push_back({"checksum", seconds_since(summing)});

  const auto writing = Clock::now();
  std::vector<OutputFile> files = write_tables(paths, input, result.extraction, job.config, execution.cpu);
  result.times.push_back({"write", seconds_since(writing)});

  const double seconds = seconds_since(begin);
  files.push_back(write_report(
      paths.report, {job.command, job.config, execution, input, result, datasum, paths.all(), start, seconds}));
  commit(files);
  log_done(input, result, execution, seconds);
  return result.comparison;
}

}  // namespace srcextract
