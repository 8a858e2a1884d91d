#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

/// A limit on the memory for rows of images that exceed the memory as a whole. When the images that share a RowMemory
/// keep more than `bytes` bytes, the rows used longest ago are discarded. Rows in use are never discarded, so their
/// total may exceed the limit.
class RowMemory {
 public:
  explicit RowMemory(std::int64_t bytes) : limit_(bytes) {}
  std::int64_t bytes() const { return limit_; }
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;

 private:
  friend class RowsOnDemand;
  using Place = std::pair<RowsOnDemand*, std::int64_t>;  ///< an image and the index of a block (a group of rows) in it

  const std::int64_t limit_;
  std::int64_t kept_ = 0;  ///< bytes of all blocks that are in memory or being computed
  std::list<Place> idle_;  ///< blocks in memory that no caller holds, the block used longest ago first
  std::mutex mutex_;
  std::condition_variable made_;
};

/// The rows of one host image, computed when they are needed. Row addresses are fixed, as if the whole image were in
/// memory. A block of rows is computed when a caller first holds a row of it, and again if it was discarded since then.
/// The pages of a block that is not in memory are protected, except pages shared with a neighbouring block. A read of a
/// row that no caller holds thus mostly crashes the process instead of using wrong pixels.
class RowsOnDemand {
 public:
  /// make(image, begin, end) writes the rows [begin, end); `image` is the address of row 0. Several threads may call
  /// the function at once, for different rows. The function may hold rows of other images, but must not start threads.
  using Make = std::function<void(std::byte* image, std::int64_t begin, std::int64_t end)>;

  /// Blocks begin at multiples of this number of rows, because the sky mesh evaluates its splines for as many rows at
  /// once (MeshRow::rows_at_once).
  static constexpr std::int64_t least_rows = 8;

  /// Throws std::bad_alloc if the address space cannot hold the image.
  RowsOnDemand(std::int64_t height, std::int64_t bytes_of_row, std::shared_ptr<RowMemory> memory, Make make);
  ~RowsOnDemand();
  RowsOnDemand(const RowsOnDemand&) = delete;
  RowsOnDemand& operator=(const RowsOnDemand&) = delete;

  std::byte* image() const { return image_; }
  const std::shared_ptr<RowMemory>& memory() const { return memory_; }
  std::int64_t block_rows() const { return block_rows_; }

  /// Adds a function that changes rows after Make has written them. Rows already in memory are discarded, so no caller
  /// may hold a row now.
  void change(Make change);

  /// Computes those of the rows [begin, end) that are not in memory, and keeps all of them until let_go() is called
  /// with the same range.
  void hold(std::int64_t begin, std::int64_t end);
  void let_go(std::int64_t begin, std::int64_t end);

 private:
  enum class State : std::uint8_t { absent, in_the_making, there };
  struct Block {
    State state = State::absent;
    int holders = 0;
    std::list<RowMemory::Place>::iterator idle = {};
  };
  struct Pages {
    std::byte* begin;
    std::size_t bytes;
  };

  void hold_block(std::int64_t block);
  void let_go_block(std::int64_t block);
  void make_block(std::int64_t block, std::unique_lock<std::mutex>& lock);
  void make_rows(std::int64_t begin, std::int64_t end) const;
  void unlock_pages(std::int64_t block) const;
  void forget(std::int64_t block) noexcept;
  std::int64_t bytes_of(std::int64_t block) const;
  Pages pages_of(std::int64_t block) const;
  Pages core_of(std::int64_t block) const;
  void make_room(const Pages& of_new);
  static bool move_pages(const Pages& from, const Pages& to) noexcept;

  const std::int64_t height_, bytes_of_row_, block_rows_;
  const std::shared_ptr<RowMemory> memory_;
  const Make make_;
  std::vector<Make> changes_;
  std::size_t mapped_;
  std::byte* image_;
  std::vector<Block> blocks_;
};

/// An image of which only the rows in use are in memory. make(image, begin, end) writes the rows [begin, end); `image`
/// is the address of row 0.
template <class T, class MakeRows>
Image<T, Cpu> image_on_demand(const Shape& shape, const std::shared_ptr<RowMemory>& memory, MakeRows make) {
  Image<T, Cpu> image;
  image.shape = shape;
  image.rows =
      std::make_shared<RowsOnDemand>(shape.height, shape.width * static_cast<std::int64_t>(sizeof(T)), memory,
                                     [make = std::move(make)](std::byte* first, std::int64_t begin, std::int64_t end) {
                                       make(reinterpret_cast<T*>(first), begin, end);
                                     });
  image.pixels = Buffer<T, Cpu>::borrowed(reinterpret_cast<T*>(image.rows->image()), shape.count(), Cpu{});
  return image;
}

template <class T>
bool is_on_demand(const Image<T, Cpu>& image) {
  return image.rows != nullptr;
}

/// Returns a second image that shares the rows of `image`. If `image` is not on demand, `image` must outlive the second
/// image.
template <class T>
Image<T, Cpu> same_rows(const Image<T, Cpu>& image) {
  Image<T, Cpu> same;
  same.shape = image.shape;
  same.rows = image.rows;
  same.pixels = Buffer<T, Cpu>::borrowed(const_cast<T*>(image.pixels.data()), image.pixels.size(), Cpu{});
  return same;
}

/// The result of same_rows() as a shared pointer. A copyable function that computes another image from these rows can
/// capture the pointer.
template <class T>
std::shared_ptr<const Image<T, Cpu>> shared_rows(const Image<T, Cpu>& image) {
  return std::make_shared<const Image<T, Cpu>>(same_rows(image));
}

/// Number of rows that a thread computes at a time if the image is in memory as a whole.
inline constexpr std::int64_t rows_made_together = 16;

/// Makes an image with make(image, begin, end), as image_on_demand() does. If `memory` is null, computes all rows at
/// once instead.
template <class T, class MakeRows>
Image<T, Cpu> image_of_rows(const Shape& shape, const std::shared_ptr<RowMemory>& memory, const Cpu& where,
                            MakeRows make) {
  if (memory) return image_on_demand<T>(shape, memory, std::move(make));
  Image<T, Cpu> image(shape, where);
  parallel_for(shape.height, rows_made_together, where,
               [&](std::int64_t begin, std::int64_t end) { make(image.pixels.data(), begin, end); });
  return image;
}

/// The memory limit that the image is subject to, so that an image computed from it can share the limit. Null if the
/// image is in memory as a whole.
template <class T>
std::shared_ptr<RowMemory> row_memory_of(const Image<T, Cpu>& image) {
  return image.rows ? image.rows->memory() : nullptr;
}

/// Changes an image in place by change(image, begin, end), which changes the rows [begin, end). Changes an image in
/// memory at once, and the rows of an image on demand whenever they are computed. Data that `change` refers to must
/// exist as long as an image on demand.
template <class T, class ChangeRows>
void change_rows(Image<T, Cpu>& image, const Cpu& where, ChangeRows change) {
  if (is_on_demand(image))
    return image.rows->change([change = std::move(change)](std::byte* first, std::int64_t begin, std::int64_t end) {
      change(reinterpret_cast<T*>(first), begin, end);
    });
  parallel_for(image.shape.height, rows_made_together, where,
               [&](std::int64_t begin, std::int64_t end) { change(image.pixels.data(), begin, end); });
}

/// Keeps rows of an image in memory as long as the object exists. Does nothing if the image is in memory as a whole.
class HeldRows {
 public:
  HeldRows() = default;

  /// Holds those of the rows [begin, end) that exist in the image.
  template <class T>
  HeldRows(const Image<T, Cpu>& image, std::int64_t begin, std::int64_t end)
      : HeldRows(image.rows.get(), std::max<std::int64_t>(begin, 0), std::min(end, image.shape.height)) {}
  template <class T>
  explicit HeldRows(const Image<T, Cpu>& image) : HeldRows(image, 0, image.shape.height) {}

  HeldRows(RowsOnDemand* rows, std::int64_t begin, std::int64_t end);
  HeldRows(HeldRows&& other) noexcept
      : rows_(std::exchange(other.rows_, nullptr)), begin_(other.begin_), end_(other.end_) {}
  HeldRows& operator=(HeldRows&& other) noexcept {
    std::swap(rows_, other.rows_), std::swap(begin_, other.begin_), std::swap(end_, other.end_);
    return *this;
  }
  ~HeldRows() {
    if (rows_ != nullptr) rows_->let_go(begin_, end_);
  }

 private:
  RowsOnDemand* rows_ = nullptr;
  std::int64_t begin_ = 0, end_ = 0;
};

/// Changes an image as change_rows() does, but leaves other images that share the rows (same_rows) unchanged. An image
/// on demand gets its own rows, computed from the shared rows.
template <class T, class ChangeRows>
void change_own_rows(Image<T, Cpu>& image, const Cpu& where, ChangeRows change) {
  if (!is_on_demand(image)) return change_rows(image, where, std::move(change));
  image = image_on_demand<T>(
      image.shape, row_memory_of(image),
      [from = shared_rows(image), change = std::move(change)](T* first, std::int64_t begin, std::int64_t end) {
        const HeldRows held(*from, begin, end);
        const std::int64_t width = from->shape.width;
        const T* const pixels = from->pixels.data();
        std::copy(pixels + begin * width, pixels + end * width, first + begin * width);
        change(first, begin, end);
      });
}

/// Holds the rows that contain the pixels [begin, end), where pixels are numbered in memory order.
template <class T>
HeldRows rows_of_pixels(const Image<T, Cpu>& image, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = std::max<std::int64_t>(1, image.shape.width);
  return {image, begin / width, (end + width - 1) / width};
}

/// Counts something for each row once, although a row on demand may be computed several times.
class CountedOnce {
 public:
  explicit CountedOnce(std::int64_t height) : left_(height), counted_(static_cast<std::size_t>(height)) {}

  /// Calls add() if the rows [begin, end) are not counted yet, and marks them as counted. `add` must count these rows
  /// only.
  template <class Add>
  void add(std::int64_t begin, std::int64_t end, const Add& add) {
    const std::lock_guard lock(mutex_);
    if (left_ == 0 || counted_[static_cast<std::size_t>(begin)]) return;
    std::fill(counted_.begin() + begin, counted_.begin() + end, true);
    left_ -= end - begin;
    add();
  }

 private:
  std::mutex mutex_;
  std::int64_t left_;  ///< number of rows that are not counted yet
  std::vector<bool> counted_;
};

}  // namespace srcextract
