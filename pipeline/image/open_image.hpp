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
#include "pipeline/outputs/joined_file.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/output_names.hpp"
#include "survey/journal/image_record.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

struct ImageTask;

/// Takes what was extracted from an image. Called by the thread that did, for several images at the same time.
using TakeResult = std::function<void(const ImageTask&, const ImageInput&, ImageResult&&, const Cpu&)>;

/// The same of an image that shows no sky, which is no failure then.
using TakeWithoutSky = std::function<void(const ImageTask&, const ImageInput&, const Failure&, const Cpu&)>;

/// What stays the same from image to image, wherever they are extracted.
struct Job {
  std::string output_dir;
  std::vector<std::string> arguments;  ///< of the program, for run.json
  const KeptFiles& kept;
  std::string reference = {};  ///< path of the frame that is subtracted from every image; empty: none
  Flush flush = Flush::now;    ///< later: whoever records that outputs are in place sees to it first
  bool describe = true;        ///< tell the log what every image is and what was found
  std::shared_ptr<PositionTables> positions = std::make_shared<PositionTables>();  ///< that images are measured at
  TakeResult take = {};  ///< in place of outputs named after each image, none of which are written; empty: these
  TakeWithoutSky take_without_sky = {};  ///< empty: an image that shows no sky has failed
};

/// One image of a file, selected and not yet opened.
struct ImageTask {
  const ImageFile* file = nullptr;
  SelectedImage image;
  std::string name;                              ///< in messages: the path, and the HDU if there are several
  std::optional<int> hdu = std::nullopt;         ///< part of the names of its outputs, if there are several
  int images = 1;                                ///< of the file that are extracted
  std::shared_ptr<void> memory = nullptr;        ///< what the open file has of the memory budget
  std::vector<std::string> left_out = {};        ///< masks of the file, that patterns leave out; of its first image
  std::shared_ptr<void> under_way = nullptr;     ///< the note that its file is under way, which all of its images keep
  SelectedMaps maps = {};                        ///< of the image
  std::shared_ptr<JoinedFile> joined = nullptr;  ///< the one catalogue of the images of its file; null: none
  /// Of which the images of its file take what they need, where `memory` is for them together with their maps; null:
  /// `memory`, if there is any, is all that the image needs.
  std::shared_ptr<MemoryBudget> for_images = nullptr;
  std::int64_t held = 0;  ///< bytes of `memory` that maps and headers have, if there is for_images
  /// Bytes that files opened with the image, the reference, the detection image and what is combined, may have in
  /// memory if they are gzipped.
  std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max();
  std::size_t number = 0;                                ///< of its file, among those of the run
  std::shared_ptr<const PlannedFile> planned = nullptr;  ///< that `file` is of, where nobody else keeps it
};

/// What became of it.
struct ImageOutcome {
  ImageRecord record;
  std::string name;  ///< in messages
  std::vector<StepTime> times;
  std::vector<StageComparison> comparison;  ///< empty unless back ends were compared
};

/// What a catalogue says beside its rows.
CatalogMetadata metadata_of(const ImageInput& input, const Extraction& extraction, const ImageConfig& config);

/// The record of an image, or of a file as a whole, before anything is known of it.
ImageRecord begin_record(const ImageTask& task);
ImageRecord begin_record(const ImageFile& file);

/// Enters files that are complete, run.json last, into the record of the image that they are of.
void record_outputs(const std::vector<OutputFile>& files, const std::string& directory, ImageRecord& record);

/// An image on its way from its file to its outputs.
class OpenImage {
 public:
  /// Opens it, its maps, the reference of the job, its detection image, unless that is open (`found_in`), and its table
  /// of positions. Throws Error{input}, and Error{config} if an output would replace what is to be kept, or if the
  /// configuration asks for what the image does not allow. `task` and `job` must outlive it.
  OpenImage(const ImageTask& task, const Job& job, std::shared_ptr<const OpenDetection> found_in = nullptr);
  OpenImage(const OpenImage&) = delete;
  OpenImage& operator=(const OpenImage&) = delete;

  const ImageInput& input() const { return input_; }
  const OutputPaths& paths() const { return paths_; }

  /// Finds what may be wrong with what was extracted from it, and logs that and what was found.
  void tell(ImageResult& result) const;

  /// FitsImage::datasum() of the plane that was used. Throws Error{input} if a file that the result is of changed while
  /// it was read.
  std::uint32_t checksum(ImageResult& result) const;

  /// Writes what was extracted from it where `execution` says: all outputs once every one is complete, run.json last;
  /// none if one fails; or gives it to who takes it (Job::take). Throws Error{output} or Error{storage}.
  ImageOutcome finish(ImageResult result, const Execution& execution);

 private:
  /// Throws Error{input} if a file that the result is of changed while it was read.
  void require_unchanged() const;

  using Clock = std::chrono::steady_clock;

  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
  Clock::time_point begin_ = Clock::now();
  const ImageTask& task_;
  const Job& job_;
  OpenFrame frame_;
  std::optional<OpenReference> reference_;
  std::shared_ptr<const OpenDetection> detection_;
  std::shared_ptr<const PositionList> position_list_;
  std::optional<OpenPositions> positions_;
  OpenMaps maps_;
  std::vector<OpenFlags> flags_;
  OutputPaths paths_;
  std::optional<Config> own_config_;  ///< with the gain that the image's header has
  ImageInput input_;
};

}  // namespace srcextract
