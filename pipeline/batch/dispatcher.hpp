#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/batch/absent_inputs.hpp"
#include "pipeline/batch/run_control.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// Hands the images of files out to workers, in the order of the files. A file is opened when all images of earlier
/// files are handed out; the images of one file may go to different workers. A file that cannot be opened becomes one
/// image, whose opening throws the reason. Images whose files went away together come after all others, when they are
/// back.
class Dispatcher {
 public:
  /// `job`, `files`, `budget` and `control` must outlive it. `compares`: images need the memory of a comparison.
  Dispatcher(const Job& job, const PlannedFiles& files, MemoryBudget& budget, const RunControl& control, bool compares,
             std::function<bool()> should_stop);

  /// Returns the next image. Waits while other workers open files that may hold more images, or for inputs that went
  /// away. Empty when no image is left, when inputs did not come back in time, or when the workers are to stop.
  std::optional<ImageTask> next();

  /// Takes back an image whose file has gone with those beside it; next() returns it once they are back. False: the
  /// image has failed, since its file is there or it holds memory.
  bool put_back(const ImageTask& task);

  /// Number of files and images that are not handed out yet.
  std::size_t waiting();

  /// Whether inputs went away and did not come back in time.
  bool gave_up() const { return absent_.gave_up(); }

 private:
  /// An opened file. The members other than `images` mean what they mean in ImageTask (pipeline/image/open_image.hpp).
  struct Opened {
    std::vector<SelectedImage> images = {};
    std::vector<std::string> left_out = {};
    std::vector<SelectedMaps> maps = {};
    std::shared_ptr<MemoryBudget::Share> share = nullptr;
    std::shared_ptr<MemoryBudget> for_images = nullptr;
    std::int64_t held = 0, most_inflated = 0;
  };

  /// Memory of a file's images, without what the file holds.
  struct Needs {
    std::int64_t largest = 0, all = 0;
  };

  void open_next(std::unique_lock<std::mutex>& lock);
  void put_away(std::size_t file);
  void wait_for_away(std::unique_lock<std::mutex>& lock);
  Opened open_images(const ImageFile& file);
  Opened open_plain(const ImageFile& file, std::int64_t of_maps, std::int64_t most_of_maps);
  Opened open_gzipped(const ImageFile& file, std::int64_t room, std::int64_t most_inflated, std::int64_t most_of_maps);
  std::int64_t left_beside(std::int64_t needed, std::int64_t most) const;
  void add_maps(Opened& opened, FitsImages& file, const Config& config, std::int64_t most) const;
  Needs needs_of(const Opened& opened, const ImageFile& file, std::int64_t of_maps) const;
  std::int64_t left_for_files(const Opened& opened, const Needs& needs, const ImageFile& file) const;
  void divide_share(Opened& opened, const ImageFile& file, std::int64_t room) const;
  std::shared_ptr<JoinedFile> join(const PlannedFile& planned, const std::vector<SelectedImage>& images);
  std::vector<ImageTask> tasks_of(const PlannedFile& planned, std::size_t number);
  std::vector<ImageTask> open(std::size_t number);

  const Job& job_;
  const PlannedFiles& files_;
  MemoryBudget& budget_;
  const RunControl& control_;
  const bool compares_;
  std::function<bool()> should_stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  AbsentInputs absent_;
  std::size_t next_file_ = 0;
  std::size_t opening_ = 0;  ///< number of workers that open a file, or wait for files
  std::deque<ImageTask> images_;
  std::deque<std::size_t> back_;        ///< files that were away, to be opened after all others
  std::vector<std::size_t> away_;       ///< indices of files that have gone
  std::vector<ImageTask> away_images_;  ///< images of files whose other images may be done
};

}  // namespace srcextract
