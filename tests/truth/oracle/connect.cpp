#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/truth/oracle/detect.hpp"

namespace srcextract::oracle {
namespace {

/// Neighbours in a row, [first, last], as indices into the pixels of the row and as columns.
struct Run {
  std::size_t first_pixel, pixels;
  int first, last;
  std::size_t part;
};

/// What is connected by the rows so far, and where it begins and ends on the last of them.
struct Part {
  std::vector<Pixel> pixels;
  int first = 0, last = 0;
};

std::vector<Run> runs_of(const std::vector<Pixel>& pixels, std::size_t& next) {
  std::vector<Run> runs;
  for (const int y = pixels[next].y; next < pixels.size() && pixels[next].y == y; ++next) {
    const int x = pixels[next].x;
    if (!runs.empty() && runs.back().last + 1 == x) {
      ++runs.back().last;
      ++runs.back().pixels;
    } else {
      runs.push_back({next, 1, x, x, 0});
    }
  }
  return runs;
}

std::size_t root_of(std::vector<std::size_t>& roots, std::size_t one) {
  while (roots[one] != one) one = roots[one] = roots[roots[one]];
  return one;
}

/// One new part of those above, and of runs of this row that touch them: all in the order of columns. A part stands
/// where its first run on the row above begins, before a pixel of the same column.
Part join(std::vector<Part*> above, const std::vector<const Run*>& runs, const std::vector<Pixel>& pixels) {
  std::sort(above.begin(), above.end(), [](const Part* a, const Part* b) { return a->first < b->first; });
  Part joined;
  std::size_t next = 0;
  const auto take_parts = [&](int column) {
    for (; next < above.size() && above[next]->first <= column; ++next) {
      std::vector<Pixel>& list = above[next]->pixels;
      if (joined.pixels.empty()) {
        joined.pixels = std::move(list);
      } else {
        joined.pixels.insert(joined.pixels.end(), list.begin(), list.end());
      }
    }
  };
  for (const Run* run : runs) {
    for (std::size_t i = 0; i < run->pixels; ++i) {
      take_parts(run->first + static_cast<int>(i));
      joined.pixels.push_back(pixels[run->first_pixel + i]);
    }
  }
  if (!above.empty()) take_parts(above.back()->first);
  joined.first = runs.front()->first;
  joined.last = runs.back()->last;
  return joined;
}

class Rows {
 public:
  explicit Rows(const std::vector<Pixel>& pixels) : pixels_(pixels) {}

  void add(std::vector<Run> runs, int row) {
    if (row != row_ + 1) end_all();
    const std::size_t parts = parts_.size();
    std::vector<std::size_t> roots(parts + runs.size());
    std::iota(roots.begin(), roots.end(), std::size_t{0});
    std::vector<char> goes_on(parts);
    std::size_t from = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      while (from < runs_.size() && runs_[from].last + 1 < runs[i].first) ++from;
      for (std::size_t j = from; j < runs_.size() && runs_[j].first <= runs[i].last + 1; ++j) {
        goes_on[runs_[j].part] = 1;
        roots[root_of(roots, parts + i)] = root_of(roots, runs_[j].part);
      }
    }
    for (std::size_t i = 0; i < parts; ++i) {
      if (!goes_on[i]) end(parts_[i]);
    }
    sort_ended();
    std::vector<std::vector<Part*>> above(roots.size());
    std::vector<std::vector<const Run*>> members(roots.size());
    for (std::size_t i = 0; i < parts; ++i) {
      if (goes_on[i]) above[root_of(roots, i)].push_back(&parts_[i]);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) members[root_of(roots, parts + i)].push_back(&runs[i]);
    std::vector<Part> joined;
    std::vector<std::size_t> place(roots.size());
    for (std::size_t root = 0; root < roots.size(); ++root) {
      if (members[root].empty()) continue;
      place[root] = joined.size();
      joined.push_back(join(std::move(above[root]), members[root], pixels_));
    }
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].part = place[root_of(roots, parts + i)];
    parts_ = std::move(joined);
    runs_ = std::move(runs);
    row_ = row;
  }

  std::vector<Component> finish() {
    end_all();
    return std::move(ended_);
  }

 private:
  void end(Part& part) { ended_.push_back({std::move(part.pixels), row_, part.last}); }

  void end_all() {
    for (Part& part : parts_) end(part);
    sort_ended();
    parts_.clear();
    runs_.clear();
  }

  /// Those that end on the same row, in the order of their last columns.
  void sort_ended() {
    std::sort(ended_.begin() + static_cast<std::ptrdiff_t>(sorted_), ended_.end(),
              [](const Component& a, const Component& b) { return a.last_column < b.last_column; });
    sorted_ = ended_.size();
  }

  const std::vector<Pixel>& pixels_;
  std::vector<Part> parts_;
  std::vector<Run> runs_;
  int row_ = -2;
  std::vector<Component> ended_;
  std::size_t sorted_ = 0;
};

}  // namespace

std::vector<Component> connect(const std::vector<Pixel>& pixels) {
  Rows rows(pixels);
  for (std::size_t next = 0; next < pixels.size();) {
    const int row = pixels[next].y;
    rows.add(runs_of(pixels, next), row);
  }
  return rows.finish();
}

}  // namespace srcextract::oracle
