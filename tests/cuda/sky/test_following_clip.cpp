// The clip that looks at an image piece by piece finds what the CPU finds in all of it, bit for bit.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "stages/sky/background.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/rounds.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/pinned.hpp"
#include "cuda/sky/following_clip.hpp"

namespace srcextract {
namespace {

using testing::Field;

Background on_host(const Field& field, const BackgroundConfig& config) {
  Image<float, Cpu> image(field.shape, Cpu{});
  std::copy(field.pixels.begin(), field.pixels.end(), image.pixels.begin());
  return *estimate_background(image, config, Cpu{});
}

/// The fields of others are small: a few that give every block of the clip several tiles.
std::vector<Field> fields_in_pieces() {
  std::vector<Field> fields = testing::hostile_fields();
  const std::int64_t rows = testing::share(1777);
  for (const std::int64_t pixels_per_star : {20, 1000}) {
    fields.push_back(testing::star_field({2051, rows}, 1000, 10, pixels_per_star, 11));
    fields.back().name = "a star in " + std::to_string(pixels_per_star) + " pixels";
  }
  Field half = fields.back();
  half.name = "its second half masked";
  std::fill(half.pixels.begin() + std::ssize(half.pixels) / 2, half.pixels.end(),
            std::numeric_limits<float>::quiet_NaN());
  fields.push_back(half);
  Field ramp = fields.back();
  ramp.name = "brighter from piece to piece";  // what one sees says nothing of what the next one will
  for (std::size_t i = 0; i < ramp.pixels.size(); ++i) ramp.pixels[i] = static_cast<float>(i / 1000);
  fields.push_back(ramp);
  return fields;
}

class FollowedSky : public testing::StageTest<Gpu> {
 protected:
  /// A field on the device, and in page-locked memory as it was stored.
  struct Stored {
    Stored(const Field& field, const FollowedSky& test)
        : image(test.image(field.shape, field.pixels)), memory(field.shape.count() * std::int64_t{4}) {
      std::memcpy(memory.data(), field.pixels.data(), static_cast<std::size_t>(memory.size()));
    }
    Image<float, Gpu> image;
    PinnedBuffer memory;
  };

  /// In pieces of up to so many pixels, in an order that looks random.
  static void follow_all(FollowingClip& clip, const Stored& stored, std::int64_t piece, unsigned seed) {
    clip.begin(stored.memory.data(), native_);
    const std::int64_t count = stored.image.shape.count();
    std::vector<std::int64_t> begins;
    for (std::int64_t first = 0; first < count; first += piece) begins.push_back(first);
    std::shuffle(begins.begin(), begins.end(), std::mt19937(seed));
    for (const std::int64_t first : begins) clip.follow(first, std::min(piece, count - first));
  }

  static constexpr PixelFormat native_{.big_endian = false};
};

TEST_F(FollowedSky, IsThatOfTheWholeImageWhateverThePieces) {
  unsigned seed = 0;
  for (const Field& field : fields_in_pieces()) {
    const Stored stored(field, *this);
    for (const double kappa : {1.5, 3.0}) {
      const BackgroundConfig config{.kappa = kappa, .max_iterations = kappa < 2 ? 3 : 0};
      const Background want = on_host(field, config);
      FollowingClip clip(stored.image, config, this->where());
      const std::int64_t count = field.shape.count();
      for (const std::int64_t pieces : {1, 2, 7, 60}) {
        const std::int64_t piece = (count / pieces / FollowingClip::grain + 1) * FollowingClip::grain;
        follow_all(clip, stored, piece, ++seed);
        clip.catch_up();
        EXPECT_EQ(fetch(clip.finish(this->where()), this->where()), want) << field.name << ", " << pieces << " pieces";
      }
    }
  }
}

TEST_F(FollowedSky, IsFoundWhereNotAllOfTheImageWasFollowed) {
  const Field field = testing::star_field({1031, 700}, 1000, 10, 200, 3);
  const Field other = testing::star_field({1031, 700}, 50, 3, 200, 4);
  const Stored stored(field, *this), before(other, *this);
  const Background want = on_host(field, {});
  FollowingClip clip(stored.image, {}, this->where());
  const auto find = [&] {
    clip.catch_up();
    return fetch(clip.finish(this->where()), this->where());
  };
  EXPECT_EQ(find(), want) << "nothing was followed";
  clip.forget();
  clip.begin(before.memory.data(), native_);
  clip.follow(0, 4 * FollowingClip::grain);
  EXPECT_EQ(find(), want) << "another image, in part";
  follow_all(clip, before, 50 * FollowingClip::grain, 5);
  clip.forget();
  EXPECT_EQ(find(), want) << "another image, which nobody wanted";
  follow_all(clip, stored, 50 * FollowingClip::grain, 6);
  EXPECT_EQ(find(), want) << "all of it";
  clip.forget();
  EXPECT_EQ(find(), want) << "once more";
}

}  // namespace
}  // namespace srcextract
#endif
