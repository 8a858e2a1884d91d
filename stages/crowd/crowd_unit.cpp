#include "stages/crowd/crowd_unit.hpp"

#include <cmath>
#include <cstddef>

namespace srcextract {

CrowdUnit::CrowdUnit(const CrowdImage& image) {
  constexpr int least = -6, most = 30;  // if the noise is from 2^least to 2^most, the unit is 1
  const double sigma = image.sigma > 0 ? image.sigma : std::sqrt(image.unit);
  if (!(sigma > 0) || !std::isfinite(sigma)) return;
  const int of_noise = std::ilogb(sigma);
  if (of_noise < least || of_noise > most) exponent_ = -of_noise;
}

CrowdImage CrowdUnit::convert(const CrowdImage& image, std::vector<float>& pixels) const {
  if (exponent_ == 0) return image;
  pixels.resize(static_cast<std::size_t>(image.shape.count()));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = std::ldexp(image.pixels[i], exponent_);
  CrowdImage out = image;
  out.pixels = pixels.data();
  out.background = std::ldexp(image.background, exponent_);
  out.unit = std::ldexp(image.unit, 2 * exponent_);
  out.sigma = std::ldexp(image.sigma, exponent_);
  out.gain = std::ldexp(image.gain, -exponent_);
  out.saturation = std::ldexp(image.saturation, exponent_);
  return out;
}

void CrowdUnit::restore(CrowdFit& fit) const {
  if (exponent_ == 0) return;
  const auto back = [&](auto& value) { value = std::ldexp(value, -exponent_); };
  for (CrowdRow& row : fit.rows) {
    back(row.flux);
    row.variance = std::ldexp(row.variance, -2 * exponent_);
    back(row.sky);
    back(row.confusion);
  }
  for (CrowdTurn& turn : fit.turns) back(turn.noise);
  for (CrowdBin& bin : fit.bins) {
    back(bin.flux);
    back(bin.bias);
    back(bin.scatter);
  }
  back(fit.noise);
  for (double& level : fit.sky.level) back(level);
  for (float& value : fit.model) back(value);
  for (float& value : fit.residual) back(value);
  fit.weight_unit = std::ldexp(1.0, exponent_);
}

}  // namespace srcextract
