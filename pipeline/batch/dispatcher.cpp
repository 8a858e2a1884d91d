#include "pipeline/batch/dispatcher.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "io/files/input_file.hpp"
#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "pipeline/image/file_memory.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/held_messages.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Removes the mask images from `images`, unless all images are masks. Returns the names of the removed masks; each
/// name is shortened by " of `path`" at its end.
std::vector<std::string> take_masks_out(std::vector<SelectedImage>& images, const std::string& path) {
  std::vector<std::string> names;
  if (std::ranges::all_of(images, &SelectedImage::is_mask)) return names;
  for (const SelectedImage& image : images) {
    if (image.is_mask) names.push_back(image.name.substr(0, image.name.size() - (" of " + path).size()));
  }
  std::erase_if(images, [](const SelectedImage& image) { return image.is_mask; });
  return names;
}

}  // namespace

Dispatcher::Dispatcher(const Job& job, const PlannedFiles& files, MemoryBudget& budget, const RunControl& control,
                       bool compares, std::function<bool()> should_stop)
    : job_(job),
      files_(files),
      budget_(budget),
      control_(control),
      compares_(compares),
      should_stop_(std::move(should_stop)),
      absent_(files, control.wait, should_stop_, control.on_gone, control.on_back) {}

std::optional<ImageTask> Dispatcher::next() {
  std::unique_lock lock(mutex_);
  while (!should_stop_() && !gave_up()) {
    if (!images_.empty()) {
      ImageTask task = std::move(images_.front());
      images_.pop_front();
      return task;
    }
    if (next_file_ < files_.size() || !back_.empty())
      open_next(lock);
    else if (opening_ > 0)
      changed_.wait(lock);
    else if (!away_.empty() || !away_images_.empty())
      wait_for_away(lock);
    else
      return std::nullopt;
  }
  return std::nullopt;
}

bool Dispatcher::put_back(const ImageTask& task) {
  // An image that waits for its file would keep its memory, which other images may need.
  const bool holds_memory = task.images > 1 && task.memory;
  if (holds_memory || !absent_.has_gone(task.number)) return false;
  if (task.images == 1) {
    put_away(task.number);
  } else {
    const std::lock_guard lock(mutex_);
    away_images_.push_back(task);
  }
  return true;
}

void Dispatcher::put_away(std::size_t file) {
  const std::lock_guard lock(mutex_);
  away_.push_back(file);
}

/// Unlocks `lock` while waiting until some files are back. Files and images that are back can then be handed out again.
void Dispatcher::wait_for_away(std::unique_lock<std::mutex>& lock) {
  ++opening_;
  lock.unlock();
  const bool any_back = absent_.wait();
  lock.lock();
  --opening_;
  changed_.notify_all();
  if (!any_back) return;
  for (const std::size_t file : std::exchange(away_, {}))
    if (absent_.is_known_gone(file))
      away_.push_back(file);
    else
      back_.push_back(file);
  for (ImageTask& task : std::exchange(away_images_, {}))
    if (absent_.is_known_gone(task.number))
      away_images_.push_back(std::move(task));
    else
      images_.push_back(std::move(task));
}

/// Opens the next file with `lock` unlocked, so that other workers can go on. Notifies waiting workers even if opening
/// the file fails.
void Dispatcher::open_next(std::unique_lock<std::mutex>& lock) {
  std::size_t file = next_file_;
  if (file < files_.size()) {
    ++next_file_;
  } else {
    file = back_.front();
    back_.pop_front();
  }
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
  // Images that hold memory come first, since workers with other images may be waiting for that memory.
  const bool hold_memory = !tasks.empty() && tasks.front().memory != nullptr;
  images_.insert(hold_memory ? images_.begin() : images_.end(), std::make_move_iterator(tasks.begin()),
                 std::make_move_iterator(tasks.end()));
}

std::size_t Dispatcher::waiting() {
  const std::lock_guard lock(mutex_);
  return files_.size() - next_file_ + back_.size() + images_.size() + away_.size() + away_images_.size();
}

/// Opens the images of a file and their maps. Also takes memory from the budget if the file or its maps are gzipped, or
/// if the file's headers stay in memory.
///
/// The first attempt takes as much memory as the last bytes of the gzipped files state. These bytes give the size of
/// the last gzip member only. If that is too little, the second attempt takes the whole budget.
Dispatcher::Opened Dispatcher::open_images(const ImageFile& file) {
  const MessagesAbout image(file.path);
  const Config& config = file.config->config;
  const std::int64_t size = gzipped_size(file.path), of_maps = gzipped_sizes(files_of_maps(config));
  const std::int64_t all = budget_.bytes();
  const auto unless_too_small = [](auto&& with_their_sizes, auto&& with_all) {
    try {
      return with_their_sizes();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory) throw;
    }
    return with_all();
  };
  if (size == 0)
    return unless_too_small([&] { return open_plain(file, of_maps, of_maps); },
                            [&] { return open_plain(file, of_maps == 0 ? 0 : all, all); });
  const std::int64_t beside = gzipped_sizes(files_beside(file));
  const std::int64_t room = std::min(most_needed(size, file) + of_maps + beside, all);
  const std::int64_t most = budget_.strict() ? all : std::numeric_limits<std::int64_t>::max();
  return unless_too_small([&] { return open_gzipped(file, room, std::min(size, most), of_maps); },
                          [&] { return open_gzipped(file, all, most, all); });
}

/// Selects the images of a file that the configuration asks for. The file's bytes in memory are counted.
Dispatcher::Opened Dispatcher::select(FitsImages& file, const Config& config) {
  Opened opened{.images = file.select(config.input.hdu, "input.hdu", image_needs(config)), .held = file.held_bytes()};
  opened.left_out.no_images = file.passed_over();
  return opened;
}

/// Limit in bytes for the gzipped maps of a file, beside `needed` other bytes. The limit is `most`, or what a strict
/// budget has left if that is less.
std::int64_t Dispatcher::left_beside(std::int64_t needed, std::int64_t most) const {
  return budget_.strict() ? std::clamp<std::int64_t>(budget_.bytes() - needed, 0, most) : most;
}

void Dispatcher::add_maps(Opened& opened, FitsImages& file, const Config& config, std::int64_t most) const {
  opened.left_out.masks = take_masks_out(opened.images, file.path());
  std::int64_t left = most;
  opened.maps = pair_maps(file, opened.images, config, left);
  opened.held = file.held_bytes() + most - left;
}

/// Host memory that the images of an open file need. `of_maps`: bytes that maps will hold which are not opened yet.
Dispatcher::Needs Dispatcher::needs_of(const Opened& opened, const ImageFile& file, std::int64_t of_maps) const {
  Needs needs;
  for (std::size_t i = 0; i < opened.images.size(); ++i) {
    const Plan plan = plan_of(opened.images[i], opened.maps.empty() ? SelectedMaps() : opened.maps[i], file, compares_);
    const std::int64_t bytes = host_memory_within(plan, budget_.bytes() - opened.held - of_maps).bytes;
    needs.largest = std::max(needs.largest, bytes);
    needs.all += bytes;
  }
  return needs;
}

/// Limit in bytes for gzipped files that are opened together with an image, as its reference or detection image.
std::int64_t Dispatcher::left_for_files(const Opened& opened, const Needs& needs, const ImageFile& file) const {
  return left_beside(opened.held + needs.largest - gzipped_sizes(files_beside(file)), budget_.bytes());
}

/// Shrinks the reserved memory of a file, which is `room` bytes, to what its images can use. The images divide what the
/// open file and its maps leave of it. Throws Error{memory} if the memory is too little for the largest image, unless
/// `room` is the whole budget and the budget is not strict.
void Dispatcher::divide_share(Opened& opened, const ImageFile& file, std::int64_t room) const {
  const Needs needs = needs_of(opened, file, 0);
  budget_.check(opened.held + needs.largest);
  if (opened.held + needs.largest > room && room < budget_.bytes())
    throw Error(ErrorKind::memory, file.path + ": it needs more memory than the ends of the gzipped files tell");
  room = std::min(room, opened.held + needs.all);
  opened.share->shrink(room);
  opened.most_inflated = left_for_files(opened, needs, file);
  opened.for_images = std::make_shared<MemoryBudget>(room - opened.held, false);
}

/// Opens a file that is not gzipped, whose images are read in place. Gzipped maps stay in memory as long as any image
/// of the file is in use.
///
/// With gzipped maps, or with many headers in memory, the file takes one share of the budget, and its images divide
/// that share. If each image took memory by itself, the file would hold memory while its images wait for more. Two such
/// files could wait for each other forever.
Dispatcher::Opened Dispatcher::open_plain(const ImageFile& file, std::int64_t of_maps, std::int64_t most_of_maps) {
  const Config& config = file.config->config;
  std::shared_ptr<void> watched = control_.watch(file.path);
  FitsImages fits(file.path, budget_.strict() ? budget_.bytes() : std::numeric_limits<std::int64_t>::max());
  Opened opened = select(fits, config);
  if (of_maps == 0) add_maps(opened, fits, config, left_beside(opened.held, budget_.bytes()));
  const Needs needs = needs_of(opened, file, of_maps);
  if (of_maps == 0 && opened.held == 0) {
    opened.most_inflated = left_for_files(opened, needs, file);
    return opened;
  }
  budget_.check(opened.held + needs.largest);
  watched.reset();  // the time limit does not include the wait for memory
  const std::int64_t room = std::min(of_maps + opened.held + needs.all, budget_.bytes());
  opened.share = std::make_shared<MemoryBudget::Share>(budget_.take(room));
  watched = control_.watch(file.path);
  if (of_maps > 0) add_maps(opened, fits, config, left_beside(opened.held + needs.largest, most_of_maps));
  divide_share(opened, file, room);
  return opened;
}

/// Opens a gzipped file. Takes `room` bytes of the budget, which the images of the file divide.
Dispatcher::Opened Dispatcher::open_gzipped(const ImageFile& file, std::int64_t room, std::int64_t most_inflated,
                                            std::int64_t most_of_maps) {
  const Config& config = file.config->config;
  auto share = std::make_shared<MemoryBudget::Share>(budget_.take(room));
  const std::shared_ptr<void> watched = control_.watch(file.path);
  FitsImages fits(file.path, most_inflated);
  Opened opened = select(fits, config);
  opened.share = share;
  const std::int64_t without_maps = opened.held + needs_of(opened, file, gzipped_sizes(files_of_maps(config))).largest;
  budget_.check(without_maps);
  add_maps(opened, fits, config, left_beside(without_maps, most_of_maps));
  divide_share(opened, file, room);
  return opened;
}

/// The object that joins the catalogues of a file's images into one catalogue. Null if the configuration does not ask
/// for that, or if the file has fewer than two images.
std::shared_ptr<JoinedFile> Dispatcher::join(const PlannedFile& planned, const std::vector<SelectedImage>& images) {
  if (!planned.file.config->config.output.one_catalogue || images.size() < 2) return nullptr;
  return std::make_shared<JoinedFile>(job_.output_dir, planned, images, job_.kept);
}

/// The images of the file with index `number`. Empty if the file has disappeared together with its neighbours; the file
/// is then opened later.
std::vector<ImageTask> Dispatcher::open(std::size_t number) {
  if (absent_.is_known_gone(number)) {
    put_away(number);
    return {};
  }
  const auto planned = std::make_shared<const PlannedFile>(files_[number]);
  std::vector<ImageTask> tasks = tasks_of(*planned, number);
  for (ImageTask& task : tasks) {
    task.number = number;
    task.planned = planned;
  }
  return tasks;
}

std::vector<ImageTask> Dispatcher::tasks_of(const PlannedFile& planned, std::size_t number) {
  const ImageFile& file = planned.file;
  const std::shared_ptr<void> under_way = control_.on_file(file);
  std::vector<ImageTask> tasks;
  if (file.has_bands()) {  // extract_bands() opens the images of the bands
    tasks.push_back(
        {.file = &file, .image = {.name = file.path, .open = {}}, .name = file.path, .under_way = under_way});
    return tasks;
  }
  try {
    Opened opened = open_images(file);
    std::vector<SelectedImage>& images = opened.images;
    const auto count = static_cast<int>(images.size());
    const std::shared_ptr<JoinedFile> joined = join(planned, images);
    for (std::size_t i = 0; i < images.size(); ++i) {
      SelectedImage& image = images[i];
      const bool several = count > 1;
      if (several && std::ranges::count(planned.done_hdus, image.hdu) > 0) continue;
      const std::optional<int> hdu = several ? std::optional(image.hdu) : std::nullopt;
      const std::string name = several ? image.name : file.path;
      tasks.push_back({&file, std::move(image), name, hdu, count, opened.share, std::exchange(opened.left_out, {}),
                       under_way, std::move(opened.maps[i]), joined, opened.for_images, opened.held,
                       opened.most_inflated});
    }
    if (joined) joined->end_without_any();
  } catch (...) {
    if (current_failure().kind == ErrorKind::input && absent_.has_gone(number)) {
      put_away(number);
      return {};
    }
    const auto rethrow = [error = std::current_exception()]() -> FitsImage { std::rethrow_exception(error); };
    tasks.push_back(
        {.file = &file, .image = {file.path, 0, {}, 0, rethrow}, .name = file.path, .under_way = under_way});
  }
  return tasks;
}

}  // namespace srcextract
