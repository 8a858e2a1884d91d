#include "stages/detect/filter_noise.hpp"

#include "stages/detect/filter_noise_rule.hpp"
#include "stages/detect/matched_pixel.hpp"
#include "stages/detect/significance_counts.hpp"

namespace srcextract {
namespace {

double noise_on_side(SideOfZero side, const Image<float, Cpu>& match, double sigma, const Cpu& where) {
  const Buffer<std::int64_t, Cpu> counts =
      count_significance(match, levels_beside_zero(sigma, side), NoiseMap<Cpu>{}, where);
  std::int64_t on_side = 0;
  for (int bin = 0; bin < significance_bins; ++bin) on_side += counts[bin];
  double one = 0, two = 0;
  std::int64_t beyond = 0;
  for (int bin = significance_bins - 1; bin >= 0; --bin) {
    find_share(bin, beyond, counts[bin], on_side, share_beyond_one, one);
    find_share(bin, beyond, counts[bin], on_side, share_beyond_two, two);
    beyond += counts[bin];
  }
  return noise_by_depths(one, two, on_side);
}

}  // namespace

Value<double, Cpu> filter_noise(const Image<float, Cpu>& match, const Value<Levels, Cpu>& levels, const Cpu& where) {
  const double sigma = sigma_of_match(*levels);
  return noise_of_sides(noise_on_side(SideOfZero::below, match, sigma, where),
                        noise_on_side(SideOfZero::above, match, sigma, where));
}

}  // namespace srcextract
