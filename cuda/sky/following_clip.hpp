#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "config/settings/background.hpp"
#include "stages/core/bright_quads.hpp"
#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/value.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// estimate_background() of an image that is still on its way to the device: its sample is drawn from where its stored
/// pixels lie, and then every piece is looked at as it comes, so that only the end of the clip is left when the last
/// one is there. What comes out are the same bits: the sample is the same, and the sums over the image are exact.
/// Everything is queued in the stream that it was made with, nothing waits; the memory is taken once, for image after
/// image.
class FollowingClip {
 public:
  /// Pieces begin at multiples of so many pixels.
  static constexpr std::int64_t grain = 512;

  /// The image's pixels must stay where they are.
  FollowingClip(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where);
  ~FollowingClip();
  FollowingClip(const FollowingClip&) = delete;
  FollowingClip& operator=(const FollowingClip&) = delete;

  /// Leaves `bright` of this image and every later one, in memory that must stay: before the first is begun.
  void tell(const Image<float, Gpu>& image, BrightQuads<Gpu>& bright, const Gpu& where);

  /// The next image is about to come. Its stored pixels lie here, aligned, where the device can read them.
  void begin(const std::byte* stored, const PixelFormat& format);

  /// These pixels of it are there, ready to use, by the time that the stream gets here; every pixel once.
  void follow(std::int64_t first, std::int64_t count);

  /// What comes next is another image, of which nothing is known.
  void forget();

  /// Where not all of the image was followed: draws its sample now, and leaves the looking to finish().
  void catch_up();

  /// What is left when begin() and follow(), or catch_up(), have been called; the kernels that it queues can be
  /// captured and launched for image after image.
  Value<Background, Gpu> finish(const Gpu& where);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace srcextract
