#include "pipeline/image/open_image.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "io/catalog/segmentation.hpp"
#include "io/catalog/table_writer.hpp"
#include "io/wcs/pixel_unit.hpp"
#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/extract/dark_cores.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "pipeline/extract/image_warnings.hpp"
#include "pipeline/image/image_log.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/log/seconds_since.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/alerts/alert_files.hpp"
#include "pipeline/outputs/check_images.hpp"
#include "pipeline/outputs/completeness/measure_completeness.hpp"
#include "pipeline/outputs/components/write_components.hpp"
#include "pipeline/outputs/image_head.hpp"
#include "pipeline/outputs/injection/inject_gaussians.hpp"
#include "pipeline/outputs/picture_file.hpp"
#include "pipeline/outputs/psf_files.hpp"
#include "pipeline/outputs/report/report.hpp"
#include "pipeline/outputs/run_record.hpp"
#include "pipeline/outputs/vignets.hpp"
#include "pipeline/resolve/resolve.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/convolve/kernel.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

/// Sky and header values of the image that are written to a catalogue.
ImageFacts facts_of(const ImageInput& input, const Extraction& extraction, const OutputConfig& output) {
  ImageFacts facts{SkyFacts{extraction.sky_level(), extraction.background.clipped.sigma}, input.keywords(output)};
  if (const auto& noise = extraction.aperture_noise) {
    facts.header.push_back({noise_alpha_keyword, noise->law.alpha});
    facts.header.push_back({noise_beta_keyword, noise->law.beta});
  }
  return facts;
}

/// Writes all outputs but the report and run.json to temporary files. The caller renames them to their final names.
std::vector<OutputFile> write_tables(const OutputPaths& paths, const ImageInput& input, const ImageResult& result,
                                     const ImageConfig& config, std::uint32_t datasum, const Cpu& where) {
  const Extraction& extraction = result.extraction;
  const FoundPsf* const psf = result.psf.get();
  const CatalogMetadata metadata = metadata_of(input, extraction, config);
  const Vignets vignets = cut_vignets(extraction, config.config, where);
  const Table nothing;
  const Table& carried = input.positions == nullptr ? nothing : input.positions->list.carried;
  std::vector<OutputFile> files;
  for (const auto& [format, path] : paths.catalogs)
    files.push_back(write_catalog(path, format, extraction.sources, metadata, where, vignets, carried));
  if (!paths.segmentation.empty())
    files.push_back(write_segmentation(paths.segmentation, extraction.runs, extraction.label, input.header(), metadata,
                                       input.frame.image().primary_header()));
  if (!paths.picture.empty()) files.push_back(write_picture(paths.picture, extraction, config.config.quicklook, where));
  for (const auto& [which, path] : paths.check_images)
    files.push_back(
        write_check_image(path, which, config.config.output.check_compression, extraction, input, metadata, where));
  for (const auto& [format, path] : paths.alerts)
    files.push_back(write_alerts(path, format, input, extraction, metadata, where));
  if (psf != nullptr && !paths.psf.model.empty())
    std::ranges::move(write_psf_files(paths.psf, *psf, input.name, metadata, where), std::back_inserter(files));
  std::ranges::move(write_components(paths, input, extraction, metadata, datasum, where), std::back_inserter(files));
  return files;
}

OutputFile write_run_record(const std::string& path, const RunRecord& report) {
  OutputFile file(path);
  file.write(format_run_record(report));
  return file;
}

/// Throws Error{config} if a kernel of the configuration is larger than the image.
void require_kernels_fit(const Shape& shape, const Config& config, bool of_difference) {
  const auto require_fit = [&](const Kernel& kernel, const char* key) {
    said_at(config.place_of(key), [&] { check_kernel_fits(kernel, shape); });
  };
  if (config.convolve.kernel != KernelShape::none) require_fit(make_kernel(config.convolve), "convolve.kernel");
  const auto [sharp, wide] = std::minmax({config.difference.reference_fwhm, config.difference.new_fwhm});
  if (of_difference && sharp < wide) require_fit(make_matching_kernel(sharp, wide), "difference.new_fwhm");
}

RunKind kind_of(const ImageInput& input) {
  if (input.reference != nullptr) return RunKind::difference;
  if (input.positions == nullptr) return RunKind::sources;
  return input.positions->forced().ellipses ? RunKind::ellipses : RunKind::circles;
}

const Config* config_of(const std::shared_ptr<const ImageConfig>& given) {
  return given ? &given->config : nullptr;
}

/// The path of a file relative to `directory`, and its size in bytes.
std::pair<std::string, std::int64_t> output_of(const OutputFile& file, const std::string& directory) {
  return {std::filesystem::path(file.path()).lexically_relative(directory), file.size()};
}

/// CRC-32 of the FITS catalogue, which `srcextract merge` checks; nullopt if there is no such catalogue.
std::optional<std::uint32_t> crc32_of_catalog(const std::vector<OutputFile>& files) {
  const auto catalog = std::ranges::find_if(
      files, [](const OutputFile& file) { return file.path().ends_with(extension(CatalogFormat::fits)); });
  return catalog == files.end() ? std::nullopt : catalog->crc32();
}

/// The most rows of a frame, its map of noise or its mask that are decompressed together.
std::int64_t rows_together(const OpenFrame& frame, const OpenMaps& maps) {
  std::int64_t rows = frame.image().rows_together();
  for (const std::optional<OpenMap>* map : {&maps.weights, &maps.mask})
    if (*map) rows = std::max(rows, (*map)->image.rows_together());
  return rows;
}

void record_result(const ImageInput& input, const ImageResult& result, std::uint32_t datasum, ImageRecord& record) {
  record.done = true;
  record.datasum = datasum;
  record.width = input.exposure.shape().width;
  record.height = input.exposure.shape().height;
  record.sources = result.extraction.sources.size();
  record.background = result.extraction.sky_level();
  record.sigma = result.extraction.background.clipped.sigma;
}

}  // namespace

CatalogMetadata metadata_of(const ImageInput& input, const Extraction& extraction, const ImageConfig& config) {
  const std::string unit = pixel_unit(input.header());
  CatalogMetadata metadata{.version = program_version(),
                           .config_yaml = config.yaml,
                           .pixel_unit = unit,
                           .sum_unit = sum_unit(unit),
                           .image = facts_of(input, extraction, config.config.output),
                           .parquet_compression = config.config.output.parquet_compression};
  if (std::ranges::count(config.config.output.formats, CatalogFormat::ldac) > 0)
    metadata.head = image_head(input, extraction, config.config);
  if (input.detection != nullptr) {
    metadata.detection_image = printable_name(input.detection->task.path);
    metadata.detection_unit = pixel_unit(input.detection->frame.image().header());
  }
  if (input.positions != nullptr) metadata.positions = printable_name(input.positions->list.path);
  return metadata;
}

ImageRecord begin_record(const ImageFile& file) {
  ImageRecord record;
  record.name = file.name;
  record.path = std::filesystem::absolute(file.path);
  record.bytes = file.bytes;
  record.modified = file.modified;
  record.config = hash_of_config(file);
  record.program = program_version();
  return record;
}

ImageRecord begin_record(const ImageTask& task) {
  ImageRecord record = begin_record(*task.file);
  record.hdu = task.hdu;
  record.images = task.images;
  return record;
}

void record_outputs(const std::vector<OutputFile>& files, const std::string& directory, ImageRecord& record) {
  for (const OutputFile& file : files) record.outputs.push_back(output_of(file, directory));
  record.catalog_crc32 = crc32_of_catalog(files);
}

OpenImage::OpenImage(const ImageTask& task, const Job& job, std::shared_ptr<const OpenDetection> found_in)
    : task_(task),
      job_(job),
      frame_(task.image.open(), task.file->path, task.file->config->config, task.most_inflated),
      detection_(std::move(found_in)),
      paths_(output_paths(job.output_dir, task.file->name, task.hdu, task.file->config->config.output)),
      input_{*task.file, task.name, frame_, nullptr, nullptr, nullptr, nullptr, Exposure(frame_.planes())} {
  const Config& config = task.file->config->config;
  if (!job.take) job.kept.require_kept(paths_.all());
  const auto require_fit = [&] { require_kernels_fit(frame_.first().shape, config, task.file->has_reference()); };
  if (config.input.hdu == "auto")
    require_fit();
  else
    said_at(task.image.name, require_fit);
  if (task.file->has_reference()) {
    const FilesBeside& beside = *task.file->beside;
    if (!beside.no_reference.empty()) throw Error(ErrorKind::input, beside.no_reference);
    reference_ = open_reference(beside.reference, frame_, task.name, config, config_of(beside.of_reference), {},
                                frame_.most_inflated());
    input_.reference = &*reference_;
    input_.exposure.reference = reference_->subtracted;
  }
  if (const DetectionTask* const found = task.file->detection()) {
    if (detection_ == nullptr)
      detection_ = std::make_shared<const OpenDetection>(
          open_detection(*found, detection_hdu(*found, frame_), frame_.most_inflated()));
    require_same_pixels(*detection_, frame_, task.name);
    input_.detection = detection_.get();
  }
  if (task.file->has_positions()) {
    position_list_ = job.positions->read(task.file->beside->positions);
    positions_.emplace(place_positions(*position_list_, input_.header(), task.name));
    input_.positions = &*positions_;
  }
  if (measures_cube(config)) open_cube(config);
  maps_ = open_maps(task.maps, task.file->path, frame_, config);
  const auto reference = std::move(input_.exposure.reference);
  input_.exposure = exposure_of(frame_, maps_, config);
  input_.exposure.reference = reference;
  const auto shown = [](const std::optional<OpenMap>& map) { return map ? &*map : nullptr; };
  input_.weights = shown(maps_.weights);
  input_.mask = shown(maps_.mask);
  input_.level = shown(maps_.level);
  flags_ = open_flags(task.maps.flags, task.file->path, frame_, config);
  for (const OpenFlags& flags : flags_) input_.flags.push_back(&flags);
  if (job.describe) log_input(input_, config.input, task.left_out);
  Resolved resolved = resolve(
      config,
      {task.name, input_.header(), frame_.image().primary_header(), input_.exposure.shape(), kind_of(input_),
       reference_ ? std::string_view(reference_->frame.image().header()) : std::string_view(),
       reference_ ? config_of(task.file->beside->of_reference) : nullptr, task.file->path, frame_.image().axes(),
       frame_.plane_numbers(), frame_.weights(), task.image.number, static_cast<std::size_t>(task.images),
       reference_ ? std::string_view(reference_->frame.image().primary_header()) : std::string_view(),
       config.combine.method == CombineMethod::none ? 0 : frame_.combined().size()});
  config_ = std::move(resolved.config);
  input_.gain = std::move(resolved.gain);
  input_.reference_gain = std::move(resolved.reference_gain);
  find_photons();
  frame_.forget_reads();
  maps_.forget_reads();
  if (reference_) reference_->forget_reads();
  if (job.describe && !config_.kept.as_sextractor) log_gain(input_);
  input_.resolved = &config_;
  fill_dark_cores();
  if (!fits_gaussians(config_)) {  // as at given positions
    paths_.components.clear();
    paths_.regions.clear();
  }
  if (job.record) return;
  std::error_code failure;
  if (std::filesystem::exists(paths_.report, failure))
    log_warning(fmt::format("{}: {} is of an earlier run and stays; add --record to write it again, or remove it",
                            task_.name, paths_.report));
  paths_.report.clear();
}

void OpenImage::find_photons() {
  const std::int64_t together = rows_together(frame_, maps_);
  if (reference_) {
    FrameSettings &fresh = *config_.resources.fresh, &reference = *config_.resources.reference;
    input_.photons = find_map_photons(task_.name, input_.exposure, together, fresh.weights, fresh.gain, config_);
    Exposure subtracted(reference_->subtracted->planes);
    subtracted.weights = reference_->subtracted->weights;
    subtracted.mask = reference_->subtracted->mask;
    input_.reference_photons =
        find_map_photons(reference_->path, subtracted, rows_together(reference_->frame, reference_->maps),
                         reference.weights, reference.gain, config_);
    if (input_.photons.included) fresh.gain = 0;
    if (input_.reference_photons.included) reference.gain = 0;
    return;
  }
  input_.photons = find_map_photons(task_.name, input_.exposure, together, config_.weights, input_.gain.gain, config_);
  if (input_.photons.included) config_.measurement.gain = 0;
}

void OpenImage::fill_dark_cores() {
  std::vector<PixelSource>& planes = input_.exposure.planes;
  if (planes.size() > 1 || input_.reference != nullptr || config_.kept.as_sextractor || !fits_stars(input_)) return;
  double& saturation = config_.resources.saturation;
  input_.dark_cores = find_dark_cores(input_.exposure, config_, saturation, rows_together(frame_, maps_));
  frame_.forget_reads();
  maps_.forget_reads();
  if (input_.dark_cores.pixels.empty()) return;
  planes.front() = without_dark_cores(planes.front(), input_.dark_cores);
  if (input_.dark_cores.saturated > 0) saturation = input_.dark_cores.level;
}

void OpenImage::open_cube(const Config& config) {
  input_.cube = &frame_;
  if (config.fit.cube.empty()) return;
  Config plain = config;
  plain.combine = {};
  plain.input.plane = 0;
  said_at(config.place_of("fit.cube"), [&] {
    cube_.emplace(
        select_images(config.fit.cube, HduNames(), frame_.most_inflated(), image_needs(config)).front().open(),
        config.fit.cube, plain, frame_.most_inflated());
    const Shape &shape = cube_->first().shape, &own = frame_.first().shape;
    if (shape != own)
      throw Error(ErrorKind::input,
                  fmt::format("{} is {} x {} pixels and {} is {} x {}: Gaussians are measured pixel by pixel; resample "
                              "one to the grid of the other",
                              config.fit.cube, shape.width, shape.height, task_.name, own.width, own.height));
    require_same_sky(*cube_, config.fit.cube, frame_, task_.name);
  });
  input_.cube = &*cube_;
}

void OpenImage::require_unchanged() const {
  frame_.require_unchanged();
  if (cube_) cube_->require_unchanged();
  if (reference_) reference_->require_unchanged();
  if (detection_) {
    detection_->frame.require_unchanged();
    detection_->maps.require_unchanged();
  }
  maps_.require_unchanged();
  for (const OpenFlags& flags : flags_) flags.map.image.require_unchanged();
}

bool OpenImage::is_of_several() const {
  return job_.several || task_.hdu;
}

void OpenImage::tell(ImageResult& result) const {
  const auto looking = Clock::now();
  result.warnings = image_warnings(input_, result);
  result.times.push_back({"warnings", seconds_since(looking)});
  log_result(input_, result, job_.describe, is_of_several());
}

std::uint32_t OpenImage::checksum(ImageResult& result) const {
  const auto summing = Clock::now();
  const std::uint32_t datasum = frame_.datasum();
  require_unchanged();
  result.times.push_back({"checksum", seconds_since(summing)});
  return datasum;
}

template <class Measure>
auto OpenImage::measure(const char* step, const Measure& how, ImageResult& result, const Cpu& where) const {
  const auto begin = Clock::now();
  auto measured = how(input_, result.extraction, where);
  if (!measured) return measured;
  result.times.push_back({step, seconds_since(begin)});
  log_measured(input_, *measured, job_.describe);
  return measured;
}

ImageOutcome OpenImage::finish_psf(const Execution& execution, Progress& progress) {
  const std::shared_ptr<const FoundPsf> found = find_psf(input_, execution, progress);
  require_unchanged();
  if (const std::string warning = warning_of(input_.dark_cores, config_); !warning.empty())
    spdlog::warn("{}: {}", input_.name, warning);
  const CatalogMetadata metadata{.version = program_version(),
                                 .config_yaml = task_.file->config->yaml,
                                 .pixel_unit = pixel_unit(input_.header()),
                                 .sum_unit = sum_unit(pixel_unit(input_.header()))};
  std::vector<OutputFile> files = write_psf_files(paths_.psf, *found, input_.name, metadata, execution.cpu);
  commit(files, job_.flush);
  spdlog::info("{}: done in {:.3f} s: {}", input_.name, seconds_since(begin_), paths_.psf.model);
  return {begin_record(task_), task_.name, {}, {}};
}

/// The path without a leading "./".
std::string plain(const std::string& path) {
  return std::filesystem::path(path).lexically_normal();
}

ImageOutcome OpenImage::finish(ImageResult result, const Execution& execution) {
  tell(result);
  const ImageConfig& config = *task_.file->config;
  if (job_.take) {
    require_unchanged();
    ImageOutcome taken{begin_record(task_), task_.name, result.times, result.comparison};
    if (job_.describe) log_done(input_, result, execution, seconds_since(begin_), "", is_of_several());
    job_.take(task_, input_, std::move(result), execution);
    return taken;
  }

  const std::optional<Completeness> completeness = measure("completeness", measure_completeness, result, execution.cpu);
  const std::optional<Injection> injection = measure("injection", measure_injection, result, execution.cpu);
  const std::uint32_t datasum = checksum(result);
  const auto writing = Clock::now();
  make_directory_of(paths_.all().front());
  std::vector<OutputFile> files = write_tables(paths_, input_, result, config, datasum, execution.cpu);
  if (job_.flush == Flush::now) {
    for (OutputFile& file : files) file.flush();
  }
  result.times.push_back({"write", seconds_since(writing)});
  const auto record = [&](double seconds) {
    return RunRecord{job_.arguments,
                     config,
                     execution,
                     input_,
                     result,
                     datasum,
                     paths_.all(),
                     start_,
                     seconds,
                     completeness,
                     injection ? &*injection : nullptr};
  };
  if (!paths_.page.empty()) {
    const auto reporting = Clock::now();
    const CatalogMetadata metadata = metadata_of(input_, result.extraction, config);
    files.push_back(write_report(paths_.page, record(seconds_since(begin_)), metadata));
    if (job_.flush == Flush::now) files.back().flush();
    result.times.push_back({"report", seconds_since(reporting)});
  }

  ImageOutcome outcome{begin_record(task_), task_.name, {}, {}};
  record_result(input_, result, datasum, outcome.record);
  const double seconds = seconds_since(begin_);
  if (!paths_.report.empty()) files.push_back(write_run_record(paths_.report, record(seconds)));
  record_outputs(files, job_.output_dir, outcome.record);
  commit(files, job_.flush);
  if (job_.describe)
    log_done(input_, result, execution, seconds,
             plain(paths_.all().front()) + (paths_.page.empty() ? "" : ", page " + plain(paths_.page)),
             is_of_several());
  outcome.times = std::move(result.times);
  outcome.comparison = std::move(result.comparison);
  return outcome;
}

}  // namespace srcextract
