#include "pipeline/exposure/padding_regions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t least_pixels = 8;
constexpr double most_of_image = 0.5;
constexpr std::int64_t wide_data = 256, narrow_data = 16, share_of_width = 8;
/// Pixels in a row that are a block, blocks of one value far from all others that are no chance, and the largest share
/// of a value of padding in the blocks inside.
constexpr std::int64_t least_block = 3, few_blocks = 4;
constexpr double most_block_share = 1.0 / 16;
/// The largest share of pixels behind a sharp edge that have the value of padding, besides what chance makes.
constexpr double most_again = 1.0 / 6;
/// From this share on, pixels beside the padding must differ as those beside a bright value do.
constexpr double many_again = 1.0 / 12;
/// Smallest ratio of the distances from the value of padding: of pixels beside it, and of all others.
constexpr double least_contrast = 0.25, least_contrast_if_bright = 0.5;

}  // namespace

std::int64_t least_region(double repeat, const Shape& shape) {
  constexpr double chance = 1e-6, neighbours = 4;
  if (repeat <= 0) return least_pixels;
  const std::int64_t most = std::max(least_pixels, std::min(shape.width, shape.height) / 2);
  const double one_more = neighbours * repeat;
  if (one_more >= 1) return most;
  const auto edge = static_cast<double>(2 * (shape.width + shape.height));
  const double needed = portable_log(edge / chance) / -portable_log(one_more);
  return std::clamp(static_cast<std::int64_t>(std::min(std::ceil(needed), static_cast<double>(most))), least_pixels,
                    most);
}

PaddingRegions::PaddingRegions(const Shape& shape, std::vector<float> values, std::vector<float> sample, double repeat)
    : shape_(shape),
      values_(std::move(values)),
      sample_(std::move(sample)),
      repeat_(repeat),
      pixels_(values_.size() + 1),
      starts_(values_.size() + 1),
      pieces_of_(values_.size() + 1),
      banned_(values_.size() + 1),
      in_runs_of_(values_.size() + 1),
      above_{std::vector<float>(static_cast<std::size_t>(shape.width)),
             std::vector<float>(static_cast<std::size_t>(shape.width))} {
  std::ranges::sort(sample_);
  const auto quantile = [&](int percent) { return sample_[sample_.size() * percent / 100]; };
  bright_ = quantile(99);
  above_sky_ = std::min(bright_, quantile(50) + 10 * (quantile(50) - quantile(25)));
}

int PaddingRegions::kind_of(float value) const {
  for (int kind = 0; kind < masked(); ++kind)
    if (value == values_[static_cast<std::size_t>(kind)]) return kind;
  return std::isnan(value) ? masked() : data;
}

std::int32_t PaddingRegions::root_of(std::int32_t piece) const {
  while (pieces_[static_cast<std::size_t>(piece)].parent != piece) {
    Piece& own = pieces_[static_cast<std::size_t>(piece)];
    own.parent = pieces_[static_cast<std::size_t>(own.parent)].parent;
    piece = own.parent;
  }
  return piece;
}

void PaddingRegions::add_row(const float* row) {
  const std::size_t first = pieces_.size();
  const std::int64_t width = shape_.width;
  int before = data;
  for (std::int64_t x = 0; x < width;) {
    const int kind = kind_of(row[x]);
    std::int64_t end = x + 1;
    while (end < width && (kind == masked() ? std::isnan(row[end]) : row[end] == row[x])) ++end;
    if (!std::isnan(row[x])) add_run(row[x], x, end, kind);
    if (kind == data) {
      data_pixels_ += end - x;
      before = data;
      x = end;
      continue;
    }
    pixels_[static_cast<std::size_t>(kind)] += end - x;
    starts_[static_cast<std::size_t>(kind)] += x > 0 && before == data;
    const int after = end < width ? kind_of(row[end]) : data;
    add_piece(row, x, end, kind, before != data || after != data);
    before = kind;
    x = end;
  }
  above_begin_ = first;
  above_end_ = pieces_.size();
  above_[0].swap(above_[1]);
  std::copy_n(row, width, above_[0].begin());
  ++y_;
}

/// Counts a run for blocks_beside(). Runs of the value of the last long one are a flat sky, not blocks.
void PaddingRegions::add_run(float value, std::int64_t begin, std::int64_t end, int kind) {
  const bool inside = begin > 0 && end < shape_.width;
  const auto k = static_cast<std::size_t>(kind == data ? masked() : kind);
  if (begin == 0 && end == shape_.width && kind == data) whole_rows_ += value != std::exchange(last_row_, value);
  if (!inside || (end - begin >= least_block && value == std::exchange(last_long_, value))) return;
  in_runs_of_[k][std::min(static_cast<std::size_t>(end - begin), longest_run)] += end - begin;
}

/// Keeps a run, unless it is a single pixel of noise, or its value is too common.
void PaddingRegions::add_piece(const float* row, std::int64_t begin, std::int64_t end, int kind, bool beside_other) {
  constexpr std::int64_t few = 1000, usual_in_row = 8, width_of_one = 256;
  const auto k = static_cast<std::size_t>(kind);
  if (banned_[k]) return;
  if (end - begin < 2 && begin > 0 && end < shape_.width && !beside_other) return;
  if (++pieces_of_[k] > few + (y_ + 1) * (usual_in_row + shape_.width / width_of_one)) {
    banned_[k] = true;
    return;
  }
  const auto piece = static_cast<std::int32_t>(pieces_.size());
  const bool follows_data = begin > 0 && kind_of(row[begin - 1]) == data;
  pieces_.push_back(
      {{y_, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)}, piece, kind, follows_data});
  if (kind != masked()) {
    const auto is_data = [&](float value) { return kind_of(value) == data; };
    const auto look_behind = [&](float beside, float behind) {
      if (!is_data(beside)) return;
      ++pieces_.back().behind;
      pieces_.back().again += behind == row[begin];
    };
    if (begin > 1) look_behind(row[begin - 1], row[begin - 2]);
    if (end + 1 < shape_.width) look_behind(row[end], row[end + 1]);
    if (follows_data) beside_.push_back({piece, row[begin > 1 && is_data(row[begin - 2]) ? begin - 2 : begin - 1]});
    if (end < shape_.width && is_data(row[end]))
      beside_.push_back({piece, row[end + 1 < shape_.width && is_data(row[end + 1]) ? end + 1 : end]});
    for (const std::int64_t x : {begin, (begin + end) / 2, end - 1}) {
      const float next = above_[0][static_cast<std::size_t>(x)], second = above_[1][static_cast<std::size_t>(x)];
      if (y_ > 1) look_behind(next, second);
      if (y_ > 0 && is_data(next)) beside_.push_back({piece, y_ > 1 && is_data(second) ? second : next});
    }
  }
  if (piece > 0) {
    const Run& left = pieces_[static_cast<std::size_t>(piece) - 1].run;
    if (left.y == y_ && left.end == begin) touching_.push_back({piece - 1, piece});
  }
  join_above(piece);
}

/// Joins a piece with those of its kind in the row before, also along a diagonal.
void PaddingRegions::join_above(std::int32_t piece) {
  const auto index = static_cast<std::size_t>(piece);
  const Run run = pieces_[index].run;
  const auto ends_before = [&](const Piece& one) { return one.run.end < run.begin; };
  const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(above_begin_),
             last = pieces_.begin() + static_cast<std::ptrdiff_t>(above_end_);
  for (auto above = std::partition_point(first, last, ends_before); above != last && above->run.begin <= run.end;
       ++above) {
    const auto other = static_cast<std::int32_t>(above - pieces_.begin());
    if (above->kind == pieces_[index].kind) {
      const std::int32_t a = root_of(piece), b = root_of(other);
      pieces_[static_cast<std::size_t>(std::max(a, b))].parent = std::min(a, b);
    } else if (above->run.begin < run.end && run.begin < above->run.end) {
      touching_.push_back({other, piece});
    }
  }
}

/// The regions, each at the index of its first piece.
std::vector<PaddingRegions::Region> PaddingRegions::regions() const {
  std::vector<Region> all(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Run& run = pieces_[i].run;
    Region& region = all[static_cast<std::size_t>(root_of(static_cast<std::int32_t>(i)))];
    const std::int32_t length = run.end - run.begin;
    const bool left = run.begin == 0, right = run.end == shape_.width, first = run.y == 0,
               last = run.y == shape_.height - 1;
    region.pixels += length;
    region.longest = std::max(region.longest, length);
    region.along[0] += left;
    region.along[1] += right;
    region.along[2] += first ? length : 0;
    region.along[3] += last ? length : 0;
    region.corner = region.corner || ((first || last) && (left || right));
  }
  return all;
}

double PaddingRegions::rate_of(int kind) const {
  return static_cast<double>(starts_[static_cast<std::size_t>(kind)]) /
         static_cast<double>(std::max<std::int64_t>(1, data_pixels_));
}

/// The blocks of equal pixels inside, besides those of this value.
PaddingRegions::Blocks PaddingRegions::blocks_beside(int kind) const {
  std::array<std::int64_t, longest_run + 1> in_runs = {};
  std::int64_t own = 0;
  std::vector<std::pair<float, double>> levels;
  for (const float pixel : sample_)
    levels.emplace_back(pixel, static_cast<double>(data_pixels_) / static_cast<double>(sample_.size()));
  for (std::size_t k = 0; k < in_runs_of_.size(); ++k) {
    const std::int64_t pixels = std::accumulate(in_runs_of_[k].begin(), in_runs_of_[k].end(), std::int64_t{0});
    if (k == static_cast<std::size_t>(kind)) {
      own = pixels;
      continue;
    }
    std::ranges::transform(in_runs, in_runs_of_[k], in_runs.begin(), std::plus());
    if (k < values_.size()) levels.emplace_back(values_[k], static_cast<double>(pixels));
  }
  const std::int64_t others = std::accumulate(in_runs.begin(), in_runs.end(), std::int64_t{0});
  Blocks blocks{.side = static_cast<std::int64_t>(longest_run)};
  for (std::int64_t longer = in_runs.back(); blocks.side > 1 && longer * 100 <= others;)
    longer += in_runs[static_cast<std::size_t>(--blocks.side)];
  blocks.share = static_cast<double>(own) / static_cast<double>(std::max<std::int64_t>(1, own + others));
  std::ranges::sort(levels);
  double all = 0, below = 0;
  for (const auto& level : levels) all += level.second;
  float low = levels.front().first, high = low;
  for (const auto& level : levels) {
    if (below <= all / 4) low = level.first;
    if (below <= all * 3 / 4) high = level.first;
    below += level.second;
  }
  blocks.low = low - (high - low);
  blocks.high = high + (high - low);
  return blocks;
}

/// Whether a region is no larger than chance makes it from blocks of equal pixels.
bool PaddingRegions::is_of_blocks(const Region& region, int kind) const {
  const Blocks& blocks = blocks_[static_cast<std::size_t>(kind)];
  if (blocks.side < least_block) return false;
  const std::int64_t pixels = blocks.side * blocks.side;
  const float value = values_[static_cast<std::size_t>(kind)];
  if (value < blocks.low || value > blocks.high) return region.pixels < few_blocks * pixels && !has_whole_side(region);
  if (blocks.share > most_block_share) return true;
  if (has_whole_side(region) && whole_rows_ * 100 <= shape_.height) return false;
  return region.pixels < pixels * least_region(blocks.share, {shape_.width / blocks.side, shape_.height / blocks.side});
}

bool PaddingRegions::has_whole_side(const Region& region) const {
  return std::max(region.along[0], region.along[1]) == shape_.height ||
         std::max(region.along[2], region.along[3]) == shape_.width;
}

bool PaddingRegions::may_be_padding(const Region& region, int kind) const {
  if (kind == masked()) return true;
  const float value = values_[static_cast<std::size_t>(kind)];
  const double rate = rate_of(kind);
  if (rate > most_padding_rate || region.pixels < least_region(std::max(rate, repeat_), shape_)) return false;
  if (is_of_blocks(region, kind)) return false;
  return value <= bright_ || has_whole_side(region) || (region.corner && value < saturation_);
}

/// Takes regions that touch the edge, and from there regions that touch them.
void PaddingRegions::take_regions(std::vector<Region>& all) const {
  const auto region_of = [&](std::int32_t piece) -> Region& { return all[static_cast<std::size_t>(root_of(piece))]; };
  const auto take = [&](std::int32_t piece) {
    const int kind = pieces_[static_cast<std::size_t>(piece)].kind;
    Region& region = region_of(piece);
    if (region.looked_at || banned_[static_cast<std::size_t>(kind)]) return false;
    region.looked_at = true;
    region.taken = may_be_padding(region, kind);
    return region.taken;
  };
  for (std::int32_t i = 0; i < std::ssize(pieces_); ++i) {
    const Piece& piece = pieces_[static_cast<std::size_t>(i)];
    if (piece.parent != i) continue;
    const Region& region = region_of(i);
    const bool inside = inside_ && piece.kind != masked() &&
                        values_[static_cast<std::size_t>(piece.kind)] == *inside_ && region.longest >= least_pixels &&
                        region.pixels >= 2 * least_pixels;
    if (region.touches_edge() || inside) take(i);
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& [one, other] : touching_) {
      if (region_of(one).taken) more |= take(other);
      if (region_of(other).taken) more |= take(one);
    }
  }
}

/// The pixels beside the regions of this kind that are taken.
std::vector<float> PaddingRegions::pixels_beside(int kind, const std::vector<Region>& all) const {
  std::vector<float> near;
  for (const Beside& one : beside_)
    if (pieces_[static_cast<std::size_t>(one.piece)].kind == kind &&
        all[static_cast<std::size_t>(root_of(one.piece))].taken)
      near.push_back(one.value);
  return near;
}

/// How far pixels beside the padding are from its value, compared with all others; infinite if there are none.
double PaddingRegions::contrast_of(int kind, std::vector<float> near) const {
  const float value = values_[static_cast<std::size_t>(kind)];
  if (near.empty()) return std::numeric_limits<double>::infinity();
  for (float& pixel : near) pixel = std::abs(pixel - value);
  std::vector<float> others;
  for (const float pixel : sample_) others.push_back(std::abs(pixel - value));
  return static_cast<double>(upper_median(near)) / static_cast<double>(upper_median(others));
}

/// Whether pixels beside the regions of a bright value are bright, too.
bool PaddingRegions::is_star(int kind, std::vector<float> near) const {
  return values_[static_cast<std::size_t>(kind)] > bright_ && !near.empty() && upper_median(near) > above_sky_;
}

/// Gives up one value whose taken regions are no padding. Returns false if there is none.
bool PaddingRegions::ban_one(const std::vector<Region>& all) {
  std::vector<std::int64_t> pixels(values_.size() + 1), behind(pixels.size()), again(pixels.size());
  std::int64_t starts = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (!all[static_cast<std::size_t>(root_of(static_cast<std::int32_t>(i)))].taken) continue;
    pixels[static_cast<std::size_t>(piece.kind)] += piece.run.end - piece.run.begin;
    behind[static_cast<std::size_t>(piece.kind)] += piece.behind;
    again[static_cast<std::size_t>(piece.kind)] += piece.again;
    starts += piece.kind != masked() && piece.follows_data;
  }
  const auto ban = [&](std::size_t kind) { return banned_[kind] = true; };
  for (int kind = 0; kind < masked(); ++kind) {
    const auto k = static_cast<std::size_t>(kind);
    if (pixels[k] == 0) continue;
    const double by_chance = rate_of(kind) * static_cast<double>(behind[k]) + 1;
    const double share =
        (static_cast<double>(again[k]) - by_chance) / static_cast<double>(std::max<std::int64_t>(1, behind[k]));
    const double least = values_[k] > bright_ || share > many_again ? least_contrast_if_bright : least_contrast;
    const std::vector<float> near = pixels_beside(kind, all);
    if (share > most_again || is_star(kind, near) || contrast_of(kind, near) < least) return ban(k);
  }
  const std::int64_t valid = shape_.count() - pixels_.back();
  const std::int64_t padding = std::accumulate(pixels.begin(), pixels.end() - 1, std::int64_t{0});
  if (static_cast<double>(padding) <= most_of_image * static_cast<double>(valid)) return false;
  const std::int64_t wide = std::min(wide_data, std::max(narrow_data, shape_.width / share_of_width));
  if (valid - padding > 0 && valid - padding >= starts * wide) return false;
  return ban(static_cast<std::size_t>(std::max_element(pixels.begin(), pixels.end() - 1) - pixels.begin()));
}

std::vector<Run> PaddingRegions::decide() {
  blocks_.clear();
  for (int kind = 0; kind < masked(); ++kind) blocks_.push_back(blocks_beside(kind));
  std::vector<Region> all;
  do {
    all = regions();
    take_regions(all);
  } while (ban_one(all));
  std::vector<Run> runs;
  std::vector<std::int64_t> pixels(values_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.kind == masked() || !all[static_cast<std::size_t>(root_of(static_cast<std::int32_t>(i)))].taken) continue;
    runs.push_back(piece.run);
    pixels[static_cast<std::size_t>(piece.kind)] += piece.run.end - piece.run.begin;
  }
  found_.clear();
  for (std::size_t kind = 0; kind < values_.size(); ++kind)
    if (pixels[kind] > 0) found_.push_back({values_[kind], pixels[kind]});
  std::ranges::stable_sort(found_, std::ranges::greater(), &PaddingValue::pixels);
  return runs;
}

}  // namespace srcextract
