#include "stages/clean/pixel_order.hpp"

#include <algorithm>
#include <numeric>

#include "stages/detect/adjacency.hpp"

namespace srcextract {

std::int32_t PixelOrder::root_of(std::int32_t member) {
  auto at = static_cast<std::size_t>(member);
  while (root_[at] != static_cast<std::int32_t>(at)) {
    root_[at] = root_[static_cast<std::size_t>(root_[at])];
    at = static_cast<std::size_t>(root_[at]);
  }
  return static_cast<std::int32_t>(at);
}

/// Merges the parts after the previous row that touch the same runs of this row, [begin_, end_).
void PixelOrder::join_touching(const std::vector<Run>& runs, std::int32_t reach) {
  const auto parts = static_cast<std::int32_t>(parts_.size());
  root_.resize(static_cast<std::size_t>(parts + end_ - begin_));
  std::iota(root_.begin(), root_.end(), 0);
  std::int32_t above = above_begin_;
  for (std::int32_t i = begin_; i < end_; ++i) {
    const Run& run = runs[static_cast<std::size_t>(i)];
    while (above < begin_ && runs[static_cast<std::size_t>(above)].end + reach <= run.begin) ++above;
    for (std::int32_t j = above; j < begin_ && touch(run, runs[static_cast<std::size_t>(j)], reach); ++j) {
      const std::int32_t a = root_of(parts + i - begin_), b = root_of(part_of_[static_cast<std::size_t>(j)]);
      root_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
}

/// Numbers the parts after this row in the order of their first runs on this row.
void PixelOrder::number_parts(const std::vector<Run>& runs) {
  const auto parts = static_cast<std::int32_t>(parts_.size());
  number_.assign(root_.size(), -1);
  joined_.clear();
  for (std::int32_t i = begin_; i < end_; ++i) {
    std::int32_t& number = number_[static_cast<std::size_t>(root_of(parts + i - begin_))];
    if (number < 0) {
      number = static_cast<std::int32_t>(joined_.size());
      joined_.push_back({runs[static_cast<std::size_t>(i)].begin, -1, -1});
    }
    part_of_[static_cast<std::size_t>(i)] = number;
  }
}

void PixelOrder::append_piece(const Piece& piece, Part& to) {
  const auto place = static_cast<std::int32_t>(pieces_.size());
  pieces_.push_back(piece);
  next_.push_back(-1);
  append_part({0, place, place}, to);
}

void PixelOrder::append_part(const Part& part, Part& to) {
  if (to.head < 0) {
    to.head = part.head;
  } else {
    next_[static_cast<std::size_t>(to.tail)] = part.head;
  }
  to.tail = part.tail;
}

/// Appends the old parts and the runs of this row, in order of their columns, to the new parts that contain them.
void PixelOrder::append_row(const std::vector<Run>& runs) {
  std::size_t next = 0;
  const auto take_part = [&] {
    const std::int32_t root = root_of(static_cast<std::int32_t>(next));
    append_part(parts_[next++], joined_[static_cast<std::size_t>(number_[static_cast<std::size_t>(root)])]);
  };
  for (std::int32_t i = begin_; i < end_; ++i) {
    const Run& run = runs[static_cast<std::size_t>(i)];
    Part& part = joined_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(i)])];
    std::int32_t x = run.begin;
    while (next < parts_.size() && parts_[next].first <= x) take_part();
    // An old part that begins above the interior of the run is inserted there and divides the run into two pieces.
    while (next < parts_.size() && parts_[next].first < run.end) {
      if (x < parts_[next].first) append_piece({i, x, parts_[next].first}, part);
      x = parts_[next].first;
      take_part();
    }
    append_piece({i, x, run.end}, part);
  }
  while (next < parts_.size()) take_part();
}

const std::vector<PixelOrder::Piece>& PixelOrder::sort(const std::vector<Run>& runs, std::int32_t reach) {
  const auto count = static_cast<std::int32_t>(runs.size());
  part_of_.resize(runs.size());
  parts_.clear();
  pieces_.clear();
  next_.clear();
  above_begin_ = begin_ = 0;
  for (end_ = 0; begin_ < count; above_begin_ = begin_, begin_ = end_) {
    const std::int32_t y = runs[static_cast<std::size_t>(begin_)].y;
    while (end_ < count && runs[static_cast<std::size_t>(end_)].y == y) ++end_;
    join_touching(runs, reach);
    number_parts(runs);
    append_row(runs);
    parts_.swap(joined_);
  }
  sorted_.clear();
  for (const Part& part : parts_)
    for (std::int32_t i = part.head; i >= 0; i = next_[static_cast<std::size_t>(i)])
      sorted_.push_back(pieces_[static_cast<std::size_t>(i)]);
  return sorted_;
}

}  // namespace srcextract
