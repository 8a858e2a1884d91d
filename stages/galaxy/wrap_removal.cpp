#include "stages/galaxy/wrap_removal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "stages/core/vector_clones.hpp"
#include "stages/galaxy/eight_lanes.hpp"
#include "stages/galaxy/wrap_profile.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

using std::numbers::pi;

constexpr int derived_images = 7;

/// Sums the light of the nearest copies at every node. to: [images][padded].
template <int images>
inline void sum_nearest(const NearCopies& copies, const WrapPlaces::Nodes& nodes, float x, float y, float* to) {
  for (int i = 0; i < nodes.padded; i += eight) {
    const Eight dx = load_eight(nodes.x.data() + i) - x, dy = load_eight(nodes.y.data() + i) - y;
    const Eight one = 0.0F * dx + 1.0F;
    Eight sums[images] = {};
    for (int copy = 0; copy < copies.count; ++copy) {
      const Eight there_x = dx + copies.column[copy], there_y = dy + copies.row[copy];
      const ThinSteps& steps = copies.steps;
      for (int k = 0; k < steps.count; ++k)
        add_profile<images>(copies.profile, there_x + steps.dx[k], there_y + steps.dy[k], one * steps.weight[k], sums);
    }
    for (int j = 0; j < images; ++j) store_eight(sums[j], to + std::ptrdiff_t{j} * nodes.padded + i);
  }
}

/// Mean light of the copies in rings 2 and 3.
template <int images>
inline void sum_far(const WrapProfile& of, const WrapPlaces& places, float x, float y, double* to) {
  Eight sums[images] = {};
  for (int i = 0; i < WrapPlaces::far_points; i += eight) {
    const Eight dx = load_eight(places.far_x().data() + i) - x, dy = load_eight(places.far_y().data() + i) - y;
    const Eight weight = load_eight(places.far_weight().data() + i);
    add_profile<images>(of, dx, dy, weight, sums);
  }
  for (int j = 0; j < images; ++j) {
    for (int lane = 0; lane < eight; ++lane) to[j] += static_cast<double>(sums[j][lane]);
  }
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void sum_nearest_of_image(const NearCopies& copies,
                                                                      const WrapPlaces::Nodes& nodes, float x, float y,
                                                                      float* to) {
  sum_nearest<1>(copies, nodes, x, y, to);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void sum_nearest_of_all(const NearCopies& copies,
                                                                    const WrapPlaces::Nodes& nodes, float x, float y,
                                                                    float* to) {
  sum_nearest<derived_images>(copies, nodes, x, y, to);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void sum_far_of_image(const WrapProfile& of, const WrapPlaces& places,
                                                                  float x, float y, double* to) {
  sum_far<1>(of, places, x, y, to);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void sum_far_of_all(const WrapProfile& of, const WrapPlaces& places,
                                                                float x, float y, double* to) {
  sum_far<derived_images>(of, places, x, y, to);
}

/// Light of all copies beyond the third ring.
void add_farthest(const WrapPlaces& places, const WrappedProfile& of, bool derivatives, double* to) {
  const Symmetric2& s = of.matrix->sigma;
  const double det = s.determinant(), root = std::sqrt(det);
  double sums[derived_images] = {};
  for (const WrapPlaces::Angle& at : places.edge()) {
    const double ux = (s.yy * at.cosine - s.xy * at.sine) / det, uy = (s.xx * at.sine - s.xy * at.cosine) / det;
    const double u = ux * at.cosine + uy * at.sine;
    const LightBeyond light = light_beyond(*of.index, u * at.distance2);
    sums[0] += light.part / u;
    if (!derivatives) continue;
    sums[3] -= light.by_radius / u;
    const auto turned = [&](const Symmetric2& d) { return ux * ux * d.xx + 2 * ux * uy * d.xy + uy * uy * d.yy; };
    const double by_u = (light.part - light.by_radius / 2) / (u * u);
    sums[4] += by_u * turned(of.matrix->by_e1);
    sums[5] += by_u * turned(of.matrix->by_e2);
    sums[6] += light.by_index / u;
  }
  const double by = 1 / (WrapPlaces::angles * root * places.side() * places.side());
  for (int j = 0; j < derived_images; ++j) to[j] += by * sums[j];
}

/// Subtracts Σ spread[a][y] light[a][b] spread[b][x] from an image. along_y: working memory, [count][side].
template <int count>
inline void spread_light(int side, const float* spread, const float* light, float* along_y, float* image) {
  for (int b = 0; b < count; ++b) {
    for (int y = 0; y < side; y += eight) {
      Eight sum = {};
      for (int a = 0; a < count; ++a) sum += light[a * count + b] * load_eight(spread + std::ptrdiff_t{a} * side + y);
      store_eight(sum, along_y + std::ptrdiff_t{b} * side + y);
    }
  }
  for (int y = 0; y < side; ++y) {
    float* const row = image + std::ptrdiff_t{y} * side;
    for (int x = 0; x < side; x += eight) {
      Eight sum = {};
      for (int b = 0; b < count; ++b) sum += along_y[b * side + y] * load_eight(spread + std::ptrdiff_t{b} * side + x);
      store_eight(load_eight(row + x) - sum, row + x);
    }
  }
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void spread_six(int side, const float* spread, const float* light,
                                                            float* along_y, float* image) {
  spread_light<6>(side, spread, light, along_y, image);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void spread_ten(int side, const float* spread, const float* light,
                                                            float* along_y, float* image) {
  spread_light<10>(side, spread, light, along_y, image);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void spread_twenty(int side, const float* spread, const float* light,
                                                               float* along_y, float* image) {
  spread_light<20>(side, spread, light, along_y, image);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void spread_forty(int side, const float* spread, const float* light,
                                                              float* along_y, float* image) {
  spread_light<40>(side, spread, light, along_y, image);
}

}  // namespace

WrapPlaces::WrapPlaces(int side) : side_(side) {
  constexpr int counts[] = {6, 10, 20, 40};
  for (int which = 0; which < 4; ++which) {
    Nodes& nodes = nodes_[which];
    const int count = counts[which];
    nodes.count = count;
    nodes.padded = (count * count + 7) / 8 * 8;
    std::vector<double> at(count);
    for (int a = 0; a < count; ++a) at[a] = portable_cosine_sine(pi * (a + 0.5) / count).cosine * side / 2;
    nodes.x.reset(nodes.padded);
    nodes.y.reset(nodes.padded);
    for (int i = 0; i < nodes.padded; ++i) {
      nodes.y.data()[i] = static_cast<float>(at[std::min(i / count, count - 1)]);
      nodes.x.data()[i] = static_cast<float>(at[i % count]);
    }
    nodes.spread.reset(static_cast<std::size_t>(count) * side);
    for (int a = 0; a < count; ++a) {
      for (int pixel = 0; pixel < side; ++pixel) {
        const int from_middle = pixel - side / 2;
        double product = 1;
        for (int b = 0; b < count; ++b) {
          if (b != a) product *= (from_middle - at[b]) / (at[a] - at[b]);
        }
        nodes.spread.data()[a * side + pixel] = static_cast<float>(product);
      }
    }
  }
  far_x_.reset(far_points);
  far_y_.reset(far_points);
  far_weight_.reset(far_points);
  const double gauss = std::sqrt(0.6) * side / 2;
  constexpr int most_ring = 3;
  int i = 0;
  for (int row = -most_ring; row <= most_ring; ++row) {
    for (int column = -most_ring; column <= most_ring; ++column) {
      if (std::max(std::abs(row), std::abs(column)) < 2) continue;
      for (int gy = -1; gy <= 1; ++gy) {
        for (int gx = -1; gx <= 1; ++gx, ++i) {
          far_x_.data()[i] = static_cast<float>(column * side + gx * gauss);
          far_y_.data()[i] = static_cast<float>(row * side + gy * gauss);
          far_weight_.data()[i] = static_cast<float>((gx == 0 ? 8 : 5) * (gy == 0 ? 8 : 5) / 324.0);
        }
      }
    }
  }
  for (int k = 0; k < angles; ++k) {
    const CosineSine turn = portable_cosine_sine((k + 0.5) * pi / angles);
    const double distance = (most_ring + 0.5) * side * edge_distance(turn.cosine, turn.sine);
    edge_[k] = {turn.cosine, turn.sine, distance * distance};
  }
}

std::size_t wrap_memory(int side) {
  return static_cast<std::size_t>(WrapPlaces::most_nodes) * (WrapPlaces::most_nodes * derived_images + side) + 64;
}

void remove_wrap(const WrapPlaces& places, const WrappedProfile& of, int images, float* const* image, float* memory) {
  // Light per pixel of a profile of flux 1 that does not matter; for derivatives, ring 2, and the light of all other
  // copies.
  constexpr double negligible = 1e-8, of_derivatives = 1e-6, of_ring = 3e-11, of_rest = 1e-10, thin = 0.15;
  const EdgeLight edge(of);
  const double half = places.side() / 2.0, brightest = edge.at(half);
  if (!(brightest > negligible)) return;
  const bool derivatives = images > 1 && brightest > of_derivatives;
  const double q = portable_exp(-length_of(of.shape->e1, of.shape->e2));
  const WrapPlaces::Nodes &nodes = places.nodes(q, false), &fewer = places.nodes(q, true);
  const auto x = static_cast<float>(of.x), y = static_cast<float>(of.y);
  const NearCopies copies(of, edge, q, thin, places.side(), negligible / 8);
  float* const light = memory;  // then that of the derivatives, and the working memory of subtract()
  sum_nearest_of_image(copies, nodes, x, y, light);
  float* const of_derived = light + nodes.padded;
  if (derivatives) sum_nearest_of_all(copies, fewer, x, y, of_derived);
  float* const along_y = of_derived + (derivatives ? derived_images * fewer.padded : 0);
  double level[derived_images] = {};
  if (edge.at(3 * half) > of_ring) {
    const WrapProfile far(of, false);
    if (derivatives) {
      sum_far_of_all(far, places, x, y, level);
    } else {
      sum_far_of_image(far, places, x, y, level);
    }
  }
  if (edge.beyond(7 * half) > of_rest * places.side() * places.side()) add_farthest(places, of, derivatives, level);

  const auto subtract = [&](const WrapPlaces::Nodes& at, float* from, double further, float* to) {
    const auto sum = static_cast<float>(of.psf.sum), add = static_cast<float>(further);
    for (int i = 0; i < at.count * at.count; ++i) from[i] = (from[i] + add) * sum;
    const auto spread = at.count == 6    ? spread_six
                        : at.count == 10 ? spread_ten
                        : at.count == 20 ? spread_twenty
                                         : spread_forty;
    spread(places.side(), at.spread.data(), from, along_y, to);
  };
  subtract(nodes, light, level[0], image[0]);
  if (!derivatives) return;
  for (int j = 1; j < images; ++j) subtract(fewer, of_derived + std::ptrdiff_t{j} * fewer.padded, level[j], image[j]);
}

}  // namespace srcextract
