#include "io/pictures/png_file.hpp"

#include <png.h>

#include <csetjmp>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <span>
#include <vector>

#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Size in bytes of the pieces in which libpng passes on its output.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Settings for writing with libpng: the function that takes the bytes, the zlib level, and the exception that this
/// function threw.
struct Target {
  std::function<void(std::span<const std::byte>)> write;
  int compression = 0;
  std::exception_ptr failure = nullptr;
};

/// Passes bytes from libpng to Target::write. Catches exceptions, because these must not pass through libpng, which is
/// C. png_error, which jumps out, is called where no object needs a destructor.
void write_bytes(png_structp png, png_bytep data, std::size_t size) {
  auto& target = *static_cast<Target*>(png_get_io_ptr(png));
  try {
    target.write({reinterpret_cast<const std::byte*>(data), size});
    return;
  } catch (...) {
    target.failure = std::current_exception();
  }
  png_error(png, "the file cannot be written");
}

void flush_nothing(png_structp) {}

[[noreturn]] void remember_error(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

/// Owner of the two structures that libpng needs for writing.
class PngWriter {
 public:
  explicit PngWriter(std::string& message)
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, remember_error, ignore_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  /// Returns false if libpng reports an error. No local object here may have a destructor, because libpng's longjmp
  /// would skip it.
  bool write(Target& target, const Image<std::uint8_t, Cpu>& image, const png_color* palette, int colours) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    constexpr png_uint_32 longest = std::numeric_limits<png_int_32>::max();
    png_set_write_fn(png_, &target, write_bytes, flush_nothing);
    png_set_user_limits(png_, longest, longest);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.shape.width), static_cast<png_uint_32>(image.shape.height),
                 8, colours == 0 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (colours > 0) png_set_PLTE(png_, info_, palette, colours);
    png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png_, target.compression);
    png_set_compression_buffer_size(png_, chunk_bytes);
    png_write_info(png_, info_);
    for (std::int64_t y = image.shape.height - 1; y >= 0; --y)
      png_write_row(png_, image.pixels.data() + y * image.shape.width);
    png_write_end(png_, info_);
    return true;
  }

 private:
  png_structp png_;
  png_infop info_;
};

/// Writes the picture to `target`. Throws Error{output} with a message that begins with `name` if libpng reports an
/// error.
void write_to(Target& target, const Image<std::uint8_t, Cpu>& image, Palette palette, const std::string& name) {
  std::vector<png_color> colours;
  for (const auto& [red, green, blue] : palette) colours.push_back({red, green, blue});
  std::string message;
  PngWriter writer(message);
  if (writer.write(target, image, colours.data(), static_cast<int>(colours.size()))) return;
  if (target.failure) std::rethrow_exception(target.failure);
  throw Error(ErrorKind::output, name + ": libpng cannot write this picture: " + message);
}

}  // namespace

OutputFile write_png(const std::string& path, const Image<std::uint8_t, Cpu>& image, Palette palette) {
  OutputFile file(path);
  Target target{[&](std::span<const std::byte> bytes) { file.write(bytes); }};
  write_to(target, image, palette, path);
  return file;
}

std::string encode_png(const Image<std::uint8_t, Cpu>& image) {
  // zlib level: higher levels take longer and make noisy pictures hardly smaller.
  constexpr int little = 2;
  std::string png;
  Target target{
      [&](std::span<const std::byte> bytes) { png.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); },
      little};
  write_to(target, image, {}, "a picture");
  return png;
}

}  // namespace srcextract
