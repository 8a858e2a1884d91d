#include "pipeline/outputs/injection/inject_gaussians.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/extracted_noise.hpp"
#include "pipeline/chain/fit_sources.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "pipeline/extract/local_beams_of.hpp"
#include "pipeline/outputs/completeness/altered_image.hpp"
#include "pipeline/outputs/completeness/random_places.hpp"
#include "stages/core/error.hpp"
#include "stages/fit/model_rows.hpp"

namespace srcextract {
namespace {

constexpr double beams_apart = 50, least_shape_snr = 10;
constexpr std::size_t least_shapes = 10;
constexpr double most_ratio = 2, least_ratio = 1.0 / 6;

enum class Change { add, subtract };

/// Adds the Gaussians to the image, or subtracts the Gaussians.
void change(const std::vector<ComponentRow>& gaussians, Change how, Image<float, Cpu>& image) {
  ModelRows model(gaussians, image.shape);
  std::vector<float> row(static_cast<std::size_t>(image.shape.width));
  const float sign = how == Change::add ? 1 : -1;
  for (std::int64_t y = 0; y < image.shape.height; ++y) {
    model.fill(y, row.data());
    float* const pixels = image.pixels.data() + y * image.shape.width;
    for (std::size_t x = 0; x < row.size(); ++x) pixels[x] += sign * row[x];
  }
}

/// Sources of an extraction, sorted for searches by position.
class FittedByPlace {
 public:
  explicit FittedByPlace(std::vector<ComponentRow> rows) : rows_(std::move(rows)) {
    std::ranges::stable_sort(rows_, {}, &ComponentRow::y);
  }

  /// The nearest source within `radius` pixels whose peak lies in the range; null if there is none.
  const ComponentRow* nearest(double x, double y, double radius, double least_peak, double most_peak) const {
    const ComponentRow* best = nullptr;
    double squared = radius * radius;
    for (auto one = std::ranges::lower_bound(rows_, y - radius, {}, &ComponentRow::y);
         one != rows_.end() && one->y <= y + radius; ++one) {
      const double dx = one->x - x, dy = one->y - y, distance = dx * dx + dy * dy;
      if (distance > squared || one->peak < least_peak || one->peak > most_peak) continue;
      best = &*one;
      squared = distance;
    }
    return best;
  }

 private:
  std::vector<ComponentRow> rows_;
};

/// The shapes of the map's well fitted Gaussians with a high S/N, for injection. The beam's shape replaces a shape that
/// is smaller than the beam.
std::vector<GaussianShape> shapes_of(const FittedIslands& fitted) {
  constexpr int bad = fit_flag::moments | fit_flag::unconverged | fit_flag::beam_shape | fit_flag::at_edge;
  std::vector<GaussianShape> shapes;
  for (const ComponentRow& row : fitted.gaussians)
    if ((row.flags & bad) == 0 && row.peak >= least_shape_snr * row.of_island.rms)
      shapes.push_back(row.shape.determinant() > shape_of(row.beam).determinant() ? row.shape : shape_of(row.beam));
  return shapes;
}

InjectedRow row_of(const ComponentRow& gaussian, std::int64_t round) {
  InjectedRow row;
  row.round = round;
  row.snr = gaussian.peak / gaussian.of_island.rms;
  row.shape = gaussian.shape;
  row.truth = {gaussian.peak, gaussian.total, gaussian.x, gaussian.y};
  return row;
}

class InjectionRuns {
 public:
  InjectionRuns(const ImageInput& input, const Extraction& extraction, const InjectionPlan& plan, const Cpu& where)
      : input_(input),
        where_(where),
        plan_(plan),
        config_(config_of_altered(input.config())),
        beam_(extraction.fitted->beam),
        beams_at_(local_beams_of(input)),
        residual_(frame_of(input, where)) {
    config_.kept.sky = true;
    if (plan.shapes == InjectedShapes::catalogue) shapes_ = shapes_of(*extraction.fitted);
    change(extraction.fitted->gaussians, Change::subtract, residual_);
    empty_ = extract_on_host(exposure_with(input.exposure, residual_), config_, where);
    above_ = copy_of(empty_.check.above, where);
    fit_sources(config_, beams_at_, where, empty_);
  }

  Injection run() {
    Injection out{.plan = plan_};
    if (plan_.shapes == InjectedShapes::catalogue && shapes_.size() < least_shapes) {
      out.problem = "the map has " + std::to_string(shapes_.size()) +
                    " well fitted Gaussians above 10 sigma whose shapes could be taken, and 10 are needed";
      return out;
    }
    const FittedByPlace before(empty_.fitted->sources);
    const ExtractedNoise noise(empty_, config_, where_);
    const auto side = std::max<std::int64_t>(4, std::llround(std::ceil(std::sqrt(beams_apart * beam_.area()))));
    const Cells cells{.side = side, .margin = side / 4};
    const std::int64_t in_a_round = std::max<std::int64_t>(1, above_.shape.count() / (side * side));
    const std::int64_t rounds = plan_.rounds > 0 ? plan_.rounds : 8 + 4 * plan_.number / in_a_round;
    const std::int64_t most = plan_.rounds > 0 ? (plan_.number + plan_.rounds - 1) / plan_.rounds : plan_.number;
    for (; out.rounds < rounds && std::ssize(out.rows) < plan_.number; ++out.rounds) {
      std::vector<PixelPlace> places = places_of_pass(above_, out.rounds, cells);
      const std::int64_t wanted = std::min({most, plan_.number - std::ssize(out.rows), std::ssize(places)});
      places.resize(static_cast<std::size_t>(wanted));
      add_round(places, noise, before, out);
    }
    out.bins = summarize_rows(out.rows, plan_);
    return out;
  }

 private:
  void add_round(const std::vector<PixelPlace>& places, const ExtractedNoise& noise, const FittedByPlace& before,
                 Injection& out) const {
    if (places.empty()) return;
    std::vector<ComponentRow> gaussians;
    for (const PixelPlace& place : places)
      gaussians.push_back(gaussian_at(place, noise.at(place.x, place.y), std::ssize(out.rows) + std::ssize(gaussians)));
    Image<float, Cpu> image = copy_of(residual_, where_);
    change(gaussians, Change::add, image);
    Extraction found = extract_on_host(exposure_with(input_.exposure, image), config_, where_);
    fit_sources(config_, beams_at_, where_, found);
    const FittedByPlace after(std::move(found.fitted->sources));
    for (const ComponentRow& gaussian : gaussians)
      out.rows.push_back(look_for(gaussian, row_of(gaussian, out.rounds), before, after));
  }

  /// Gaussian number `i`, at a random position within the pixel `place`. The S/N is a function of `i`.
  ComponentRow gaussian_at(const PixelPlace& place, double noise, std::int64_t i) const {
    ComponentRow row;
    const double decades = portable_log(plan_.most_snr / plan_.least_snr);
    row.of_island.rms = noise;
    row.peak = noise * plan_.least_snr * portable_exp(spread_evenly(i) * decades);
    row.x = static_cast<double>(place.x) + random(Purpose::noise, 2 * i) - 0.5;
    row.y = static_cast<double>(place.y) + random(Purpose::noise, 2 * i + 1) - 0.5;
    const double x[] = {row.x}, y[] = {row.y};
    row.beam = beams_at_ ? beams_at_(x, y).front() : beam_;
    const GaussianShape beam = shape_of(row.beam);
    row.shape =
        shapes_.empty() ? beam : shapes_[static_cast<std::size_t>(random_below(std::ssize(shapes_), Purpose::star, i))];
    row.total = row.peak * std::sqrt(row.shape.determinant() / beam.determinant()) * beam_unit(row.beam, beam_);
    return row;
  }

  InjectedRow look_for(const ComponentRow& gaussian, InjectedRow row, const FittedByPlace& before,
                       const FittedByPlace& after) const {
    const double radius = std::sqrt(fwhm_squared * gaussian.shape.axis(1)) / 2;
    const auto near = [&](const FittedByPlace& sources, double least) {
      return sources.nearest(gaussian.x, gaussian.y, radius, least * gaussian.peak, most_ratio * gaussian.peak);
    };
    const ComponentRow* const found = near(after, least_ratio);
    if (found == nullptr || near(before, 1 / most_ratio) != nullptr) return row;
    row.found = true;
    const double unit = beam_unit(found->beam, beam_);
    row.measured = {found->peak, unit * found->total, found->x, found->y};
    constexpr std::array<FittedValue, injected_values> values = {of_peak_flux, of_total_flux, of_x, of_y};
    for (std::size_t i = 0; i < values.size(); ++i) row.error[i] = std::sqrt(found->covariance[values[i]][values[i]]);
    row.error[injected_total] *= unit;
    return row;
  }

  const ImageInput& input_;
  const Cpu& where_;
  InjectionPlan plan_;
  Config config_;
  PixelBeam beam_;
  BeamsAt beams_at_;
  std::vector<GaussianShape> shapes_;
  Image<float, Cpu> residual_, above_;
  Extraction empty_;  ///< extraction of the residual
};

}  // namespace

Injection inject_gaussians(const ImageInput& input, const Extraction& extraction, const InjectionPlan& plan,
                           const Cpu& where) {
  return InjectionRuns(input, extraction, plan, where).run();
}

std::optional<Injection> measure_injection(const ImageInput& input, const Extraction& extraction, const Cpu& where) {
  const std::int64_t wanted = input.config().output.report_copies;
  if (wanted == 0 || !extraction.fitted) return std::nullopt;
  const InjectionPlan plan{.number = wanted};
  try {
    return inject_gaussians(input, extraction, plan, where);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    // A small map may show no sky once a bright Gaussian is added. The map's own catalogue is complete, so this is no
    // error of the run.
    Injection none{.plan = plan};
    none.problem = std::string("the map could not be extracted with Gaussians in it: ") + error.what();
    return none;
  }
}

}  // namespace srcextract
