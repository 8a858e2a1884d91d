#include "io/files/gzip_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "io/files/zlib_limit.hpp"

namespace srcextract {
namespace {

constexpr int gzip_window = 15 + 16;  // windowBits of zlib: the largest window (15), and a gzip header (16)
constexpr int usual_memory = 8;

}  // namespace

GzipStream::GzipStream() : stream_(std::make_unique<z_stream>()) {
  if (deflateInit2(stream_.get(), Z_BEST_SPEED, Z_DEFLATED, gzip_window, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipStream::~GzipStream() {
  deflateEnd(stream_.get());
}

std::span<const std::byte> GzipStream::add(std::span<const std::byte> bytes, bool last) {
  made_.clear();
  for (;;) {
    const auto taken = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(zlib_limit)));
    bytes = bytes.subspan(taken.size());
    const int flush = last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH;
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(taken.data()));
    stream_->avail_in = static_cast<uInt>(taken.size());
    do {
      constexpr std::size_t room = std::size_t{1} << 18;
      const std::size_t before = made_.size();
      made_.resize(before + room);
      stream_->next_out = reinterpret_cast<Bytef*>(made_.data() + before);
      stream_->avail_out = static_cast<uInt>(room);
      deflate(stream_.get(), flush);
      made_.resize(before + room - stream_->avail_out);
    } while (stream_->avail_out == 0);
    if (bytes.empty()) return made_;
  }
}

std::vector<std::byte> gzip_of(std::span<const std::byte> bytes) {
  GzipStream stream;
  const std::span<const std::byte> made = stream.add(bytes, true);
  return {made.begin(), made.end()};
}

}  // namespace srcextract
