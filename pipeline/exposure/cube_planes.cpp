#include "pipeline/exposure/cube_planes.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "io/fits/header.hpp"
#include "io/wcs/unit.hpp"
#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/padding.hpp"
#include "stages/core/error.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {
namespace {

constexpr double most_noise = 3;  // in units of the median noise of all channels

/// Sets the beam of one plane, or `problem` if the plane has no beam.
void find_beam_of(const FitsImage& image, const std::string& path, const BeamConfig& config, BeamPlane& plane) {
  const std::string& header = image.header();
  try {
    plane.beam = find_beam(config, {header, image.primary_header(), path, image.axes(), {plane.at.number}}).beam;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    plane.problem = "it has no beam";
  }
}

/// A plane of a weighted mean. `level` is subtracted from its pixels; `weight` is the inverse of its noise variance.
struct Summand {
  PixelSource pixels;
  double level = 0, weight = 0;
};

void read_sum(const std::vector<Summand>& all, std::int64_t first, std::int64_t count, float* out) {
  std::vector<double> sums(static_cast<std::size_t>(count)), weights(static_cast<std::size_t>(count));
  for (const Summand& one : all) {
    const Image<float, Cpu> part = read_part(one.pixels, first, count);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float value = part.pixels[static_cast<std::int64_t>(i)];
      if (std::isnan(value)) continue;
      sums[i] += one.weight * (static_cast<double>(value) - one.level);
      weights[i] += one.weight;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    out[i] = weights[i] > 0 ? static_cast<float>(sums[i] / weights[i]) : std::numeric_limits<float>::quiet_NaN();
}

PixelSource sum_source(const Shape& shape, std::vector<Summand> all) {
  PixelSource source{.shape = shape, .format = {.bitpix = -32, .big_endian = false}, .read = {}};
  source.read = [all = std::move(all)](std::int64_t first, std::int64_t count, std::byte* out) {
    constexpr std::int64_t together = 1 << 16;
    std::vector<float> values;
    for (std::int64_t done = 0; done < count; done += together) {
      values.resize(static_cast<std::size_t>(std::min(together, count - done)));
      read_sum(all, first + done, std::ssize(values), values.data());
      std::memcpy(out + done * static_cast<std::int64_t>(sizeof(float)), values.data(), values.size() * sizeof(float));
    }
  };
  return source;
}

std::vector<CubePlane> planes_to_combine(const FitsImage& image, const std::vector<std::int64_t>& wanted) {
  const CubeAxes axes(image.header(), image.axes());
  std::vector<CubePlane> planes;
  for (const std::int64_t number : wanted) {
    image.plane(number);  // throws Error{input} if there is no such plane
    planes.push_back(axes.plane(number));
  }
  if (!wanted.empty()) return planes;
  planes = axes.channels_of(stokes_i, axes.plane(choose_plane(image)));
  return planes.empty() ? axes.channels_of(axes.plane(1).stokes, axes.plane(1)) : planes;
}

}  // namespace

std::vector<BeamPlane> find_plane_beams(const FitsImage& image, const std::string& path, const BeamConfig& config,
                                        const std::vector<CubePlane>& planes) {
  std::vector<BeamPlane> found;
  bool by_table = false;
  for (const CubePlane& plane : planes) {
    found.push_back({plane, std::nullopt, ""});
    find_beam_of(image, path, config, found.back());
    by_table = by_table || (found.back().beam && found.back().beam->origin == BeamSource::table);
  }
  for (BeamPlane& plane : found)
    if (by_table && plane.beam && plane.beam->origin != BeamSource::table) {
      plane.beam.reset();
      plane.problem = "it has no beam in the table BEAMS";
    }
  return found;
}

std::string name_of(const CubePlane& plane) {
  constexpr const char* letters = "IQUV";
  const bool is_polarised = plane.stokes >= stokes_q && plane.stokes <= stokes_v;
  return fmt::format("{}channel {} (plane {}{})",
                     is_polarised ? fmt::format("Stokes {}, ", letters[plane.stokes - 1]) : "", plane.channel + 1,
                     plane.number, plane.frequency > 0 ? fmt::format(", {:.6g} GHz", plane.frequency / 1e9) : "");
}

PixelSource cube_plane(const FitsImage& image, std::int64_t plane, const InputConfig& input) {
  return plane_without_padding(image, plane, {.wanted = input.padding, .zeros_inside = true});
}

void leave_out_noisy(const std::vector<double>& noise, std::vector<BeamPlane>& planes) {
  std::vector<double> sorted;
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (planes[i].problem.empty()) sorted.push_back(noise[i]);
  if (sorted.empty()) return;
  std::ranges::sort(sorted);
  const double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (planes[i].problem.empty() && noise[i] > most_noise * median)
      planes[i].problem = fmt::format("its noise is {:.3g} times the median of the channels", noise[i] / median);
}

CombinedChannels combine_channels(const FitsImage& image, const std::string& path, const BeamConfig& beam,
                                  const BackgroundConfig& background, const InputConfig& input,
                                  const std::vector<std::int64_t>& planes) {
  constexpr Cpu one_thread{1};  // other threads combine other images at the same time
  if (unit_factor(fits_unit(Header(image.header()).first_text("BUNIT")), "K"))
    throw Error(ErrorKind::input,
                "the channels are in K, of which each frequency makes other janskys, so their sum has no flux: convert "
                "the cube to Jy/beam, or set combine.method to none");
  std::vector<BeamPlane> channels = find_plane_beams(image, path, beam, planes_to_combine(image, planes));
  const bool none_has_a_beam =
      std::ranges::none_of(channels, [](const BeamPlane& one) { return one.beam.has_value(); });
  std::vector<double> noise(channels.size()), level(channels.size());
  std::vector<PixelSource> sources(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (none_has_a_beam)
      channels[i].problem =
          "";  // not an error here: the code that needs the beam reports the lack of one, with remedies
    if (!channels[i].problem.empty()) continue;
    sources[i] = cube_plane(image, channels[i].at.number, input);
    const Pixels<Cpu> pixels = ingest(sources[i], one_thread);
    const Statistics sky = estimate_background(pixels.image, background, one_thread)->clipped;
    noise[i] = sky.sigma;
    level[i] = sky.median;
    if (!(sky.sigma > 0)) channels[i].problem = "it is blank";
  }
  leave_out_noisy(noise, channels);
  CombinedChannels out;
  std::vector<Summand> summands;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const CubePlane& at = channels[i].at;
    if (!channels[i].problem.empty()) {
      out.left_out.push_back(name_of(at) + " is left out of the combination: " + channels[i].problem);
      continue;
    }
    out.planes.push_back(at.number);
    out.weights.push_back(1 / (noise[i] * noise[i]));
    summands.push_back({std::move(sources[i]), level[i], out.weights.back()});
  }
  if (summands.empty())
    throw Error(ErrorKind::input,
                "no channel can be combined: " + (out.left_out.empty() ? "there is none" : out.left_out.front()) +
                    "; set combine.method to none and input.plane to a plane");
  out.image = sum_source(image.plane(out.planes.front()).shape, std::move(summands));
  return out;
}

}  // namespace srcextract
