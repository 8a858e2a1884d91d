#include "pipeline/extract/measure_cube.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/chain/find_sky.hpp"
#include "pipeline/exposure/cube_planes.hpp"
#include "stages/core/error.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/fit/plane_fluxes.hpp"

namespace srcextract {
namespace {

/// A FITS table has at most 999 columns, and each channel needs three.
constexpr std::int64_t most_channels = 300;

/// Measures the Gaussians in the planes of one cube.
class CubeRun {
 public:
  CubeRun(const ImageInput& input, const Cpu& where, Extraction& extraction)
      : input_(input), where_(where), extraction_(extraction), config_(input.config()) {
    // A map of the sky level, or a given level or noise, is valid for the image but not for the planes of the cube.
    if (given_number(config_.given_sky.level) != 0) config_.given_sky.level.clear();
    config_.given_sky.level_hdu = HduNames("auto");
    config_.given_sky.rms.clear();
  }

  void channels() {
    const CubeAxes axes(image().header(), image().axes());
    const std::vector<CubePlane> of_i = channels_of(stokes_i, axes);
    if (std::ssize(of_i) > most_channels)
      throw Error(ErrorKind::input,
                  fmt::format("{}: {} has {} channels, and for more than {} a FITS table has not enough "
                              "columns; average neighbouring channels, or set fit.channels to false",
                              input_.name, file(), of_i.size(), most_channels));
    std::vector<BeamPlane> planes = beams_of(of_i);
    warn_of_frequencies(planes);
    std::vector<MeasuredPlane> measured;
    for (BeamPlane& plane : planes) measured.push_back(measure(plane, [&] { return read(plane.at.number); }));
    std::vector<double> noise;
    for (const MeasuredPlane& one : measured) noise.push_back(one.noise);
    leave_out_noisy(noise, planes);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      if (planes[i].problem.empty()) continue;
      measured[i].left_out = planes[i].problem;
      measured[i].gaussians.clear();
      measured[i].sources.clear();
    }
    extraction_.fitted->channels = std::move(measured);
  }

  void polarisations() {
    const CubeAxes axes(image().header(), image().axes());
    for (const int stokes : {stokes_q, stokes_u, stokes_v})
      if (std::vector<CubePlane> planes = channels_of(stokes, axes); !planes.empty())
        extraction_.fitted->polarised.push_back(measure_polarisation(std::move(planes), axes));
    if (extraction_.fitted->polarised.empty())
      throw Error(ErrorKind::input,
                  input_.name + ": fit.stokes is true, and " + file() +
                      " has no plane of Stokes Q, U or V by its axis STOKES; set it to false, or name the file that "
                      "has them with fit.cube");
  }

 private:
  bool is_own() const { return input_.cube == &input_.frame; }
  const FitsImage& image() const { return input_.cube->image(); }
  const std::string& file() const { return is_own() ? input_.file.path : input_.file.config->config.fit.cube; }
  /// Number of the plane whose coordinates along other axes (frequency, Stokes) the measured planes share.
  std::int64_t first_plane() const { return input_.cube->plane_numbers().front(); }

  std::vector<CubePlane> channels_of(int stokes, const CubeAxes& axes) const {
    const CubePlane like = axes.plane(first_plane());
    std::vector<CubePlane> found = axes.channels_of(stokes, like);
    // If the cube has no Stokes I, its first plane's polarisation is measured instead.
    return found.empty() && stokes == stokes_i ? axes.channels_of(like.stokes, like) : found;
  }

  /// Whether the Gaussians were fitted in this plane, or in a sum of planes that includes this plane.
  bool is_fitted(const CubePlane& plane) const {
    return is_own() && std::ranges::count(input_.frame.plane_numbers(), plane.number) > 0;
  }

  /// The settings with which the beams of the planes are found. For planes of the image's own file, the section `beam`
  /// of the configuration. For another file, its header; the section `beam` only if that header has no beam.
  BeamConfig told_beam(const std::vector<CubePlane>& planes) const {
    if (is_own()) return config_.beam;
    const std::vector<BeamPlane> found = find_plane_beams(image(), file(), BeamConfig{}, planes);
    const bool any = std::ranges::any_of(found, [](const BeamPlane& one) { return one.beam.has_value(); });
    return any ? BeamConfig{} : input_.file.config->config.beam;
  }
  std::vector<BeamPlane> beams_of(const std::vector<CubePlane>& planes) const {
    return find_plane_beams(image(), file(), told_beam(planes), planes);
  }

  /// Throws Error{input} if only one of the cube and the fitted image has fluxes in jansky, since their fluxes are
  /// compared.
  void require_like_units(const PixelBeam& beam, const std::vector<std::string>& warnings) const {
    if (is_own() || (beam.to_jansky > 0) == (config_.resources.beam->to_jansky > 0)) return;
    throw Error(
        ErrorKind::input,
        fmt::format("{}: fit.cube: fluxes in {} have {}, and those of the image have {}{}; set BUNIT in both",
                    input_.name, file(), beam.to_jansky > 0 ? "janskys" : "no unit",
                    beam.to_jansky > 0 ? "no unit" : "janskys", warnings.empty() ? "" : ": " + warnings.back()));
  }

  /// Warns that there will be no spectral indices if a plane has no frequency, or if all have the same frequency.
  void warn_of_frequencies(const std::vector<BeamPlane>& planes) const {
    const auto [least, most] = std::ranges::minmax(planes, {}, [](const BeamPlane& one) { return one.at.frequency; });
    if (least.at.frequency > 0 && least.at.frequency < most.at.frequency) return;
    spdlog::warn(
        "{}: {}: {}, so there are no spectral indices", input_.name, file(),
        planes.size() == 1
            ? "it has one channel"
            : "its header tells no frequencies of the channels (an axis FREQ with CDELT, or VRAD with RESTFRQ)");
  }

  Pixels<Cpu> read(std::int64_t plane) const {
    return masked(ingest(cube_plane(image(), plane, config_.input), where_));
  }

  Pixels<Cpu> masked(Pixels<Cpu> pixels) const {
    if (input_.exposure.mask) apply_mask(ingest(*input_.exposure.mask, where_).image, pixels, where_);
    return pixels;
  }

  MeasuredPlane measure_polarisation(std::vector<CubePlane> planes, const CubeAxes& axes) const {
    const bool combined = planes.size() > 1 && (!is_own() || !input_.frame.weights().empty());
    if (!combined) {
      const std::int64_t channel = is_own() ? axes.plane(first_plane()).channel : planes.front().channel;
      std::erase_if(planes, [&](const CubePlane& one) { return one.channel != channel; });
      BeamPlane plane = beams_of(planes).front();
      return measure(plane, [&] { return read(plane.at.number); });
    }
    std::vector<std::int64_t> numbers;
    for (const CubePlane& one : planes) numbers.push_back(one.number);
    const BeamConfig beam = told_beam(planes);
    const CombinedChannels sum = combine_channels(image(), file(), beam, config_.background, config_.input, numbers);
    for (const std::string& one : sum.left_out) spdlog::warn("{}: {}", input_.name, one);
    const BeamPlaces places{image().header(), image().primary_header(), file(), image().axes(), sum.planes,
                            sum.weights};
    BeamPlane plane{axes.plane(sum.planes.front()), find_beam(beam, places).beam, ""};
    plane.at.frequency = mean_over(sum.planes, sum.weights, [&](std::int64_t n) { return axes.plane(n).frequency; });
    return measure(plane, [&] { return masked(ingest(sum.image, where_)); });
  }

  /// Measures the Gaussians in a plane whose pixels `read` returns. If the plane cannot be used, sets plane.problem to
  /// the reason.
  template <class Read>
  MeasuredPlane measure(BeamPlane& plane, Read&& read) const {
    MeasuredPlane out{.plane = plane.at.number,
                      .channel = plane.at.channel + 1,
                      .stokes = plane.at.stokes,
                      .frequency = plane.at.frequency};
    if (plane.problem.empty()) measure_pixels(plane, read(), out);
    out.left_out = plane.problem;
    return out;
  }

  void measure_pixels(BeamPlane& plane, Pixels<Cpu> pixels, MeasuredPlane& out) const {
    const Shape shape = pixels.image.shape;
    if (pixels.masked->total() == shape.count()) {
      plane.problem = "all its pixels are blank";
      return;
    }
    std::vector<std::string> warnings;
    PixelBeam beam = beam_in_pixels(*plane.beam, image().header(), shape, config_.measurement.pixel_scale, warnings);
    const BeamPlaces places{image().header(), image().primary_header(), file(), image().axes(), {plane.at.number}};
    beam.to_jansky = jansky_per_beam(*plane.beam, beam.area(), places, warnings);
    require_like_units(beam, warnings);
    out.major = plane.beam->major;
    out.minor = plane.beam->minor;
    out.angle = plane.beam->angle;
    const BeamsAt beams_at = local_beams(*plane.beam, beam, image().header(), shape);
    measure_above_sky(plane, std::move(pixels.image), beam, beams_at, out);
  }

  void measure_above_sky(BeamPlane& plane, Image<float, Cpu> image, const PixelBeam& beam, const BeamsAt& beams_at,
                         MeasuredPlane& out) const {
    MeshSky<Cpu> sky = estimate_sky(image, config_, where_);
    NoiseMap<Cpu> noise;
    Image<float, Cpu> above;
    if (sky.mesh.level.empty()) {
      const Background level = *sky.background;
      out.noise = level.clipped.sigma;
      above = std::move(image);
      for (float& pixel : above.pixels) pixel -= static_cast<float>(level.clipped.median);
    } else {
      out.noise = sky.background->clipped.sigma;
      noise.mesh = &sky.mesh;
      above = subtract_sky(std::move(image), sky.mesh, where_);
    }
    if (!(out.noise > 0)) {
      plane.problem = "it has no noise";
      return;
    }
    const RmsOfPixels rms(noise, where_);
    const FitMap map{above, extraction_.runs, extraction_.label, noise.varies() ? 1 : out.noise,
                     noise.varies() ? &rms : nullptr};
    FluxesOfPlane fluxes =
        measure_plane(map, *extraction_.fitted, beam, beams_at, config_.fit, is_fitted(plane.at), where_);
    out.noise_area = fluxes.noise_area;
    const double factor = beam.to_jansky > 0 ? beam.to_jansky : 1;
    for (PlaneFluxes* all : {&fluxes.gaussians, &fluxes.sources})
      for (PlaneFlux& one : *all) {
        one.total *= factor;
        one.error *= factor;
        one.error_of_noise *= factor;
      }
    out.gaussians = std::move(fluxes.gaussians);
    out.sources = std::move(fluxes.sources);
  }

  const ImageInput& input_;
  const Cpu& where_;
  Extraction& extraction_;
  Config config_;
};

}  // namespace

void measure_cube(const ImageInput& input, const Cpu& where, Extraction& extraction) {
  CubeRun run(input, where, extraction);
  if (input.config().fit.channels) run.channels();
  if (input.config().fit.stokes) run.polarisations();
  for (const auto* planes : {&extraction.fitted->channels, &extraction.fitted->polarised})
    for (const MeasuredPlane& plane : *planes)
      if (!plane.left_out.empty())
        spdlog::warn("{}: {} is not measured: {}", input.name,
                     name_of({.number = plane.plane,
                              .channel = plane.channel - 1,
                              .stokes = plane.stokes,
                              .frequency = plane.frequency}),
                     plane.left_out);
}

}  // namespace srcextract
