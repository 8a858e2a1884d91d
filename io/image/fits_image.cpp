#include "io/image/fits_image.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/files/passing.hpp"
#include "io/fits/constant_array.hpp"
#include "io/fits/datasum.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/fits_size.hpp"
#include "io/fits/hdu_selection.hpp"
#include "io/image/image_header.hpp"
#include "io/tiles/tile_grid.hpp"
#include "io/tiles/tile_reader.hpp"
#include "stages/core/error.hpp"
#include "stages/core/rice_plane.hpp"

namespace srcextract {
namespace {

/// Number of bytes read between updates of the checksum. The checksum is computed while these bytes are still in the
/// cache of the processor core.
constexpr std::int64_t summed_bytes = std::int64_t{1} << 18;

/// Reads bytes [first, first + count) of a plane, which begins at byte `begin` of the file, and adds the bytes to the
/// checksum.
void read_and_sum(const InputFile& file, std::int64_t begin, std::int64_t first, std::int64_t count, std::byte* out,
                  Datasum& sum) {
  for (std::int64_t done = 0; done < count; done += summed_bytes) {
    const std::int64_t piece = std::min(summed_bytes, count - done);
    file.read(begin + first + done, piece, out + done);
    sum.add(first + done, out + done, piece);
  }
}

}  // namespace

struct FitsImage::Impl {
  std::shared_ptr<const InputFile> file;
  Hdu hdu;
  PixelFormat format;
  std::string header;
  std::shared_ptr<const Header> primary;               ///< header of the primary HDU
  ImageNeeds needs = {};                               ///< of the selection that found this image
  std::optional<AsinhScale> asinh = {};                ///< if the stored pixels have one
  std::shared_ptr<const ConstantArray> one = nullptr;  ///< of an HDU that stores no pixels, else null
  std::shared_ptr<TileReader> tiles = nullptr;         ///< reader of a compressed image, else null
  std::shared_ptr<Datasum> sum = nullptr;              ///< checksum of the bytes read of plane `summed_plane`
  std::int64_t summed_plane = 0;
  std::string name = {};                ///< name of an image in memory
  std::vector<PixelSource> given = {};  ///< planes of an image in memory; empty for an image in a file
  std::string primary_cards = {};       ///< text of the cards of `primary`, for an image in memory

  bool in_file() const { return given.empty(); }

  Shape shape() const { return {hdu.axes[0], hdu.axes.size() > 1 ? hdu.axes[1] : 1}; }

  std::int64_t count_planes() const {
    std::int64_t planes = 1;
    for (std::size_t axis = 2; axis < hdu.axes.size(); ++axis) planes *= hdu.axes[axis];
    return planes;
  }

  void check_plane(std::int64_t number) const {
    const std::int64_t planes = count_planes();
    if (number >= 1 && number <= planes) return;
    throw Error(ErrorKind::input,
                (in_file() ? describe(hdu, file->path()) : name) + " has no plane " + std::to_string(number) + ": " +
                    (planes == 1 ? "it has only one" : "they count from 1 to " + std::to_string(planes)) +
                    (planes == 1 ? "; leave out input.plane" : "; set input.plane"));
  }

  std::int64_t plane_bytes() const { return shape().count() * format.bytes(); }

  /// Returns the offset in the file at which a plane (from 1) of an uncompressed image begins.
  std::int64_t begin_of(std::int64_t plane) const { return hdu.data_begin + (plane - 1) * plane_bytes(); }

  PixelSource stored_plane(std::int64_t number) {
    PixelSource source;
    source.shape = shape();
    source.format = format;
    if (tiles) {
      const auto decode = [tiles = tiles, number](std::int64_t first, std::int64_t count, std::byte* out) {
        tiles->read(number - 1, first, count, out);
      };
      source.read = CompressedRead{decode, [tiles = tiles, number] { return tiles->rice_plane(number - 1); }};
      return source;
    }
    if (file->inflated()) source.memory = file->in_memory(begin_of(number), plane_bytes());
    sum = std::make_shared<Datasum>(plane_bytes());
    summed_plane = number;
    source.read = [file = file, sum = sum, begin = begin_of(number), width = format.bytes()](
                      std::int64_t first, std::int64_t count, std::byte* out) {
      read_and_sum(*file, begin, first * width, count * width, out, *sum);
    };
    return source;
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
std::optional<std::int64_t> FitsImage::extver() const {
  return impl_->hdu.version;
}
const std::vector<std::int64_t>& FitsImage::axes() const {
  return impl_->hdu.axes;
}
bool FitsImage::compressed() const {
  return impl_->tiles || (impl_->in_file() && impl_->file->inflated());
}
const std::string& FitsImage::header() const {
  return impl_->header;
}

void FitsImage::set_header(std::string header) {
  impl_->header = std::move(header);
}

std::string_view FitsImage::primary_header() const {
  return impl_->primary->cards();
}

const std::optional<AsinhScale>& FitsImage::asinh_scale() const {
  return impl_->asinh;
}

FitsImage::Further FitsImage::further_images() const {
  Further further;
  if (!impl_->in_file()) return further;
  const InputFile& file = *impl_->file;
  if (in_records(impl_->hdu.data_begin + impl_->hdu.data_bytes) >= file.size()) return further;
  try {
    FitsReader reader(file);
    while (const std::optional<Hdu> next = reader.next()) {
      if (next->index <= impl_->hdu.index) continue;
      const std::string reason = why_passed_over(*next, impl_->needs);
      if (!reason.empty())
        further.no_images.push_back(label(*next) + " (" + reason + ")");
      else if (has_pixels(*next))
        further.images.push_back({label(*next), next->index, next->name, next->version,
                                  next->header->first_text("UTYPE"), next->bitpix, next->axes});
    }
  } catch (const Error& error) {
    // An invalid header after this image is no error: the image itself can be used.
    if (error.kind() != ErrorKind::input) throw;
  }
  return further;
}

std::int64_t FitsImage::planes() const {
  return impl_->count_planes();
}

PixelSource FitsImage::plane(std::int64_t number) const {
  impl_->check_plane(number);
  if (!impl_->in_file()) return impl_->given[static_cast<std::size_t>(number - 1)];
  const PixelSource stored = impl_->one ? constant_plane(*impl_->one) : impl_->stored_plane(number);
  return impl_->asinh ? linear_pixels(stored, *impl_->asinh) : stored;
}

std::int64_t FitsImage::rows_together() const {
  return impl_->tiles ? impl_->tiles->tile_height() : 1;
}

void FitsImage::require_unchanged() const {
  if (impl_->in_file()) impl_->file->require_unchanged();
}

void FitsImage::forget_reads(std::int64_t number) const {
  if (impl_->tiles) impl_->tiles->forget_reads(number - 1);
  if (impl_->sum && impl_->summed_plane == number) impl_->sum->restart();
}

std::uint32_t FitsImage::datasum(std::int64_t number) const {
  impl_->check_plane(number);
  if (!impl_->in_file() || impl_->one) return 0;
  if (impl_->tiles) {
    const std::span<const std::byte> data = impl_->tiles->data();
    Datasum sum;
    sum.add(0, data.data(), std::ssize(data));
    return *sum.of(std::ssize(data));
  }
  const std::int64_t begin = impl_->begin_of(number), bytes = impl_->plane_bytes();
  if (impl_->sum && impl_->summed_plane == number) {
    if (const std::optional<std::uint32_t> known = impl_->sum->of(bytes)) return *known;
  }
  Datasum sum;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(summed_bytes, bytes)));
  for (std::int64_t first = 0; first < bytes; first += summed_bytes) {
    read_and_sum(*impl_->file, begin, first, std::min(summed_bytes, bytes - first), piece.data(), sum);
  }
  return *sum.of(bytes);
}

FitsImage open_memory_image(MemoryImage image) {
  auto impl = std::make_unique<FitsImage::Impl>();
  const Shape& shape = image.planes.front().shape;
  impl->hdu.index = image.hdu;
  impl->hdu.axes = {shape.width, shape.height};
  if (image.planes.size() > 1) impl->hdu.axes.push_back(std::ssize(image.planes));
  impl->hdu.bitpix = image.planes.front().format.bitpix;
  impl->format = image.planes.front().format;
  impl->header = std::move(image.header);
  impl->primary_cards = std::move(image.primary_header);
  impl->primary = std::make_shared<const Header>(impl->primary_cards);
  impl->name = std::move(image.name);
  impl->given = std::move(image.planes);
  return FitsImage(std::move(impl));
}

namespace {

/// Returns an image whose open() throws the error.
SelectedImage failing(const std::string& name, int hdu, const Error& error) {
  return {name, hdu, {}, 0, [error]() -> FitsImage { throw error; }};
}

/// The image of an HDU that stores one value for all pixels.
FitsImage::Impl constant_image(const Hdu& hdu, const std::shared_ptr<const Header>& primary,
                               const std::shared_ptr<const InputFile>& file) {
  const auto array = std::make_shared<const ConstantArray>(read_constant_array(hdu, describe(hdu, file->path())));
  FitsImage::Impl impl{file, hdu, array->format, image_header(hdu), primary};
  impl.hdu.axes = array->axes;
  impl.one = array;
  return impl;
}

FitsImage::Impl stored_image(const Hdu& hdu, const std::shared_ptr<const Header>& primary,
                             const std::shared_ptr<const InputFile>& file) {
  check_image(hdu, *file);
  FitsImage::Impl impl{file, hdu, read_pixel_format(hdu, *file), image_header(hdu), primary};
  impl.asinh = read_asinh_scale(hdu, impl.format, *primary, *file);
  if (impl.asinh) impl.header = without_asinh_scale(impl.header);
  return impl;
}

SelectedImage as_selected(const Hdu& hdu, const std::shared_ptr<const Header>& primary,
                          const std::shared_ptr<const InputFile>& file, const ImageNeeds& needs) {
  const std::string name = describe(hdu, file->path());
  try {
    FitsImage::Impl impl = needs.constants && is_constant_array(hdu) ? constant_image(hdu, primary, file)
                                                                     : stored_image(hdu, primary, file);
    impl.needs = needs;
    const auto open = [impl] {
      auto opened = std::make_unique<FitsImage::Impl>(impl);
      if (impl.hdu.kind == HduKind::compressed_image) {
        opened->tiles = std::make_shared<TileReader>(*impl.file, impl.hdu);
      }
      return FitsImage(std::move(opened));
    };
    const std::int64_t loaded_bytes = hdu.kind == HduKind::compressed_image ? hdu.data_bytes + tile_memory(hdu) : 0;
    return {name, hdu.index, impl.shape(), loaded_bytes, open};
  } catch (const Error& error) {
    return failing(name, hdu.index, error);
  }
}

}  // namespace

/// Limit in bytes on the headers that are kept for a second select(), enough for the largest mosaics. Headers beyond
/// the limit are read again when needed. FitsImages::held_bytes() leaves out as many bytes of the selected images.
constexpr std::int64_t most_kept = std::int64_t{8} << 20;

struct FitsImages::Impl {
  std::shared_ptr<const InputFile> file;
  FitsReader reader;
  std::vector<Hdu> seen = {};
  std::size_t with_header = 0;       ///< number of HDUs, the first of `seen`, that keep their headers
  std::int64_t header_bytes = 0;     ///< total bytes of the headers read so far
  std::optional<Error> broken = {};  ///< error of the header after which no HDU can be found
  bool ended = false;
  std::optional<FitsReader> again = {};  ///< second reader, for HDUs whose headers were not kept
  std::optional<Hdu> current = {};       ///< last HDU whose header was not kept
  std::int64_t most_held;
  std::vector<std::string> passed_over = {};
  std::int64_t selected_bytes = 0;  ///< estimated bytes of memory for all selected images, with headers

  Impl(std::shared_ptr<const InputFile> opened, std::int64_t most)
      : file(std::move(opened)), reader(*file), most_held(most) {}

  std::int64_t held_bytes() const {
    return (file->inflated() ? file->size() : 0) + std::max<std::int64_t>(selected_bytes - most_kept, 0);
  }

  /// Adds to selected_bytes what a selected image needs in memory: a copy of the header and the objects made from it.
  /// The factors were measured. Throws Error{memory} if the file then holds more than most_held.
  void hold(const Hdu& hdu) {
    constexpr std::int64_t image_bytes = 4096;
    selected_bytes += image_bytes + std::ssize(hdu.cards) * 5 / 2;
    if (held_bytes() <= most_held) return;
    throw Error(ErrorKind::memory, file->path() + ": up to HDU " + std::to_string(hdu.index) +
                                       ", the headers of the images that are asked for need more than the " +
                                       std::to_string(most_held / 1'000'000) +
                                       " MB that there are for the file; name fewer, or run with more memory "
                                       "(--memory)");
  }

  /// Returns the HDU of that index (from 0), or null if it does not exist or cannot be read. The pointer is valid until
  /// the next call.
  const Hdu* at(std::size_t index) {
    if (index < seen.size()) return index < with_header ? &seen[index] : read_again(index);
    if (ended) return nullptr;
    try {
      if (std::optional<Hdu> next = reader.next()) return take(std::move(*next));
    } catch (const PassingError&) {
      throw;  // the next try may be able to read this header
    } catch (const Error& error) {
      broken = error;
    }
    ended = true;
    return nullptr;
  }

  const Hdu* take(Hdu hdu) {
    header_bytes += std::ssize(hdu.cards);
    const bool kept = seen.empty() || header_bytes <= most_kept;
    if (kept) {
      ++with_header;
      return &seen.emplace_back(std::move(hdu));
    }
    current = std::move(hdu);
    Hdu& without = seen.emplace_back(*current);
    without.header = nullptr;
    without.cards = {};
    again.reset();
    return &*current;
  }

  const Hdu* read_again(std::size_t index) {
    if (!again || !current || current->index >= static_cast<int>(index)) {
      again.emplace(*file);
      current.reset();
    }
    while (!current || current->index < static_cast<int>(index)) {
      current = again->next();
      if (!current) return nullptr;
    }
    return &*current;
  }
};

FitsImages::FitsImages(const std::string& path, std::int64_t most_held)
    : impl_(std::make_unique<Impl>(std::make_shared<const InputFile>(path, fits_size_needed(path, most_held)),
                                   most_held)) {}
FitsImages::~FitsImages() = default;
FitsImages::FitsImages(FitsImages&&) noexcept = default;

const std::string& FitsImages::path() const {
  return impl_->file->path();
}

std::int64_t FitsImages::held_bytes() const {
  return impl_->held_bytes();
}

const std::vector<std::string>& FitsImages::passed_over() const {
  return impl_->passed_over;
}

std::vector<SelectedImage> FitsImages::select(const HduNames& hdus, const std::string& key, const ImageNeeds& needs) {
  using Choice = HduSelection::Choice;
  HduSelection selection(hdus, key, needs);
  const std::shared_ptr<const InputFile>& file = impl_->file;
  std::vector<SelectedImage> images;
  std::size_t with_pixels = 0;
  for (std::size_t i = 0; const Hdu* hdu = selection.complete() ? nullptr : impl_->at(i); ++i) {
    const std::size_t before = with_pixels;
    if (has_pixels(*hdu) && hdu->axes.size() > 1) ++with_pixels;
    const Choice choice = selection.take(*hdu);
    if (choice == Choice::none) continue;
    if (hdu->kind != HduKind::image && hdu->kind != HduKind::compressed_image) selection.fail_on_kind(*hdu, *file);
    SelectedImage& image = images.emplace_back(as_selected(*hdu, impl_->seen.front().header, file, needs));
    image.extname = hdu->name;
    image.extver = hdu->version;
    image.by_pattern = choice == Choice::by_pattern;
    image.is_mask = image.by_pattern && is_mask_plane(*hdu);
    image.number = before;
    impl_->hold(*hdu);
  }
  if (selection.lacks_only_size() && (!impl_->broken || selection.fulfilled()))
    return select(hdus, key, {.least = {1, 1}, .constants = needs.constants});
  impl_->passed_over = selection.passed_over();
  for (SelectedImage& image : images) image.held_bytes = held_bytes();
  if (selection.complete()) return images;
  if (impl_->broken && !selection.fulfilled()) throw *impl_->broken;
  if (impl_->broken) {
    images.push_back(failing(impl_->reader.where(), static_cast<int>(impl_->seen.size()), *impl_->broken));
    images.back().by_pattern = true;
    images.back().has_header = false;
  } else {
    selection.require_all(impl_->seen, *file);
  }
  return images;
}

std::vector<SelectedImage> select_images(const std::string& path, const HduNames& hdus, std::int64_t most_held,
                                         const ImageNeeds& needs) {
  return FitsImages(path, most_held).select(hdus, "input.hdu", needs);
}

}  // namespace srcextract
