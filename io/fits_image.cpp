#include "io/fits_image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "io/fits_reader.hpp"
#include "io/hdu_selection.hpp"
#include "io/image_header.hpp"
#include "io/input_file.hpp"
#include "io/tile_reader.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Sum of big-endian 32-bit words. Below 2^32 words it cannot overflow.
std::uint64_t sum_words(const std::byte* bytes, std::int64_t words) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes + 4 * i, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
    sum += word;
  }
  return sum;
}

/// The ones' complement sum: carries out of 32 bits come back in at the lowest.
std::uint64_t fold(std::uint64_t sum) {
  while (sum >> 32) sum = (sum & 0xffffffff) + (sum >> 32);
  return sum;
}

}  // namespace

struct FitsImage::Impl {
  std::shared_ptr<const InputFile> file;
  Hdu hdu;
  PixelFormat format;
  std::string header;
  std::shared_ptr<TileReader> tiles;  ///< of a compressed image
};

FitsImage::FitsImage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FitsImage::~FitsImage() = default;
FitsImage::FitsImage(FitsImage&&) noexcept = default;
FitsImage& FitsImage::operator=(FitsImage&&) noexcept = default;

int FitsImage::hdu() const {
  return impl_->hdu.index;
}
const std::string& FitsImage::extname() const {
  return impl_->hdu.name;
}
const std::vector<std::int64_t>& FitsImage::axes() const {
  return impl_->hdu.axes;
}
bool FitsImage::compressed() const {
  return impl_->tiles || impl_->file->inflated();
}
const std::string& FitsImage::header() const {
  return impl_->header;
}

PixelSource FitsImage::plane(std::int64_t number) const {
  const std::vector<std::int64_t>& axes = impl_->hdu.axes;
  PixelSource source;
  source.shape = {axes[0], axes.size() > 1 ? axes[1] : 1};
  source.format = impl_->format;
  std::int64_t planes = 1;
  for (std::size_t axis = 2; axis < axes.size(); ++axis) planes *= axes[axis];
  if (number < 1 || number > planes) {
    throw Error(ErrorKind::input,
                describe(impl_->hdu, *impl_->file) + " has no plane " + std::to_string(number) + ": " +
                    (planes == 1 ? "it has only one" : "they count from 1 to " + std::to_string(planes)) +
                    "; set input.plane");
  }
  if (impl_->tiles) {
    source.read = [tiles = impl_->tiles, number](std::int64_t first, std::int64_t count, std::byte* out) {
      tiles->read(number - 1, first, count, out);
    };
    return source;
  }
  const std::int64_t width = source.format.bytes();
  const std::int64_t begin = impl_->hdu.data_begin + (number - 1) * source.shape.count() * width;
  source.read = [file = impl_->file, begin, width](std::int64_t first, std::int64_t count, std::byte* out) {
    file->read(begin + first * width, count * width, out);
  };
  return source;
}

std::uint32_t FitsImage::datasum() const {
  constexpr std::int64_t chunk = 1 << 20;
  const Hdu& hdu = impl_->hdu;
  const std::int64_t end = std::min(hdu.data_begin + in_records(hdu.data_bytes), impl_->file->size());
  std::vector<std::byte> bytes(chunk);
  std::uint64_t sum = 0;
  for (std::int64_t begin = hdu.data_begin; begin < end; begin += chunk) {
    const std::int64_t count = std::min(chunk, end - begin);
    impl_->file->read(begin, count, bytes.data());
    // Where the last padding is missing it counts as zeros.
    std::fill(bytes.begin() + count, bytes.begin() + (count + 3) / 4 * 4, std::byte{0});
    sum = fold(sum + sum_words(bytes.data(), (count + 3) / 4));
  }
  return static_cast<std::uint32_t>(sum);
}

std::vector<FitsImage> open_fits_images(const std::string& path, const std::string& hdu) {
  const HduSelection selection(hdu);
  auto file = std::make_shared<const InputFile>(path);
  FitsReader reader(*file);
  std::vector<Hdu> seen;
  std::vector<FitsImage> images;
  while (std::optional<Hdu> next = reader.next()) {
    seen.push_back(*next);
    if (!selection.selects(*next)) continue;
    const bool tiled = next->kind == HduKind::compressed_image;
    if (next->kind != HduKind::image && !tiled) selection.fail_on_kind(*next, *file);
    check_image(*next, *file);
    auto impl = std::make_unique<FitsImage::Impl>();
    impl->file = file;
    impl->hdu = *next;
    impl->format = read_pixel_format(reader, *next, *file);
    impl->header = image_header(*next);
    if (tiled) impl->tiles = std::make_shared<TileReader>(file, *next);
    images.push_back(FitsImage(std::move(impl)));
    if (!selection.all()) break;
  }
  if (images.empty()) selection.fail_on_none(seen, *file);
  return images;
}

}  // namespace srcextract
