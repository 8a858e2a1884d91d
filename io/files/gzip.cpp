#include "io/files/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/files/zlib_limit.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t buffer_size = 1 << 18;  ///< largest buffer for gzipped bytes, in bytes
constexpr int gzip_format = 15 + 16;           ///< windowBits of zlib: the largest window (15), and a gzip header (16)

/// A zlib stream that inflates the gzipped bytes of a GzipSource.
class Inflater {
 public:
  Inflater(GzipSource source, std::int64_t size)
      : source_(std::move(source)), buffer_(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 2, buffer_size))) {
    if (inflateInit2(&stream_, gzip_format) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Inflates at most `room` bytes to `out` and returns their number. Sets state() to the result of zlib's inflate().
  std::int64_t inflate_to(std::byte* out, std::int64_t room) {
    if (stream_.avail_in == 0) feed();
    const auto piece = static_cast<uInt>(std::min(room, zlib_limit));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = piece;
    state_ = inflate(&stream_, Z_NO_FLUSH);
    return piece - stream_.avail_out;
  }

  int state() const { return state_; }
  bool exhausted() const { return stream_.avail_in == 0 && ended_; }
  const char* reason() const { return stream_.msg ? stream_.msg : "damaged data"; }

  /// Starts the next gzip member and returns true. Returns false if no gzip member follows; other bytes there are
  /// ignored.
  bool next_member() {
    if (stream_.avail_in < 2) feed();
    const std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(stream_.next_in), stream_.avail_in);
    return is_gzip(rest) && inflateReset(&stream_) == Z_OK;
  }

 private:
  /// Moves the bytes that zlib has not consumed to the front of the buffer, and fills the rest of the buffer from the
  /// source.
  void feed() {
    if (ended_) return;
    const std::size_t left = stream_.avail_in;
    if (left > 0) std::memmove(buffer_.data(), stream_.next_in, left);
    const std::int64_t got = source_(buffer_.data() + left, std::ssize(buffer_) - static_cast<std::int64_t>(left));
    ended_ = got == 0;
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(left + static_cast<std::size_t>(got));
  }

  GzipSource source_;
  std::vector<std::byte> buffer_;
  bool ended_ = false;  ///< true once the source has returned 0 bytes
  z_stream stream_{};
  int state_ = Z_OK;
};

std::int64_t first_room(std::int64_t stored_size) {
  return std::max(2 * stored_size, fits_record);
}

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Error(ErrorKind::input, path + ": " + problem + "; check it with `gzip -t`, and fetch or make the file again");
}

/// A growing buffer from malloc. Unlike std::vector, realloc can extend large blocks without a copy, and leaves new
/// bytes uninitialised.
class Memory {
 public:
  Memory() = default;
  ~Memory() { std::free(bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void resize(std::int64_t size, const std::string& path) {
    void* larger = std::realloc(bytes_, static_cast<std::size_t>(size));
    if (!larger) throw memory_error(size, path, "to inflate the file (gunzipped, it needs far less)");
    bytes_ = static_cast<std::byte*>(larger);
    size_ = size;
  }
  std::byte* data() { return bytes_; }
  std::int64_t size() const { return size_; }
  std::shared_ptr<const std::byte> release() {
    return {std::exchange(bytes_, nullptr), [](std::byte* p) { std::free(p); }};
  }

 private:
  std::byte* bytes_ = nullptr;
  std::int64_t size_ = 0;
};

/// Largest number of bytes that inflate_behind() inflates and drops after the needed bytes, to reach the checksum at
/// the end.
constexpr std::int64_t most_behind = std::int64_t{1} << 24;

/// Inflates the next bytes, at most `room`, to `out` and adds their number to `size`. Returns false at the end of the
/// last member. Throws Error{input} if the file is damaged or cut short.
bool go_on(Inflater& inflater, std::byte* out, std::int64_t room, std::int64_t& size, std::int64_t stored_size,
           const std::string& path) {
  const std::int64_t got = inflater.inflate_to(out, room);
  size += got;
  if (inflater.state() == Z_STREAM_END) return inflater.next_member();
  if (inflater.state() == Z_MEM_ERROR) throw std::bad_alloc();
  if (inflater.state() != Z_OK && inflater.state() != Z_BUF_ERROR) {
    fail(path, std::string("the gzip file is damaged (") + inflater.reason() + ")");
  }
  if (inflater.exhausted() && got < room) {
    fail(path, "the gzip file is truncated: it ends after " + std::to_string(stored_size) + " bytes, inside its data");
  }
  return true;
}

void inflate_behind(Inflater& inflater, std::int64_t stored_size, const std::string& path) {
  std::vector<std::byte> scratch(std::size_t{1} << 16);
  for (std::int64_t size = 0; size < most_behind;) {
    if (!go_on(inflater, scratch.data(), std::ssize(scratch), size, stored_size, path)) return;
  }
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

Inflated inflate_gzip(const GzipSource& source, std::int64_t stored_size, SizeNeeded needed, const std::string& path) {
  if (!needed) needed = [](std::span<const std::byte>) { return std::numeric_limits<std::int64_t>::max(); };
  Inflater inflater(source, stored_size);
  Memory memory;
  std::int64_t size = 0, wanted = needed({});
  for (bool more = true; more;) {
    if (size == wanted) {
      wanted = needed({memory.data(), static_cast<std::size_t>(size)});
      if (wanted <= size) {
        inflate_behind(inflater, stored_size, path);
        break;
      }
    }
    if (size == memory.size())
      memory.resize(std::min(wanted, std::max(size + size / 2, first_room(stored_size))), path);
    more = go_on(inflater, memory.data() + size, std::min(memory.size(), wanted) - size, size, stored_size, path);
  }
  memory.resize(std::max<std::int64_t>(size, 1), path);
  return {memory.release(), size};
}

std::int64_t inflate_member(std::span<const std::byte> stored, std::span<std::byte> out) {
  if (std::ssize(stored) > zlib_limit || std::ssize(out) > 4 * zlib_limit - 1) return -1;
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (inflateInit2(&stream, gzip_format) != Z_OK) throw std::bad_alloc();
  const int state = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (state == Z_MEM_ERROR) throw std::bad_alloc();
  return state == Z_STREAM_END ? std::ssize(out) - static_cast<std::int64_t>(stream.avail_out) : -1;
}

}  // namespace srcextract
