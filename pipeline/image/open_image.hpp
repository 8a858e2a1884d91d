#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/exposure/open_detection.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "pipeline/exposure/open_positions.hpp"
#include "pipeline/exposure/position_tables.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "pipeline/image/image_log.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "pipeline/outputs/joined_file.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/output_names.hpp"
#include "survey/journal/image_record.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

struct ImageTask;

/// Receives the result of an image. Called by the thread that extracted the image, so several calls may run at the same
/// time.
using TakeResult = std::function<void(const ImageTask&, const ImageInput&, ImageResult&&, const Execution&)>;

/// Receives an image that shows no sky. Such an image then does not count as failed.
using TakeWithoutSky = std::function<void(const ImageTask&, const ImageInput&, const Failure&, const Cpu&)>;

struct Job {
  std::string output_dir;
  std::vector<std::string> arguments;  ///< arguments of the command line, for run.json
  const KeptFiles& kept;
  Flush flush =
      Flush::now;  ///< Flush::later: not flushed to disk here, since the journal flushes outputs before it records them
  bool record = true;    ///< whether run.json is written beside the other outputs
  bool describe = true;  ///< whether to log properties and results of every image
  bool several = false;  ///< whether the run has several files, of which each image then has one line in the log
  std::shared_ptr<PositionTables> positions =
      std::make_shared<PositionTables>();  ///< tables of positions to measure, shared by all images
  bool only_psf = false;                   ///< whether to make only the PSF of each image and write its files
  TakeResult take = {};  ///< called with each result instead of writing output files; empty: files are written
  TakeWithoutSky take_without_sky =
      {};  ///< called for an image that shows no sky; empty: such an image counts as failed
};

/// One image of a file, selected and not opened yet.
struct ImageTask {
  const ImageFile* file = nullptr;
  SelectedImage image;
  std::string name;  ///< in messages: the path, and the HDU if several HDUs are extracted
  std::optional<int> hdu =
      std::nullopt;  ///< HDU number for the names of outputs; null if only one image of the file is selected
  int images = 1;    ///< number of selected images of the file, also those that an earlier run has done
  std::shared_ptr<void> memory = nullptr;  ///< memory reserved for the open file and its images; null: none is reserved
  LeftOut left_out = {};                   ///< HDUs that input.hdu leaves out; only set for the first image
  std::shared_ptr<void> under_way = nullptr;  ///< destroyed after all images of the file, which share it; removes the
                                              ///< note that the file is being extracted
  SelectedMaps maps = {};                     ///< maps of the image, not opened yet
  std::shared_ptr<JoinedFile> joined =
      nullptr;  ///< joins the catalogues of all images of the file into one; null: each image has its own catalogue
  /// The part of `memory` that the images of the file divide among themselves. Null if `memory` is null.
  std::shared_ptr<MemoryBudget> for_images = nullptr;
  std::int64_t held = 0;  ///< bytes of `memory` that the file, its headers and its gzipped maps take
  /// Largest number of bytes to which gzipped files that are opened with the image may inflate: reference, detection
  /// image, combined files.
  std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max();
  std::size_t number = 0;                                ///< index of the file in the run, from 0
  std::shared_ptr<const PlannedFile> planned = nullptr;  ///< keeps `file` alive if no other object does
};

struct ImageOutcome {
  ImageRecord record;
  std::string name;  ///< name in messages
  std::vector<StepTime> times;
  BackendComparison comparison;
};

CatalogMetadata metadata_of(const ImageInput& input, const Extraction& extraction, const ImageConfig& config);

/// The journal's record of an image, or of a file as a whole, before it is opened.
ImageRecord begin_record(const ImageTask& task);
ImageRecord begin_record(const ImageFile& file);

/// Adds the names and sizes of the complete output files, with run.json last, and the CRC-32 of the FITS catalogue to
/// the record. Names are relative to `directory`.
void record_outputs(const std::vector<OutputFile>& files, const std::string& directory, ImageRecord& record);

/// The open files of one image (planes, maps, reference, positions), its resolved configuration, and functions that
/// write the outputs after the extraction.
class OpenImage {
 public:
  /// Opens the image, its maps, its reference, its table of positions, and its detection image. `found_in`: detection
  /// image that is open already; null: opened here if there is one.
  ///
  /// Throws Error{input} if a file cannot be used. Throws Error{config} if an output would replace a file that must be
  /// kept, or if the configuration does not fit the image. `task` and `job` must outlive this object.
  OpenImage(const ImageTask& task, const Job& job, std::shared_ptr<const OpenDetection> found_in = nullptr);
  OpenImage(const OpenImage&) = delete;
  OpenImage& operator=(const OpenImage&) = delete;

  const ImageInput& input() const { return input_; }
  const OutputPaths& paths() const { return paths_; }

  /// Whether the image is one of several of the run, each of which has one line in the log.
  bool is_of_several() const;
  /// Adds warnings about possible problems to the result. Logs the result and the warnings.
  void tell(ImageResult& result) const;

  /// FitsImage::datasum() of the frame's first plane. Throws Error{input} if a file used for the result has changed
  /// since it was opened. Adds the time to the result.
  std::uint32_t checksum(ImageResult& result) const;

  /// Writes the outputs to temporary files and, once all are complete, renames them, run.json last. If one fails, no
  /// output is written. With Job::take, calls that instead. `execution`: where the image was extracted. Throws
  /// Error{output} or Error{storage}, and Error{input} if a file used for the result has changed.
  ImageOutcome finish(ImageResult result, const Execution& execution);

  /// Fits the PSF of the image and writes only the files of the PSF.
  ImageOutcome finish_psf(const Execution& execution, Progress& progress);

 private:
  /// Returns what `how` returns for this image: a Completeness or an Injection, if the configuration asks for one.
  /// Logs the result, and adds the time of the step to `result`.
  template <class Measure>
  auto measure(const char* step, const Measure& how, ImageResult& result, const Cpu& where) const;

  /// Finds out whether maps hold the photons of sources. The gains of such frames become 0, so that errors of fluxes
  /// add no photons again.
  void find_photons();

  /// If the PSF is fitted to stars: gives pixels far below the sky in the cores of stars the level of saturation.
  void fill_dark_cores();

  /// Opens the cube in whose planes Gaussians are measured: the file fit.cube, or without that key the image's own
  /// file.
  void open_cube(const Config& config);

  /// Throws Error{input} if a file used for the result has changed since it was opened.
  void require_unchanged() const;

  using Clock = std::chrono::steady_clock;

  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
  Clock::time_point begin_ = Clock::now();
  const ImageTask& task_;
  const Job& job_;
  OpenFrame frame_;
  std::optional<OpenFrame> cube_;
  std::optional<OpenReference> reference_;
  std::shared_ptr<const OpenDetection> detection_;
  std::shared_ptr<const PositionList> position_list_;
  std::optional<OpenPositions> positions_;
  OpenMaps maps_;
  std::vector<OpenFlags> flags_;
  OutputPaths paths_;
  Config config_;  ///< resolved for this image
  ImageInput input_;
};

}  // namespace srcextract
