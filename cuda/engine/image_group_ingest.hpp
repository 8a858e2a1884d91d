#pragma once

#include <exception>
#include <span>
#include <vector>

#include "cuda/device/memory.hpp"
#include "cuda/device/pinned.hpp"
#include "cuda/ingest/rice_images.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// How the reading of one of several images went.
struct Reading {
  double seconds = 0;
  std::exception_ptr failure;
};

/// The way of the stored pixels of several small images to the device: through one block of page-locked memory, in one
/// copy, and decoded by one launch for every type of pixels, and one for all that RICE_1 compressed.
class GroupIngester {
 public:
  explicit GroupIngester(const Gpu& where) : where_(where) {}

  /// Reads source k for image k; what was sent before must have arrived. All pixels of a source that cannot be read are
  /// masked, as are those of images beyond the last source. Compressed tiles are left to the device as far as `way` has
  /// it so.
  enum class Way { compressed, decoded };
  std::vector<Reading> read(std::span<const PixelSource> sources, std::span<const Pixels<Gpu>> images, Way way);

  /// Queues the copy and the decoding of what was read. Waits for it if tiles are among it, and returns false if one is
  /// damaged: the pixels are undefined then, and all are to be read again, decoded.
  bool send(std::span<Pixels<Gpu>> images);

 private:
  /// An image as it was stored, from that byte on.
  struct StoredImage {
    PixelFormat format;
    std::int64_t begin;
    std::int64_t bytes;
    RiceFormat rice = {};      ///< of tiles
    std::int64_t tiles = 0;    ///< whose table is where the image begins
    std::int64_t streams = 0;  ///< where theirs begin
  };
  bool take_tiles(const PixelSource& source, std::int64_t room);
  bool decode_tiles(std::span<Pixels<Gpu>> images);
  void make_room(std::int64_t bytes);

  Gpu where_;
  PinnedBuffer stored_{0};
  Buffer<std::byte, Gpu> there_;
  std::vector<StoredImage> images_;
  std::int64_t bytes_ = 0;  ///< of all images
  DeviceRandoms randoms_;
  DamageFlag damage_;
};

}  // namespace srcextract
