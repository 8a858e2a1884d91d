#include "stages/convolve/convolve.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "stages/convolve/convolve_pixel.hpp"
#include "stages/convolve/convolve_window.hpp"
#include "stages/core/contract.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/stop.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

/// Size in pixels of the tiles into which an image is divided. The input rows that a 15 x 15 kernel needs at a time for
/// a tile of this width fit into the first-level cache.
constexpr Shape tile{512, 256};

/// Computes v - sky for n pixels, and 0 for masked pixels (above_sky). Returns whether any pixel is masked.
SRCEXTRACT_VECTOR_CLONES
bool subtract_sky(const float* pixels, std::int64_t n, float sky, float* __restrict out) {
  int masked = 0;
  for (std::int64_t x = 0; x < n; ++x) {
    out[x] = above_sky(pixels[x], sky);
    masked |= pixels[x] == pixels[x] ? 0 : 1;
  }
  return masked != 0;
}

SRCEXTRACT_VECTOR_CLONES
void finish_row(const float* sums, std::int64_t n, float sky, float* __restrict out) {
  for (std::int64_t x = 0; x < n; ++x) out[x] = finish_pixel(sky, sums[x], 1.0F);
}

SRCEXTRACT_VECTOR_CLONES
void finish_masked_row(const float* sums, const float* weights, float full, bool keeps_noise, const float* pixels,
                       std::int64_t n, float sky, float* __restrict out) {
  for (std::int64_t x = 0; x < n; ++x)
    out[x] = finish_pixel(sky, sums[x], renormalise(pixels[x], full, weights[x], keeps_noise));
}

/// Sums the kernel's weights over unmasked pixels. To save time, sums are computed only while a masked pixel is under
/// the kernel.
class UnmaskedWindow {
 public:
  UnmaskedWindow(const Kernel& magnitudes, std::int64_t width)
      : window_(magnitudes, width),
        rows_since_masked_(window_.kept_rows()),
        ones_(static_cast<std::size_t>(window_.stride()), 1.0F),
        shares_(ones_.size()) {}

  /// Moves the kernel down by one row, whose pixels are `pixels`. `masked` is true if a pixel of the row is masked.
  void move_on(const std::vector<float>& pixels, bool masked) {
    if (masked) {
      for (int i = 1; i < window_.kept_rows() && !any_masked(); ++i) window_.move_on(ones_.data());
      std::ranges::transform(pixels, shares_.begin(), share_of);
      window_.move_on(shares_.data());
      rows_since_masked_ = 0;
    } else if (any_masked() && ++rows_since_masked_ < window_.kept_rows()) {
      window_.move_on(ones_.data());
    }
  }

  bool any_masked() const { return rows_since_masked_ < window_.kept_rows(); }
  void sum(int count, float* weights) { window_.sum(count, weights); }

 private:
  ConvolutionWindow window_;
  int rows_since_masked_;
  std::vector<float> ones_;
  std::vector<float> shares_;
};

/// The arguments of a convolution, which all tiles share.
struct Task {
  const Image<float, Cpu>& image;
  const Kernel& kernel;
  const Kernel& magnitudes;  ///< the kernel with the absolute values of its weights
  float full_weight;
  Edges edges;
  float sky;
  float* result;
};

/// Reads pixels `begin` to end - 1 of row y. Rows and columns may be beyond the edges of the image; `edges` in the task
/// then decides the values.
void read_row(const Task& task, std::int64_t y, std::int64_t begin, std::int64_t end, float* out) {
  const auto [width, height] = task.image.shape;
  const std::int64_t row = pixel_at_edge(y, height, task.edges);
  if (row < 0) {
    std::fill_n(out, end - begin, task.sky);
    return;
  }
  const float* pixels = task.image.pixels.data() + row * width;
  const std::int64_t first = std::max<std::int64_t>(begin, 0);
  const std::int64_t last = std::min(end, width);
  const auto read_beyond = [&, width = width](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t x = pixel_at_edge(i, width, task.edges);
      out[i - begin] = x < 0 ? task.sky : pixels[x];
    }
  };
  read_beyond(begin, first);
  std::copy(pixels + first, pixels + last, out + (first - begin));
  read_beyond(last, end);
}

void convolve_tile(const Task& task, std::int64_t x, std::int64_t x_end, std::int64_t y, std::int64_t y_end) {
  const std::int64_t width = x_end - x;
  const std::int64_t reach_x = task.kernel.width / 2;
  const std::int64_t reach_y = task.kernel.height / 2;
  ConvolutionWindow window(task.kernel, width);
  UnmaskedWindow unmasked(task.magnitudes, width);
  std::vector<float> pixels(static_cast<std::size_t>(window.stride()));
  std::vector<float> terms(pixels.size());
  std::vector<float> sums(static_cast<std::size_t>(width * ConvolutionWindow::rows_at_once));
  std::vector<float> weights(sums.size());

  std::int64_t ahead = y - reach_y;
  for (; y < y_end; y += ConvolutionWindow::rows_at_once) {
    stop_if_asked();  // a tile with a large kernel takes long
    const auto count = static_cast<int>(std::min<std::int64_t>(ConvolutionWindow::rows_at_once, y_end - y));
    for (; ahead < y + count + reach_y; ++ahead) {
      read_row(task, ahead, x - reach_x, x_end + reach_x, pixels.data());
      unmasked.move_on(pixels, subtract_sky(pixels.data(), window.stride(), task.sky, terms.data()));
      window.move_on(terms.data());
    }
    window.sum(count, sums.data());
    if (unmasked.any_masked()) unmasked.sum(count, weights.data());
    for (int row = 0; row < count; ++row) {
      const std::int64_t first = (y + row) * task.image.shape.width + x;
      float* out = task.result + first;
      if (unmasked.any_masked()) {
        finish_masked_row(sums.data() + row * width, weights.data() + row * width, task.full_weight,
                          task.kernel.keeps_noise, task.image.pixels.data() + first, width, task.sky, out);
      } else {
        finish_row(sums.data() + row * width, width, task.sky, out);
      }
    }
  }
}

Kernel without_signs(Kernel kernel) {
  for (float& weight : kernel.weights) weight = std::fabs(weight);
  return kernel;
}

/// Returns an image on demand (rows_on_demand.hpp): rows of the result are computed from those rows of `image` that the
/// kernel covers.
Image<float, Cpu> convolve_on_demand(const Image<float, Cpu>& image, const Kernel& kernel, Edges edges, float sky) {
  struct Input {
    Image<float, Cpu> image;
    Kernel kernel, magnitudes;
  };
  const auto from = std::make_shared<const Input>(Input{same_rows(image), kernel, without_signs(kernel)});
  return image_on_demand<float>(
      image.shape, image.rows->memory(), [from, edges, sky](float* result, std::int64_t begin, std::int64_t end) {
        const std::int64_t reach = from->kernel.height / 2, width = from->image.shape.width;
        const HeldRows rows(from->image, begin - reach, end + reach);
        const Task task{from->image, from->kernel, from->magnitudes, full_weight(from->kernel), edges, sky, result};
        for (std::int64_t x = 0; x < width; x += tile.width)
          convolve_tile(task, x, std::min(x + tile.width, width), begin, end);
      });
}

Image<float, Cpu> convolve_tiles(const Image<float, Cpu>& image, const Kernel& kernel, Edges edges,
                                 const Value<Background, Cpu>& sky, const Cpu& where) {
  const auto level = static_cast<float>(sky->clipped.median);
  if (is_on_demand(image)) return convolve_on_demand(image, kernel, edges, level);
  const auto [width, height] = image.shape;
  Image<float, Cpu> result(image.shape, where);
  const Kernel magnitudes = without_signs(kernel);
  const Task task{image, kernel, magnitudes, full_weight(kernel), edges, level, result.pixels.data()};
  const std::int64_t tiles_per_row = (width + tile.width - 1) / tile.width;
  const std::int64_t tiles = tiles_per_row * ((height + tile.height - 1) / tile.height);
  parallel_for(tiles, 1, where, [&, width = width, height = height](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t x = i % tiles_per_row * tile.width;
      const std::int64_t y = i / tiles_per_row * tile.height;
      convolve_tile(task, x, std::min(x + tile.width, width), y, std::min(y + tile.height, height));
    }
  });
  return result;
}

}  // namespace

void check_kernel_fits(const Kernel& kernel, const Shape& shape) {
  if (kernel.width <= shape.width && kernel.height <= shape.height) return;
  const auto size = [](std::int64_t width, std::int64_t height) {
    return std::to_string(width) + " x " + std::to_string(height) + " pixels";
  };
  throw Error(ErrorKind::config, "the kernel, " + size(kernel.width, kernel.height) + ", is larger than the image, " +
                                     size(shape.width, shape.height) + "; take a smaller one, or none for this image");
}

Image<float, Cpu> convolve(const Image<float, Cpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Cpu>& sky, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(image));
  check_kernel_fits(kernel, image.shape);
  return convolve_tiles(image, kernel, edges, sky, where);
}

Image<float, Cpu> convolve_by_any(const Image<float, Cpu>& image, const Kernel& kernel,
                                  const Value<Background, Cpu>& sky, const Cpu& where) {
  return convolve_tiles(image, kernel, Edges::zero, sky, where);
}

}  // namespace srcextract
