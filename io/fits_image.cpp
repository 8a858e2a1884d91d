#include "io/fits_image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
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

  Shape shape() const { return {hdu.axes[0], hdu.axes.size() > 1 ? hdu.axes[1] : 1}; }

  void check_plane(std::int64_t number) const {
    std::int64_t planes = 1;
    for (std::size_t axis = 2; axis < hdu.axes.size(); ++axis) planes *= hdu.axes[axis];
    if (number >= 1 && number <= planes) return;
    throw Error(ErrorKind::input,
                describe(hdu, file->path()) + " has no plane " + std::to_string(number) + ": " +
                    (planes == 1 ? "it has only one" : "they count from 1 to " + std::to_string(planes)) +
                    "; set input.plane");
  }

  /// Where the pixels of a plane of an image that is not compressed begin in the file.
  std::int64_t begin_of(std::int64_t plane) const {
    return hdu.data_begin + (plane - 1) * shape().count() * format.bytes();
  }
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
  impl_->check_plane(number);
  PixelSource source;
  source.shape = impl_->shape();
  source.format = impl_->format;
  if (impl_->tiles) {
    source.read = [tiles = impl_->tiles, number](std::int64_t first, std::int64_t count, std::byte* out) {
      tiles->read(number - 1, first, count, out);
    };
    return source;
  }
  source.read = [file = impl_->file, begin = impl_->begin_of(number), width = source.format.bytes()](
                    std::int64_t first, std::int64_t count, std::byte* out) {
    file->read(begin + first * width, count * width, out);
  };
  return source;
}

std::uint32_t FitsImage::datasum(std::int64_t number) const {
  impl_->check_plane(number);
  std::uint64_t sum = 0;
  if (impl_->tiles) {
    const std::span<const std::byte> data = impl_->tiles->data();
    return static_cast<std::uint32_t>(fold(sum_words(data.data(), std::ssize(data) / 4)));
  }
  constexpr std::int64_t chunk = 1 << 20;
  const std::int64_t begin = impl_->begin_of(number), bytes = impl_->shape().count() * impl_->format.bytes();
  std::vector<std::byte> words(chunk);
  for (std::int64_t done = 0; done < bytes; done += chunk) {
    const std::int64_t count = std::min(chunk, bytes - done), padded = (count + 3) / 4 * 4;
    impl_->file->read(begin + done, count, words.data());
    std::fill(words.begin() + count, words.begin() + padded, std::byte{0});
    sum = fold(sum + sum_words(words.data(), padded / 4));
  }
  return static_cast<std::uint32_t>(sum);
}

namespace {

/// An HDU that cannot be opened.
SelectedImage failing(const std::string& name, const Error& error) {
  return {name, [error]() -> FitsImage { throw error; }};
}

/// Reads the header of the current HDU of `reader`.
SelectedImage select(FitsReader& reader, const Hdu& hdu, const std::shared_ptr<const InputFile>& file) {
  const std::string name = describe(hdu, file->path());
  try {
    check_image(hdu, *file);
    const FitsImage::Impl impl{file, hdu, read_pixel_format(reader, hdu, *file), image_header(hdu), nullptr};
    const auto open = [impl] {
      auto opened = std::make_unique<FitsImage::Impl>(impl);
      if (impl.hdu.kind == HduKind::compressed_image) {
        opened->tiles = std::make_shared<TileReader>(*impl.file, impl.hdu);
      }
      return FitsImage(std::move(opened));
    };
    return {name, open};
  } catch (const Error& error) {
    return failing(name, error);
  }
}

}  // namespace

std::vector<SelectedImage> select_images(const std::string& path, const std::string& hdu) {
  const HduSelection selection(hdu);
  auto file = std::make_shared<const InputFile>(path);
  FitsReader reader(file->records(), path);
  std::vector<Hdu> seen;
  std::vector<SelectedImage> images;
  try {
    while (std::optional<Hdu> next = reader.next()) {
      seen.push_back(*next);
      if (!selection.selects(*next)) continue;
      if (next->kind != HduKind::image && next->kind != HduKind::compressed_image) {
        selection.fail_on_kind(*next, *file);
      }
      images.push_back(select(reader, *next, file));
      if (!selection.all()) break;
    }
  } catch (const Error& error) {
    if (!selection.all()) throw;
    images.push_back(failing(reader.where(), error));
  }
  if (images.empty()) selection.fail_on_none(seen, *file);
  return images;
}

}  // namespace srcextract
