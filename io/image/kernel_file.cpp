#include "io/image/kernel_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/files/byte_stream.hpp"
#include "io/files/text_lines.hpp"
#include "io/image/fits_image.hpp"
#include "io/image/stored_value.hpp"
#include "stages/core/error.hpp"
#include "stages/core/line_words.hpp"

namespace srcextract {
namespace {

/// Largest number of pixels of an image that is read as a kernel.
constexpr std::int64_t most_pixels = std::int64_t{1} << 20;

/// Largest inflated size of a gzipped kernel file in bytes: 8 bytes for each pixel, and as much again for other
/// contents.
constexpr std::int64_t most_inflated = 16 * most_pixels;

bool begins_as_fits(const std::string& path) {
  constexpr std::string_view keyword = "SIMPLE  =";
  std::array<char, keyword.size()> bytes;
  ByteStream file(path);
  return file.read(bytes) == bytes.size() && std::string_view(bytes.data(), bytes.size()) == keyword;
}

double parse_value(std::string_view word, const TextLines& lines) {
  if (const auto value = finite_number(word)) return *value;
  throw lines.error("'" + std::string(word.substr(0, 40)) + "' is no finite number; a kernel's values stand a row a " +
                    "line, with blanks between them");
}

KernelFile read_conv(const std::string& path) {
  KernelFile kernel;
  TextLines lines(path);
  bool begun = false;
  while (lines.next()) {
    const std::vector<std::string_view> words = words_of(lines.line());
    if (words.empty() || words.front().starts_with('#')) continue;
    if (begun) {
      std::vector<double>& row = kernel.values.emplace_back();
      for (const std::string_view word : words) row.push_back(parse_value(word, lines));
      continue;
    }
    kernel.is_old = words.size() == 1;
    if (words.size() > 2 || words[0] != "CONV" || (!kernel.is_old && words[1] != "NORM" && words[1] != "NONORM")) break;
    kernel.normalize = kernel.is_old || words[1] == "NORM";
    begun = true;
  }
  if (begun) return kernel;
  throw lines.error("no kernel file: it must begin with a line CONV NORM or CONV NONORM, or be a FITS image");
}

SelectedImage select_kernel(const std::string& path) {
  try {
    return select_images(path, "auto", most_inflated, {.least = {1, 1}}).front();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::memory) throw;
    throw Error(ErrorKind::config, path + " is no kernel: it has more than " +
                                       std::to_string(most_inflated / 1'000'000) + " MB, inflated");
  }
}

KernelFile read_fits(const std::string& path) {
  const SelectedImage selected = select_kernel(path);
  const FitsImage image = selected.open();
  const PixelSource source = image.plane(1);
  const auto [width, height] = source.shape;
  if (std::ranges::any_of(image.axes().begin() + std::min<std::ptrdiff_t>(2, std::ssize(image.axes())),
                          image.axes().end(), [](std::int64_t length) { return length > 1; })) {
    throw Error(ErrorKind::config, selected.name + " is a cube; a kernel is an image of one plane");
  }
  if (source.shape.count() > most_pixels) {
    throw Error(ErrorKind::config, selected.name + " is no kernel: it has " + std::to_string(width) + " x " +
                                       std::to_string(height) + " pixels");
  }
  const auto bytes = static_cast<std::size_t>(source.format.bytes());
  std::vector<std::byte> stored(static_cast<std::size_t>(source.shape.count()) * bytes);
  source.read(0, source.shape.count(), stored.data());

  KernelFile kernel;
  for (std::int64_t i = 0; i < source.shape.count(); ++i) {
    const double value = stored_value(stored.data() + static_cast<std::size_t>(i) * bytes, source.format);
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::config, selected.name + ": pixel (" + std::to_string(i % width + 1) + ", " +
                                         std::to_string(i / width + 1) +
                                         ") is no finite number, as a kernel's value must be");
    }
    if (i % width == 0) kernel.values.emplace_back();
    kernel.values.back().push_back(value);
  }
  return kernel;
}

}  // namespace

KernelFile read_kernel_file(const std::string& path) {
  try {
    return begins_as_fits(path) ? read_fits(path) : read_conv(path);
  } catch (const Error& error) {
    // A bad kernel file is a configuration error rather than an input error: no image can be extracted with this
    // configuration.
    throw Error(error.kind() == ErrorKind::input ? ErrorKind::config : error.kind(), error.what());
  }
}

}  // namespace srcextract
