#include "pipeline/batch/dispatcher.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "io/files/input_file.hpp"
#include "pipeline/chain/stage_list.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Takes out the masks, unless there is nothing else. Returns what they are called in the file.
std::vector<std::string> take_masks_out(std::vector<SelectedImage>& images, const std::string& path) {
  std::vector<std::string> names;
  if (std::ranges::all_of(images, &SelectedImage::is_mask)) return names;
  for (const SelectedImage& image : images) {
    if (image.is_mask) names.push_back(image.name.substr(0, image.name.size() - (" of " + path).size()));
  }
  std::erase_if(images, [](const SelectedImage& image) { return image.is_mask; });
  return names;
}

/// Memory that a gzipped file of so many bytes, inflated, needs with its images at most, whatever their type: a byte
/// may be a pixel.
std::int64_t most_needed(std::int64_t inflated, const Config& config) {
  return inflated + host_memory(plan_of(Shape{inflated, 1}, config, false));
}

/// What it does need with them.
std::int64_t memory_needed(const std::vector<SelectedImage>& images, const Config& config) {
  std::int64_t bytes = images.front().inflated_bytes;
  for (const SelectedImage& image : images) bytes += host_memory(plan_of(image.shape, config, false));
  return bytes;
}

bool belong_together(const ImageTask& a, const ImageTask& b) {
  return a.image.shape == b.image.shape && a.file->config == b.file->config && !a.memory && !b.memory;
}

}  // namespace

Dispatcher::Dispatcher(const Job& job, std::span<const PlannedFile> files, MemoryBudget& budget,
                       const RunControl& control, std::function<bool()> should_stop)
    : job_(job), files_(files), budget_(budget), control_(control), should_stop_(std::move(should_stop)) {}

std::optional<ImageTask> Dispatcher::next() {
  std::unique_lock lock(mutex_);
  while (!should_stop_()) {
    if (!images_.empty()) {
      ImageTask task = std::move(images_.front());
      images_.pop_front();
      return task;
    }
    if (next_file_ < files_.size()) {
      open_next(lock);
      continue;
    }
    if (opening_ == 0) return std::nullopt;
    changed_.wait(lock);
  }
  return std::nullopt;
}

/// Opens the next file while others go on. Whatever happens they hear of it.
void Dispatcher::open_next(std::unique_lock<std::mutex>& lock) {
  const PlannedFile& file = files_[next_file_++];
  ++opening_;
  std::vector<ImageTask> tasks;
  lock.unlock();
  try {
    tasks = open(file);
  } catch (...) {
    lock.lock();
    --opening_;
    changed_.notify_all();
    throw;
  }
  lock.lock();
  --opening_;
  changed_.notify_all();
  std::move(tasks.begin(), tasks.end(), std::back_inserter(images_));
}

std::vector<ImageTask> Dispatcher::next_together(const std::function<std::int64_t(const ImageTask&)>& most) {
  std::vector<ImageTask> together;
  std::int64_t room = 1;
  while (std::ssize(together) < room) {
    std::optional<ImageTask> task = next();
    if (!task) break;
    if (together.empty()) {
      room = task->memory ? 1 : most(*task);  // who has memory must not wait for files of others
    } else if (!belong_together(together.front(), *task)) {
      give_back(std::move(*task));
      break;
    }
    together.push_back(std::move(*task));
  }
  return together;
}

void Dispatcher::give_back(ImageTask task) {
  const std::lock_guard lock(mutex_);
  images_.push_front(std::move(task));
  changed_.notify_all();
}

std::size_t Dispatcher::waiting() {
  const std::lock_guard lock(mutex_);
  return files_.size() - next_file_ + images_.size();
}

/// The images of a file, and of a gzipped one its share of the memory: for what its end says that it holds, or, where
/// its headers ask for more (that is the size of its last member alone), for all there is.
Dispatcher::Opened Dispatcher::open_images(const ImageFile& file) {
  const Config& config = file.config->config;
  const std::int64_t all = budget_.bytes();
  const auto select = [&](std::int64_t room, std::int64_t most_inflated) -> Opened {
    auto share = std::make_shared<MemoryBudget::Share>(budget_.take(room));
    const std::shared_ptr<void> watched = control_.watch(file.path);
    FitsImages opened(file.path, most_inflated);
    std::vector<SelectedImage> images = opened.select(config.input.hdu);
    const std::int64_t needed = memory_needed(images, config);
    budget_.check(needed);
    share->shrink(needed);
    return {std::move(opened), std::move(images), std::move(share)};
  };
  const std::int64_t size = gzipped_size(file.path);
  if (size == 0) {
    const std::shared_ptr<void> watched = control_.watch(file.path);
    FitsImages opened(file.path);
    std::vector<SelectedImage> images = opened.select(config.input.hdu);
    return {std::move(opened), std::move(images), nullptr};
  }
  try {
    return select(std::min(most_needed(size, config), all), size);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory) throw;
  }
  return select(all, budget_.strict() ? all : std::numeric_limits<std::int64_t>::max());
}

/// What joins the images of a file, if they are to be.
std::shared_ptr<JoinedFile> Dispatcher::join(const PlannedFile& planned, const std::vector<SelectedImage>& images) {
  if (!planned.file.config->config.output.one_catalogue || images.size() < 2) return nullptr;
  const auto pending = std::ranges::count_if(
      images, [&](const SelectedImage& image) { return std::ranges::count(planned.done_hdus, image.hdu) == 0; });
  return std::make_shared<JoinedFile>(job_.output_dir, planned.file, images, pending, job_.kept);
}

std::vector<ImageTask> Dispatcher::open(const PlannedFile& planned) {
  const ImageFile& file = planned.file;
  const std::shared_ptr<void> under_way = control_.on_file(file);
  std::vector<ImageTask> tasks;
  try {
    auto [opened, images, share] = open_images(file);
    const std::shared_ptr<void> watched = control_.watch(file.path);
    std::vector<std::string> left_out = take_masks_out(images, file.path);
    std::vector<SelectedMaps> maps = pair_maps(opened, images, file.config->config);
    const auto count = static_cast<int>(images.size());
    const std::shared_ptr<JoinedFile> joined = join(planned, images);
    for (std::size_t i = 0; i < images.size(); ++i) {
      SelectedImage& image = images[i];
      const bool several = count > 1;
      if (several && std::ranges::count(planned.done_hdus, image.hdu) > 0) continue;
      const std::optional<int> number = several ? std::optional(image.hdu) : std::nullopt;
      const std::string name = several ? image.name : file.path;
      tasks.push_back({&file, std::move(image), name, number, count, share, std::exchange(left_out, {}), under_way,
                       std::move(maps[i]), joined});
    }
  } catch (...) {
    const auto rethrow = [error = std::current_exception()]() -> FitsImage { std::rethrow_exception(error); };
    tasks.push_back(
        {.file = &file, .image = {file.path, 0, {}, 0, rethrow}, .name = file.path, .under_way = under_way});
  }
  return tasks;
}

}  // namespace srcextract
