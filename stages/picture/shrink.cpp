#include <algorithm>
#include <limits>
#include <vector>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

namespace {

/// Number of image pixels that a thread processes at a time, approximately; the unit is a row of squares.
constexpr std::int64_t pixels_of_squares = std::int64_t{1} << 18;

/// If squares have at most few_rows rows, they are averaged in strips of about strip_columns columns. Each strip is
/// prefetched while the previous strip is summed.
constexpr std::int64_t strip_columns = 256;
constexpr std::int64_t few_rows = 8;

/// Adds the first `rows` rows of a strip to the sums of its columns, and counts unmasked pixels per column.
template <int rows>
inline void add_rows(const float* pixels, std::int64_t width, std::int64_t columns, double* __restrict sum,
                     std::int32_t* __restrict unmasked) {
  for (std::int64_t x = 0; x < columns; ++x) {
    double total = sum[x];
    std::int32_t count = unmasked[x];
    for (int y = 0; y < rows; ++y) {
      const float pixel = pixels[y * width + x];
      total += static_cast<double>(pixel == pixel ? pixel : 0);
      count += pixel == pixel ? 1 : 0;
    }
    sum[x] = total;
    unmasked[x] = count;
  }
}

/// Adds `rows` rows of a strip to the sums of its columns, and counts unmasked pixels per column. `width` is the width
/// of the image.
SRCEXTRACT_VECTOR_CLONES
void sum_columns(const float* pixels, std::int64_t width, std::int64_t columns, std::int64_t rows, double* sum,
                 std::int32_t* unmasked) {
  for (; rows >= 4; rows -= 4, pixels += 4 * width) add_rows<4>(pixels, width, columns, sum, unmasked);
  if (rows == 3) add_rows<3>(pixels, width, columns, sum, unmasked);
  if (rows == 2) add_rows<2>(pixels, width, columns, sum, unmasked);
  if (rows == 1) add_rows<1>(pixels, width, columns, sum, unmasked);
}

void prefetch(const float* pixels, std::int64_t width, std::int64_t columns, std::int64_t rows) {
  constexpr std::int64_t line = 64 / sizeof(float);
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < columns; x += line) __builtin_prefetch(pixels + y * width + x);
}

/// Sets sums[i] to the sum of the `factor` values from index i * factor on, added from left to right.
template <class T, class Sum>
inline void add_neighbours(const T* __restrict values, std::int64_t factor, std::int64_t count, Sum* __restrict sums) {
  for (std::int64_t i = 0; i < count; ++i) {
    Sum sum = 0;
    for (std::int64_t x = 0; x < factor; ++x) sum += values[i * factor + x];
    sums[i] = sum;
  }
}

/// Computes the means of `count` adjacent squares of `factor` columns each, from the sums and counts of the columns.
/// `sums` and `counts` are working memory for `count` elements each.
SRCEXTRACT_VECTOR_CLONES
void average_squares(const double* __restrict sum, const std::int32_t* __restrict unmasked, std::int64_t factor,
                     std::int64_t count, double* __restrict sums, std::int64_t* __restrict counts,
                     float* __restrict means) {
  const auto add = [&](std::int64_t neighbours) {
    add_neighbours(sum, neighbours, count, sums);
    add_neighbours(unmasked, neighbours, count, counts);
  };
  switch (factor) {  // compilers vectorise the loops only for constant factors
    case 2:
      add(2);
      break;
    case 3:
      add(3);
      break;
    case 4:
      add(4);
      break;
    default:
      add(factor);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double mean = sums[i] / static_cast<double>(counts[i]);
    means[i] = counts[i] > 0 ? static_cast<float>(mean) : masked_pixel;
  }
}

class SquareRow {
 public:
  SquareRow(std::int64_t factor, std::int64_t squares)
      : factor_(factor),
        strip_(factor > few_rows ? squares : std::min(squares, strip_columns / factor)),
        squares_(squares),
        sum_(to_size(factor * strip_)),
        unmasked_(to_size(factor * strip_)),
        sums_(to_size(strip_)),
        counts_(to_size(strip_)) {}

  /// Sets `means` to the means of the squares in a row of squares. This row is `rows` pixels high.
  void average(const float* pixels, std::int64_t width, std::int64_t rows, float* means) {
    for (std::int64_t first = 0; first < squares_; first += strip_) {
      const std::int64_t begin = first * factor_;
      const std::int64_t end = std::min(begin + strip_ * factor_, width);
      prefetch(pixels + end, width, std::min(strip_ * factor_, width - end), rows);
      std::ranges::fill(sum_, 0);  // columns outside the image keep the sum 0
      std::ranges::fill(unmasked_, 0);
      sum_columns(pixels + begin, width, end - begin, rows, sum_.data(), unmasked_.data());
      average_squares(sum_.data(), unmasked_.data(), factor_, std::min(strip_, squares_ - first), sums_.data(),
                      counts_.data(), means + first);
    }
  }

 private:
  static std::size_t to_size(std::int64_t size) { return static_cast<std::size_t>(size); }

  std::int64_t factor_;
  std::int64_t strip_;  ///< number of squares in a strip
  std::int64_t squares_;
  std::vector<double> sum_;  ///< sum of each column of a strip
  std::vector<std::int32_t> unmasked_;
  std::vector<double> sums_;  ///< sum of each square of a strip
  std::vector<std::int64_t> counts_;
};

}  // namespace

Shape shrunk_shape(const Shape& shape, std::int64_t factor) {
  return {(shape.width + factor - 1) / factor, (shape.height + factor - 1) / factor};
}

std::int64_t shrink_factor(const Shape& shape, std::int64_t size) {
  return std::max<std::int64_t>(1, (std::max(shape.width, shape.height) + size - 1) / size);
}

Image<float, Cpu> shrink(const Image<float, Cpu>& image, std::int64_t factor, const Cpu& where) {
  Image<float, Cpu> result(shrunk_shape(image.shape, factor), where);
  if (factor == 1) {
    std::copy(image.pixels.begin(), image.pixels.end(), result.pixels.begin());
    return result;
  }
  const std::int64_t squares = result.shape.width;
  const std::int64_t grain =
      std::max<std::int64_t>(1, pixels_of_squares / std::max<std::int64_t>(1, image.shape.width * factor));
  parallel_for(result.shape.height, grain, where, [&](std::int64_t first, std::int64_t last) {
    SquareRow row(factor, squares);
    for (std::int64_t y = first; y < last; ++y) {
      const std::int64_t begin = y * factor, end = std::min(begin + factor, image.shape.height);
      const HeldRows held(image, begin, end);
      row.average(image.pixels.data() + begin * image.shape.width, image.shape.width, end - begin,
                  result.pixels.data() + y * squares);
    }
  });
  return result;
}

}  // namespace srcextract
