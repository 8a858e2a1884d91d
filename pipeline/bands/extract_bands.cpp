#include "pipeline/bands/extract_bands.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/segmentation.hpp"
#include "io/files/input_file.hpp"
#include "io/files/passing.hpp"
#include "io/wcs/pixel_unit.hpp"
#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "pipeline/image/file_memory.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/log/seconds_since.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/image_head.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "pipeline/outputs/run_record.hpp"
#include "stages/catalogue/bands.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/image_config.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

/// An image in which sources are measured that were found in another image, the detection image.
struct Band {
  const BandFile& option;
  PlannedFile planned;  ///< with the band's configuration; the name is the detection image's, after which the outputs
                        ///< of all bands are named

  const ImageFile& file() const { return planned.file; }
  const Config& config() const { return planned.file.config->config; }
};

/// The bands that accompany `file`; empty if it has none. The bands hold references into `file`, which must outlive
/// them.
std::vector<Band> bands_of(const ImageFile& file) {
  std::vector<Band> bands;
  for (const BandFile& option : file.beside->bands) {
    Band& band = bands.emplace_back(Band{option, {look_at(option.path, file.name), {}}});
    band.planned.file.config = option.given;
    band.planned.file.beside = file.beside;
  }
  return bands;
}

/// Runs `work`, and rethrows its errors with `before` and the file's path in front of the message.
void in_file(const std::string& path, const std::function<void()>& work, const std::string& before = "") {
  try {
    work();
  } catch (...) {
    const Failure failure = current_failure();
    if (failure.passing) throw PassingError(before + message_about(path, failure));
    throw Error(failure.kind, before + message_about(path, failure));
  }
}

/// Runs `work`, and rethrows its errors with the names of the band and of its file in front of the message.
void in_band(const Band& band, const std::function<void()>& work) {
  in_file(band.file().path, work, "band " + band.option.name + ": ");
}

/// An open image of a band. The image is extracted later; then `result` and `datasum` (checksum of the pixels) are set.
struct OpenBand {
  const Band& band;
  ImageTask task = {};
  std::unique_ptr<OpenImage> image = nullptr;
  ImageResult result = {};
  std::uint32_t datasum = 0;

  const ImageInput& input() const { return image->input(); }
};

/// The open images of all bands of a file.
class OpenBands {
 public:
  OpenBands(const Job& job, const DetectionTask& task, std::span<const Band> bands, const MemoryBudget& budget,
            const Execution& execution)
      : job_(job),
        compares_(execution.compare),
        runs_on_host_(!execution.device || execution.compare),
        left_(budget.strict() ? budget.bytes() : std::numeric_limits<std::int64_t>::max()) {
    detection_ = std::make_shared<const OpenDetection>(open_detection(task, task.config().input.hdu, left_));
    left_ = detection_->frame.most_inflated();
    bands_.reserve(bands.size());
    for (const Band& band : bands) in_band(band, [&] { open(bands_.emplace_back(OpenBand{band})); });
    plan_.emplace(largest());
    memory_ = memory_of(*plan_, budget.bytes());
  }

  /// Computes the checksum of every band's pixels. Throws Error{input} if a file changed while it was read.
  void sum() {
    for (OpenBand& open : bands_) in_band(open.band, [&] { open.datasum = open.image->checksum(open.result); });
  }

  Sources join() const {
    std::vector<BandSources> sources;
    for (const OpenBand& open : bands_) {
      const std::string unit = pixel_unit(open.input().header());
      sources.push_back({open.band.option.name, unit, sum_unit(unit), open.result.extraction.sources});
    }
    return join_bands(sources);
  }

  const OpenDetection& detection() const { return *detection_; }
  const OutputPaths& paths() const { return bands_.front().image->paths(); }
  const std::vector<OpenBand>& bands() const { return bands_; }

  /// Bytes of host memory for all bands together. The files of all bands stay in memory, while the bands are extracted
  /// one after the other.
  ///
  /// If the largest band as a whole needs too much memory, the CPU extracts by rows, with only some rows of an image in
  /// memory at a time.
  std::int64_t memory_needed() const { return runs_on_host_ ? memory_.bytes : plan_->beside; }

  /// Lets a GPU whose memory is too small for a band use up to `room` bytes of host memory.
  AllowedMemory allow_host_memory(std::int64_t room, const Execution& execution) const {
    return srcextract::allow_host_memory(*plan_, detection_->task.path, room, execution);
  }

  /// Finds the sources, then measures them in every band. Returns the times of finding the sources. The CPU extracts by
  /// rows if the image as a whole, or the image and the sources found, need too much memory. Sets `execution` to the
  /// execution that found the sources.
  FoundTimes extract(Execution& execution, Progress& progress) {
    const std::string& name = detection_->task.path;
    // most_inflated() of the first band's frame counts neither the memory of the images nor the files opened after that
    // frame; both are subtracted here.
    execution.left_beside = left_ - bands_.front().input().frame.most_inflated() + plan_->beside - memory_needed();
    srcextract::go_by_rows(*plan_, memory_, name, execution);
    FoundOnce once{.images = std::ssize(bands_)};
    FoundTimes found;
    in_file(name, [&] {
      within_memory(memory_, memory_of(*plan_, memory_.bytes - 1), name, execution,
                    [&] { found = find_once(bands_.front().input(), execution, progress, once); });
    });
    for (OpenBand& open : bands_) {
      in_band(open.band, [&] {
        progress.begin_image(open.task.name);
        open.result = extract_image(open.input(), execution, progress, &once);
        open.image->tell(open.result);
      });
    }
    return found;
  }

  /// The band whose sky positions the catalogue uses: the first band with sky positions, or the first band if no band
  /// has any.
  const OpenBand& on_sky() const {
    const auto found = std::ranges::find_if(
        bands_, [](const OpenBand& open) { return open.result.extraction.sources.has(columns::alpha_j2000); });
    return found == bands_.end() ? bands_.front() : *found;
  }

 private:
  Plan plan_of(const OpenBand& open) const {
    return srcextract::plan_of(open.task.image, open.task.maps, open.band.file(), compares_);
  }

  HostMemory memory_of(const Plan& plan, std::int64_t most) const {
    return go_by_rows() ? host_memory_within(plan, most) : HostMemory{host_memory(plan)};
  }

  /// The memory plan of the band that needs most memory when extracted as a whole. The plan includes the files of all
  /// bands.
  Plan largest() const {
    const std::int64_t held = held_bytes();
    const auto plan_beside = [&](const OpenBand& open) {
      Plan plan = plan_of(open);
      plan.beside = held;
      return plan;
    };
    return plan_beside(
        *std::ranges::max_element(bands_, {}, [&](const OpenBand& open) { return host_memory(plan_beside(open)); }));
  }

  /// Bytes of the files of all bands that stay in memory.
  std::int64_t held_bytes() const {
    const std::int64_t of_detection = gzipped_sizes(files_of(detection_->task));
    std::int64_t held = of_detection;
    for (const OpenBand& open : bands_) held += open.task.image.held_bytes + plan_of(open).beside - of_detection;
    return held;
  }

  /// Whether every band can be extracted by rows. If one band cannot, no band is, since all bands share the sources
  /// found in the detection image.
  bool go_by_rows() const {
    return std::ranges::all_of(bands_, [this](const OpenBand& open) { return goes_by_rows(plan_of(open)); });
  }

  void open(OpenBand& open) {
    const Config& config = open.band.config();
    FitsImages file(open.band.file().path, left_);
    std::vector<SelectedImage> images = file.select(config.input.hdu, "input.hdu", image_needs(config));
    images.resize(1);
    left_ -= file.held_bytes();
    SelectedMaps maps = pair_maps(file, images, config, left_).front();
    open.task = {.file = &open.band.file(),
                 .image = std::move(images.front()),
                 .name = open.band.file().path,
                 .maps = std::move(maps),
                 .most_inflated = left_};
    open.image = std::make_unique<OpenImage>(open.task, job_, detection_);
    left_ = open.input().frame.most_inflated();
    // Compares the sky with the bands opened before, and not with the detection image alone, since that image may have
    // no WCS.
    for (const OpenBand& before : bands_)
      if (&before != &open &&
          require_same_sky(before.input().frame, before.task.name, open.input().frame, open.task.name))
        break;
  }

  const Job& job_;
  bool compares_;  ///< both back ends extract the bands and are compared, which needs whole images
  bool runs_on_host_;
  std::int64_t left_;  ///< bytes that gzipped files opened later may take when inflated
  std::shared_ptr<const OpenDetection> detection_;
  std::vector<OpenBand> bands_;
  std::optional<Plan> plan_;  ///< of the largest band
  HostMemory memory_;         ///< for the largest band and the files of all bands, when the CPU extracts
};

/// Writes the catalogues and the label map to temporary files. The caller renames the temporary files to their final
/// names.
std::vector<OutputFile> write_tables(const OpenBands& open, const ImageConfig& config, const Cpu& where) {
  const std::string unit = pixel_unit(open.detection().frame.image().header());
  CatalogMetadata metadata{.version = program_version(),
                           .config_yaml = config.yaml,
                           .pixel_unit = unit,
                           .sum_unit = sum_unit(unit),
                           .detection_image = printable_name(open.detection().task.path),
                           .parquet_compression = config.config.output.parquet_compression};
  if (std::ranges::count(config.config.output.formats, CatalogFormat::ldac) > 0)
    metadata.head = image_head(open.on_sky().input(), open.on_sky().result.extraction, config.config);
  for (const OpenBand& one : open.bands())
    metadata.bands.push_back({one.band.option.name, printable_name(one.band.file().path), one.band.option.settings});
  const Sources sources = open.join();
  std::vector<OutputFile> files;
  for (const auto& [format, path] : open.paths().catalogs)
    files.push_back(write_catalog(path, format, sources, metadata, where));
  const OpenBand& shown = open.on_sky();
  if (!open.paths().segmentation.empty())
    files.push_back(write_segmentation(open.paths().segmentation, shown.result.extraction.runs,
                                       shown.result.extraction.label, shown.input().header(), metadata,
                                       shown.input().frame.image().primary_header()));
  return files;
}

/// Inflated size in bytes of all gzipped input files together. The last four bytes of a gzip file state the size; in a
/// file of several gzip members, only that of the last member.
std::int64_t all_gzipped(const DetectionTask& detection, std::span<const Band> bands) {
  std::int64_t bytes = gzipped_sizes(files_of(detection));
  for (const Band& band : bands)
    bytes += gzipped_size(band.file().path) + gzipped_sizes(files_of_maps(band.config())) +
             gzipped_sizes(band.config().combine.files);
  return bytes;
}

/// The open bands of a file, the reserved host memory, the part of that memory that a GPU may use, and the running time
/// limit.
struct Opened {
  MemoryBudget::Share share;
  AllowedMemory of_device;
  OpenBands bands;
  std::shared_ptr<void> watched;
};

/// Opens the bands of a file and reserves host memory for them. With gzipped files, memory for the largest images
/// possible is reserved before opening. A worker that holds memory must not wait for more: two such workers could wait
/// for each other forever.
Opened open_bands(const Job& job, const ImageFile& file, std::span<const Band> bands, MemoryBudget& budget,
                  const Watch& watch, const Execution& execution) {
  const DetectionTask& task = *file.detection();
  const std::int64_t gzipped = all_gzipped(task, bands);
  const std::int64_t room = gzipped == 0 ? 0 : std::min(most_needed(gzipped, file), budget.bytes());
  MemoryBudget::Share share = budget.take(room);
  std::shared_ptr<void> watched = watch();
  OpenBands open(job, task, bands, budget, execution);
  const std::int64_t most = gzipped > 0 ? room : budget.bytes();
  AllowedMemory of_device = open.allow_host_memory(most - open.memory_needed(), execution);
  const std::int64_t needed = open.memory_needed() + of_device.bytes;
  in_file(task.path, [&] {
    budget.check(needed);
    if (needed > room && gzipped > 0 && room < budget.bytes())
      throw Error(ErrorKind::memory, "they need more memory than the ends of the gzipped files tell");
    if (gzipped > 0) return share.shrink(std::min(needed, room));
    watched.reset();  // the time limit does not include the wait for memory
    share = budget.take(needed);
    watched = watch();
  });
  return {std::move(share), std::move(of_device), std::move(open), std::move(watched)};
}

/// Makes the journal's record of a file with bands. Sky level, noise and image size in the record are those of the
/// detection image.
ImageRecord record_of(const ImageFile& file, const OpenBands& open) {
  const Extraction& first = open.bands().front().result.extraction;
  ImageRecord record = begin_record(file);
  record.done = true;
  record.datasum = open.detection().frame.datasum();
  record.width = open.detection().frame.first().shape.width;
  record.height = open.detection().frame.first().shape.height;
  record.sources = first.sources.size();
  record.background = first.found_in->background.clipped.median;
  record.sigma = first.found_in->background.clipped.sigma;
  return record;
}

}  // namespace

ImageOutcome extract_bands(const Job& job, const ImageFile& file, Execution execution, MemoryBudget& budget,
                           Progress& progress, const Watch& watch) {
  const auto start = std::chrono::system_clock::now();
  const auto begin = Clock::now();
  const ImageConfig& of_run = *file.config;
  const std::vector<Band> bands = bands_of(file);
  Opened opened = open_bands(job, file, bands, budget, watch, execution);
  OpenBands& open = opened.bands;
  ImageResult all;
  FoundTimes found = open.extract(execution, progress);
  all.backend = found.backend;
  all.times = std::move(found.times);
  open.sum();

  const auto writing = Clock::now();
  const OutputPaths& paths = open.paths();
  make_directory_of(paths.all().front());
  std::vector<OutputFile> files = write_tables(open, of_run, execution.cpu);
  if (job.flush == Flush::now)
    for (OutputFile& table : files) table.flush();
  all.times.push_back({"write", seconds_since(writing)});
  const double seconds = seconds_since(begin);
  const auto record = [&](const OpenBand& one, const ImageConfig& used, const ImageResult& result) {
    return RunRecord{job.arguments, used, execution, one.input(), result, one.datasum, paths.all(), start, seconds};
  };
  if (!paths.report.empty()) {
    std::vector<BandRecord> records;
    for (const OpenBand& one : open.bands())
      records.push_back(
          {one.band.option.name, one.band.option.settings, record(one, *one.band.file().config, one.result)});
    OutputFile& report = files.emplace_back(paths.report);
    report.write(format_bands_record(records, record(open.bands().front(), of_run, all)));
  }
  ImageOutcome outcome{record_of(file, open), file.path, all.times, {}};
  record_outputs(files, job.output_dir, outcome.record);
  commit(files, job.flush);
  for (const OpenBand& one : open.bands()) {
    require_agreement(one.task.name, one.result.comparison, progress);
    outcome.times.insert(outcome.times.end(), one.result.times.begin(), one.result.times.end());
  }
  if (job.describe)
    spdlog::info("{} in {}: done in {:.3f} s", counted(outcome.record.sources, "source"),
                 counted(std::ssize(bands), "band"), seconds);
  return outcome;
}

}  // namespace srcextract
