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

/// Receives the result of an image. Called by the thread that extracted it, for several images at the same time.
using TakeResult = std::function<void(const ImageTask&, const ImageInput&, ImageResult&&, const Execution&)>;

/// Receives an image that shows no sky, which is then no failure.
using TakeWithoutSky = std::function<void(const ImageTask&, const ImageInput&, const Failure&, const Cpu&)>;

/// Settings of a run that hold for all of its images.
struct Job {
  std::string output_dir;
  std::vector<std::string> arguments;  ///< of the program, for run.json
  const KeptFiles& kept;
  Flush flush = Flush::now;  ///< Flush::later: the code that records outputs as complete flushes them first
  bool describe = true;      ///< log the properties and results of every image
  std::shared_ptr<PositionTables> positions = std::make_shared<PositionTables>();  ///< tables of positions to measure
  bool only_psf = false;  ///< only make the PSF of each image and write its files
  TakeResult take = {};   ///< receives each result instead of writing output files; empty: files are written
  TakeWithoutSky take_without_sky = {};  ///< empty: an image that shows no sky has failed
};

/// One image of a file, selected and not yet opened.
struct ImageTask {
  const ImageFile* file = nullptr;
  SelectedImage image;
  std::string name;                              ///< in messages: the path, and the HDU if several are extracted
  std::optional<int> hdu = std::nullopt;         ///< HDU number for the output names, if several images of the file are
                                                 ///< extracted
  int images = 1;                                ///< number of the file's images that are extracted
  std::shared_ptr<void> memory = nullptr;        ///< the open file's share of the memory budget
  std::vector<std::string> left_out = {};        ///< names of masks that patterns of input.hdu leave out; only set for
                                                 ///< the file's first image
  std::shared_ptr<void> under_way = nullptr;     ///< keeps the note that the file is under way; shared by all images of
                                                 ///< the file
  SelectedMaps maps = {};                        ///< of the image
  std::shared_ptr<JoinedFile> joined = nullptr;  ///< catalogue that joins the file's images; null: each image has its
                                                 ///< own
  /// The part of `memory` that the images of the file share, each of which takes what it needs. Null without `memory`.
  std::shared_ptr<MemoryBudget> for_images = nullptr;
  std::int64_t held = 0;  ///< bytes of `memory` that the file, its headers and its gzipped maps use
  /// Most bytes that gzipped files opened beside the image may take in memory: reference, detection image, combined
  /// files.
  std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max();
  std::size_t number = 0;                                ///< index of its file in the run, from 0
  std::shared_ptr<const PlannedFile> planned = nullptr;  ///< keeps `file` alive, if no other object does
};

/// Result of an image.
struct ImageOutcome {
  ImageRecord record;
  std::string name;  ///< in messages
  std::vector<StepTime> times;
  BackendComparison comparison;
};

/// Metadata of a catalogue.
CatalogMetadata metadata_of(const ImageInput& input, const Extraction& extraction, const ImageConfig& config);

/// The record of an image, or of a file as a whole, before it is opened.
ImageRecord begin_record(const ImageTask& task);
ImageRecord begin_record(const ImageFile& file);

/// Adds the names and sizes of complete output files, run.json last, and the FITS catalogue's CRC-32 to their image's
/// record. Names are relative to `directory`.
void record_outputs(const std::vector<OutputFile>& files, const std::string& directory, ImageRecord& record);

/// Owns the open files of one image (planes, maps, reference, positions) and its resolved configuration. After the
/// extraction it writes the outputs.
class OpenImage {
 public:
  /// Opens the image, its maps, its reference, its table of positions, and its detection image unless `found_in` is
  /// given. Throws Error{input}. Throws Error{config} if an output would replace a kept file, or if the configuration
  /// does not fit the image. `task` and `job` must outlive it.
  OpenImage(const ImageTask& task, const Job& job, std::shared_ptr<const OpenDetection> found_in = nullptr);
  OpenImage(const OpenImage&) = delete;
  OpenImage& operator=(const OpenImage&) = delete;

  const ImageInput& input() const { return input_; }
  const OutputPaths& paths() const { return paths_; }

  /// Adds warnings about possible problems to the result; logs them and the results.
  void tell(ImageResult& result) const;

  /// FitsImage::datasum() of the used plane. Throws Error{input} if a file used for the result changed while it was
  /// read.
  std::uint32_t checksum(ImageResult& result) const;

  /// Writes the outputs once every one is complete, run.json last, or none if one fails; or calls Job::take.
  /// `execution` says where the image was extracted. Throws Error{output} or Error{storage}.
  ImageOutcome finish(ImageResult result, const Execution& execution);

  /// Fits the PSF of the image, and writes only the PSF's files.
  ImageOutcome finish_psf(const Execution& execution, Progress& progress);

 private:
  /// Measures the completeness, if it is asked for, and logs it.
  std::optional<Completeness> find_completeness(ImageResult& result, const Cpu& where) const;

  /// Measures how many injected Gaussians are found in a radio map, if asked for, and logs that.
  std::optional<Injection> find_injection(ImageResult& result, const Cpu& where) const;

  /// Opens the cube whose planes are measured.
  void open_cube(const Config& config);

  /// Throws Error{input} if a file used for the result changed while it was read.
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
  Config config_;  ///< resolved for the image
  ImageInput input_;
};

}  // namespace srcextract
