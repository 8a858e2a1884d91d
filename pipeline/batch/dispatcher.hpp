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

/// Hands out the images of the files to workers. The images of one file may go to different workers. Files are opened
/// in their order, several at the same time by different workers. A worker opens a file only when no image of an
/// opened file waits to be handed out.
///
/// If a file cannot be opened, one image is handed out in its place, and opening that image throws the error. Images of
/// files that disappeared together (AbsentInputs) are handed out after all others, when their files are back.
class Dispatcher {
 public:
  /// `job`, `files`, `budget` and `control` must outlive this object. `compares`: both back ends extract each image and
  /// are compared, so that an image needs the memory of both.
  Dispatcher(const Job& job, const PlannedFiles& files, MemoryBudget& budget, const RunControl& control, bool compares,
             std::function<bool()> should_stop);

  /// Returns the next image. Waits while other workers open files that may contain more images, and for files that
  /// disappeared. Returns nullopt if no image is left, if files did not come back in time, or if `should_stop` returns
  /// true.
  std::optional<ImageTask> next();

  /// Takes back an image if its file disappeared together with its neighbours (AbsentInputs); next() returns the image
  /// again when the file is back. Returns false if the file did not disappear so, or if the file has several images and
  /// holds memory; the image has then failed.
  bool put_back(const ImageTask& task);

  /// Number of files that are not opened yet and of images that are not handed out yet, together.
  std::size_t waiting();

  /// Whether files disappeared and did not come back within RunControl::wait.
  bool gave_up() const { return absent_.gave_up(); }

  /// Whether files disappeared, and RunControl::wait is 0: their images have failed.
  bool any_lost() const { return absent_.any_lost(); }

 private:
  /// An opened file. The members besides `images` are explained at the members of ImageTask with the same names
  /// (pipeline/image/open_image.hpp); `share` is ImageTask::memory.
  struct Opened {
    std::vector<SelectedImage> images = {};
    LeftOut left_out = {};
    std::vector<SelectedMaps> maps = {};
    std::shared_ptr<MemoryBudget::Share> share = nullptr;
    std::shared_ptr<MemoryBudget> for_images = nullptr;
    std::int64_t held = 0, most_inflated = 0;
  };

  /// Bytes of host memory for the largest image of a file, and for all its images together. Memory that the open file
  /// itself takes is not included.
  struct Needs {
    std::int64_t largest = 0, all = 0;
  };

  void open_next(std::unique_lock<std::mutex>& lock);
  void put_away(std::size_t file);
  void wait_for_away(std::unique_lock<std::mutex>& lock);
  Opened open_images(const ImageFile& file);
  static Opened select(FitsImages& file, const Config& config);
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
  std::size_t opening_ = 0;  ///< number of workers that open a file, or wait for files that disappeared
  std::deque<ImageTask> images_;
  std::deque<std::size_t> back_;  ///< indices of files that had disappeared and are back, to be opened after all others
  std::vector<std::size_t> away_;  ///< indices of files that have disappeared
  std::vector<ImageTask>
      away_images_;  ///< images put back one by one, since other images of their files may be extracted already
};

}  // namespace srcextract
