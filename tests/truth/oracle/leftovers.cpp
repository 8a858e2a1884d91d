#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <utility>

#include "tests/truth/oracle/deblend.hpp"
#include "tests/truth/oracle/shape.hpp"

namespace srcextract::oracle {
namespace {

/// A Gaussian as high and wide as a core, in float as SExtractor has it.
struct Profile {
  Shape shape;
  float amplitude = 0;

  float depth(const Pixel& pixel) const {
    const double dx = pixel.x - shape.x, dy = pixel.y - shape.y;
    const Ellipse& e = shape.ellipse;
    return static_cast<float>(0.5 * (e.cxx * dx * dx + e.cyy * dy * dy + e.cxy * dx * dy) / shape.abcor);
  }
  float height(float depth) const { return depth < 70 ? amplitude * std::exp(-depth) : 0; }
};

Profile profile_of(const Core& core, float threshold, bool weighted) {
  Profile profile{measure_shape(core.pixels, core.threshold, weighted, nullptr), 0};
  float peak = core.pixels.front().filtered;
  for (const Pixel& pixel : core.pixels) peak = std::max(peak, pixel.filtered);
  const Ellipse& e = profile.shape.ellipse;
  const auto depth = static_cast<float>(static_cast<double>(core.pixels.size()) /
                                        (2 * std::numbers::pi * profile.shape.abcor * e.a * e.b));
  profile.amplitude = depth < 70 ? static_cast<float>(threshold * std::exp(static_cast<double>(depth))) : 4 * peak;
  profile.amplitude = std::min(profile.amplitude, 4 * peak);
  return profile;
}

/// The core that a pixel goes to. One without any sizeable Gaussian goes to the core that is nearest in its own widths.
std::size_t choose(const Pixel& pixel, const std::vector<Profile>& profiles, bool random) {
  std::size_t nearest = 0, best = 0;
  float least = 0, highest = -1, total = 0;
  std::vector<float> cumulated;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const float depth = profiles[i].depth(pixel), height = profiles[i].height(depth);
    if (i == 0 || depth < least) {
      least = depth;
      nearest = i;
    }
    if (height > highest) {
      highest = height;
      best = i;
    }
    cumulated.push_back(total += height);
  }
  if (!(total > 1e-31)) return nearest;
  if (!random) return best;
  const double drawn = static_cast<double>(total) * std::rand() / RAND_MAX;
  for (std::size_t i = 0; i < cumulated.size(); ++i) {
    if (cumulated[i] >= drawn) return i;
  }
  return cumulated.size() - 1;
}

}  // namespace

std::vector<Object> share_pixels(const Component& component, const std::vector<Core>& cores, float threshold,
                                 bool weighted, const Settings& settings) {
  std::vector<Object> objects;
  std::vector<Profile> profiles;
  std::map<std::pair<int, int>, bool> in_core;
  for (const Core& core : cores) {
    profiles.push_back(profile_of(core, threshold, weighted));
    Object object;
    object.flags = split;
    object.pixels = core.pixels;
    object.core_x = profiles.back().shape.x;
    object.core_y = profiles.back().shape.y;
    objects.push_back(std::move(object));
    for (const Pixel& pixel : core.pixels) in_core[{pixel.y, pixel.x}] = true;
  }
  for (const Pixel& pixel : component.pixels) {
    if (in_core.count({pixel.y, pixel.x}) != 0) continue;
    objects[choose(pixel, profiles, settings.random_leftovers)].pixels.push_back(pixel);
  }
  return objects;
}

}  // namespace srcextract::oracle
