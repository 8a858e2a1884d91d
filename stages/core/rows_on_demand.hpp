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

/// Memory for the rows of images that do not fit as a whole. Images that share it forget the rows that were used
/// longest ago, once together they keep more than `bytes`. Rows in use are never forgotten, so that the limit can be
/// exceeded.
class RowMemory {
 public:
  explicit RowMemory(std::int64_t bytes) : limit_(bytes) {}
  std::int64_t bytes() const { return limit_; }
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;

 private:
  friend class RowsOnDemand;
  using Place = std::pair<RowsOnDemand*, std::int64_t>;  ///< a block of an image

  const std::int64_t limit_;
  std::int64_t kept_ = 0;  ///< bytes of all blocks that are there or in the making
  std::list<Place> idle_;  ///< blocks that nobody holds, the one used longest ago first
  std::mutex mutex_;
  std::condition_variable made_;
};

/// The rows of one image on the host. They have fixed addresses, as if the whole image were there. A block of rows is
/// made when rows of it are held for the first time, and made again if it was forgotten meanwhile. Access to rows that
/// nobody holds ends the program, so no result can come of them.
class RowsOnDemand {
 public:
  /// make(row 0, begin, end) writes the rows [begin, end) of the image whose row 0 is at that address. Several threads
  /// may call it at once, for different rows. It may hold rows of other images, but starts no threads.
  using Make = std::function<void(std::byte* image, std::int64_t begin, std::int64_t end)>;

  /// Blocks begin at multiples of this many rows, since the splines of a mesh are made for as many rows together.
  static constexpr std::int64_t least_rows = 8;

  /// Throws std::bad_alloc if the address space has no room.
  RowsOnDemand(std::int64_t height, std::int64_t bytes_of_row, std::shared_ptr<RowMemory> memory, Make make);
  ~RowsOnDemand();
  RowsOnDemand(const RowsOnDemand&) = delete;
  RowsOnDemand& operator=(const RowsOnDemand&) = delete;

  std::byte* image() const { return image_; }
  const std::shared_ptr<RowMemory>& memory() const { return memory_; }
  std::int64_t block_rows() const { return block_rows_; }

  /// From now on calls `change`, like Make, for all rows after they are made. Rows made before are forgotten, so nobody
  /// may hold one.
  void change(Make change);

  /// Makes the rows [begin, end) where they are not there, and keeps them until let_go() is called with the same rows.
  void hold(std::int64_t begin, std::int64_t end);
  void let_go(std::int64_t begin, std::int64_t end);

 private:
  enum class State : std::uint8_t { absent, in_the_making, there };
  struct Block {
    State state = State::absent;
    int holders = 0;
    std::list<RowMemory::Place>::iterator idle = {};
  };
  /// Pages that belong to one block alone.
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

/// An image of which only the rows in use are in memory. make(first, begin, end) writes the rows [begin, end), where
/// `first` is the address of row 0.
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

/// Whether only the rows in use are in memory.
template <class T>
bool is_on_demand(const Image<T, Cpu>& image) {
  return image.rows != nullptr;
}

/// A second image of the same rows. If they are in memory as a whole, the first must outlive the second.
template <class T>
Image<T, Cpu> same_rows(const Image<T, Cpu>& image) {
  Image<T, Cpu> same;
  same.shape = image.shape;
  same.rows = image.rows;
  same.pixels = Buffer<T, Cpu>::borrowed(const_cast<T*>(image.pixels.data()), image.pixels.size(), Cpu{});
  return same;
}

/// same_rows() as a shared pointer, for functions that make another image of these rows. Such functions may be copied.
template <class T>
std::shared_ptr<const Image<T, Cpu>> shared_rows(const Image<T, Cpu>& image) {
  return std::make_shared<const Image<T, Cpu>>(same_rows(image));
}

/// Number of rows of a whole image that a thread makes at a time.
inline constexpr std::int64_t rows_made_together = 16;

/// Makes an image by make(first, begin, end), as image_on_demand; without `memory` at once, and as a whole.
template <class T, class MakeRows>
Image<T, Cpu> image_of_rows(const Shape& shape, const std::shared_ptr<RowMemory>& memory, const Cpu& where,
                            MakeRows make) {
  if (memory) return image_on_demand<T>(shape, memory, std::move(make));
  Image<T, Cpu> image(shape, where);
  parallel_for(shape.height, rows_made_together, where,
               [&](std::int64_t begin, std::int64_t end) { make(image.pixels.data(), begin, end); });
  return image;
}

/// The memory in which an image's rows are made, for images made from it; null for a whole image.
template <class T>
std::shared_ptr<RowMemory> row_memory_of(const Image<T, Cpu>& image) {
  return image.rows ? image.rows->memory() : nullptr;
}

/// Changes an image in place by change(first, begin, end), which changes the rows [begin, end): a whole image at once,
/// rows on demand whenever they are made. Whatever `change` reads beside whole images must exist as long as the image.
template <class T, class ChangeRows>
void change_rows(Image<T, Cpu>& image, const Cpu& where, ChangeRows change) {
  if (is_on_demand(image))
    return image.rows->change([change = std::move(change)](std::byte* first, std::int64_t begin, std::int64_t end) {
      change(reinterpret_cast<T*>(first), begin, end);
    });
  parallel_for(image.shape.height, rows_made_together, where,
               [&](std::int64_t begin, std::int64_t end) { change(image.pixels.data(), begin, end); });
}

/// Rows of an image that a stage reads. Rows of an image that is in memory as a whole cost nothing.
class HeldRows {
 public:
  HeldRows() = default;

  /// Holds the rows [begin, end), as far as the image has them.
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

/// As change_rows(), but other images of the same rows on demand (same_rows) stay as they are: the image gets rows of
/// its own, which are made of these.
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

/// Holds the rows in which the pixels [begin, end) lie.
template <class T>
HeldRows rows_of_pixels(const Image<T, Cpu>& image, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = std::max<std::int64_t>(1, image.shape.width);
  return {image, begin / width, (end + width - 1) / width};
}

/// Adds up counts of rows, once for each row, although rows may be made several times.
class CountedOnce {
 public:
  explicit CountedOnce(std::int64_t height) : left_(height), counted_(static_cast<std::size_t>(height)) {}

  /// Calls add() unless it was called for these rows before; never again once all rows are counted.
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
