#include "io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "io/input_file.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t zlib_limit = std::int64_t{1} << 30;  ///< zlib counts in 32 bits: work in pieces
constexpr int gzip_format = 15 + 16;                        ///< the largest window, gzip header and checksum

/// A zlib stream over gzipped bytes.
class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> stored) : stored_(stored) {
    if (inflateInit2(&stream_, gzip_format) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills at most `room` bytes at `out`; `state()` afterwards is zlib's.
  std::int64_t inflate_to(std::byte* out, std::int64_t room) {
    if (stream_.avail_in == 0) feed();
    const auto piece = static_cast<uInt>(std::min(room, zlib_limit));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = piece;
    state_ = inflate(&stream_, Z_NO_FLUSH);
    return piece - stream_.avail_out;
  }

  int state() const { return state_; }
  bool exhausted() const { return stream_.avail_in == 0 && stored_.empty(); }
  const char* reason() const { return stream_.msg ? stream_.msg : "damaged data"; }

  /// Goes on with the next member, if there is one. What follows the last is no concern of gzip's.
  bool next_member() {
    std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(stream_.next_in),
                                    stream_.avail_in + stored_.size());
    return is_gzip(rest) && inflateReset(&stream_) == Z_OK;
  }

 private:
  void feed() {
    auto piece = std::min<std::size_t>(stored_.size(), zlib_limit);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stored_.data()));
    stream_.avail_in = static_cast<uInt>(piece);
    stored_ = stored_.subspan(piece);
  }

  std::span<const std::byte> stored_;  ///< what zlib has not been given yet
  z_stream stream_{};
  int state_ = Z_OK;
};

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Error(ErrorKind::input, path + ": " + problem + "; check it with `gzip -t`, and fetch or make the file again");
}

/// Growing memory from malloc: large blocks are enlarged without a copy, and no byte is written twice.
class Memory {
 public:
  Memory() = default;
  ~Memory() { std::free(bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void resize(std::int64_t size, const std::string& path) {
    void* larger = std::realloc(bytes_, static_cast<std::size_t>(size));
    if (!larger) {
      throw Error(ErrorKind::input, path + ": not enough memory to inflate the file (" + std::to_string(size) +
                                        " bytes and more); gunzip it first: a plain file needs far less");
    }
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

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

Inflated inflate_gzip(std::span<const std::byte> stored, const std::string& path) {
  Inflater inflater(stored);
  Memory memory;
  memory.resize(std::max<std::int64_t>(2 * std::ssize(stored), fits_record), path);
  std::int64_t size = 0;
  for (;;) {
    if (size == memory.size()) memory.resize(size + size / 2, path);
    size += inflater.inflate_to(memory.data() + size, memory.size() - size);
    if (inflater.state() == Z_STREAM_END) {
      if (!inflater.next_member()) break;
    } else if (inflater.state() != Z_OK && inflater.state() != Z_BUF_ERROR) {
      fail(path, std::string("the gzip file is damaged (") + inflater.reason() + ")");
    } else if (inflater.exhausted() && size < memory.size()) {
      fail(path,
           "the gzip file is truncated: it ends after " + std::to_string(stored.size()) + " bytes, inside its data");
    }
  }
  memory.resize(in_records(size) + fits_record, path);
  std::memset(memory.data() + size, 0, static_cast<std::size_t>(memory.size() - size));
  return {memory.release(), size};
}

std::int64_t inflated_size(std::span<const std::byte> stored, std::int64_t limit) {
  Inflater inflater(stored);
  std::array<std::byte, 16384> scratch;
  std::int64_t size = 0;
  for (;;) {
    const std::int64_t got = inflater.inflate_to(scratch.data(), std::ssize(scratch));
    size += got;
    if (size > limit) return -1;
    if (inflater.state() == Z_STREAM_END) return size;
    const bool stuck = got == 0 && inflater.exhausted();
    if (stuck || (inflater.state() != Z_OK && inflater.state() != Z_BUF_ERROR)) return -1;
  }
}

}  // namespace srcextract
