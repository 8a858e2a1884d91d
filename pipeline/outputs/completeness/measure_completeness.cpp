#include "pipeline/outputs/completeness/measure_completeness.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/chain/detection.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "pipeline/outputs/completeness/altered_image.hpp"
#include "pipeline/outputs/completeness/random_places.hpp"
#include "pipeline/outputs/completeness/star_templates.hpp"
#include "pipeline/outputs/report_columns.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

constexpr std::size_t least_templates = 3;
constexpr Cells cells_of_stars = {.side = 64, .margin = 8};
constexpr double much_brighter = 0.75, much_fainter = 2, least_radius = 3;

/// Number `i` of a sequence of approximately normal numbers of variance 1: the sum of twelve uniform numbers, minus 6.
double random_normal(std::int64_t i) {
  double sum = -6;
  for (std::int64_t k = 0; k < 12; ++k) sum += random(Purpose::noise, 12 * i + k);
  return sum;
}

ReportLight light_of(const Sources& sources, const Config& config) {
  return report_light(report_columns(sources, {}), static_cast<std::size_t>(sources.size()),
                      config.measurement.zero_point);
}

/// Like config_of_altered(), with the column of the magnitude by which copies are recognised.
Config config_of_copies(const Config& given, const std::string& magnitude) {
  Config config = config_of_altered(given);
  if (magnitude == "MAG_AUTO") config.output.columns = {"FLUX_AUTO"};
  return config;
}

/// Positions and magnitudes of a catalogue's sources, sorted for searches by position.
class SourcesByPlace {
 public:
  SourcesByPlace(const Sources& sources, const ReportLight& light) {
    const auto &x = sources[columns::x_image], &y = sources[columns::y_image];
    for (std::size_t row = 0; row < light.magnitudes.size(); ++row)
      if (std::isfinite(light.magnitudes[row]) && !is_fainter_than_sky(sources, row))
        sources_.push_back({x[row], y[row], light.magnitudes[row]});
    std::ranges::sort(sources_, {}, &Source::y);
  }

  /// Whether a source within `radius` pixels of (x, y) has a magnitude above `bright` and below `faint`.
  bool has(double x, double y, double radius, double bright, double faint) const {
    for (auto one = std::ranges::lower_bound(sources_, y - radius, {}, &Source::y);
         one != sources_.end() && one->y <= y + radius; ++one)
      if (std::hypot(one->x - x, one->y - y) <= radius && one->magnitude > bright && one->magnitude < faint)
        return true;
    return false;
  }

 private:
  struct Source {
    double x, y, magnitude;
  };
  std::vector<Source> sources_;
};

struct MagnitudeRange {
  double bright, faint;
};

/// The range of magnitudes for the copies: from 3.5 mag brighter to 1.5 mag fainter than the median magnitude at which
/// a star's brightest pixel equals the threshold, but not brighter than the brightest star. Few stars fainter than that
/// magnitude are found.
MagnitudeRange range_of_copies(const std::vector<StarTemplate>& stars) {
  std::vector<double> limits;
  for (const StarTemplate& star : stars) limits.push_back(star.faintest);
  const auto middle = limits.begin() + std::ssize(limits) / 2;
  std::ranges::nth_element(limits, middle);
  const auto whole = [](double magnitude) { return std::ceil(magnitude / completeness_step) * completeness_step; };
  return {std::max(whole(*middle - 3.5), whole(stars.front().magnitude)), whole(*middle + 1.5)};
}

/// A copy in the image: position in FITS pixels, from 1, radius within which a source counts as the copy, and
/// magnitude.
struct Copy {
  double x, y, radius, magnitude;
};

class CopyRuns {
 public:
  CopyRuns(const ImageInput& input, const Extraction& extraction, const ReportLight& light,
           std::vector<StarTemplate> stars, const Cpu& where)
      : input_(input),
        where_(where),
        config_(config_of_copies(input.config(), light.magnitude)),
        above_(extraction.check.above),
        before_(extraction.sources, light),
        stars_(std::move(stars)),
        range_(range_of_copies(stars_)),
        frame_(frame_of(input, where)) {}

  /// Puts `wanted` copies into the image, spread over as many extractions as needed, and counts the copies that are
  /// found. The number of extractions is limited, so an image that is masked almost everywhere may get fewer copies.
  Completeness run(std::int64_t wanted) {
    std::vector<CopyResult> results;
    const std::int64_t cells =
        std::max<std::int64_t>(1, frame_.shape.count() / (cells_of_stars.side * cells_of_stars.side));
    const std::int64_t most_passes = 8 + 4 * wanted / cells;
    std::int64_t pass = 0;
    for (; pass < most_passes && std::ssize(results) < wanted; ++pass) extract_pass(pass, wanted, results);
    Completeness completeness = summarize_copies(results);
    completeness.templates = std::ssize(stars_);
    completeness.passes = pass;
    return completeness;
  }

 private:
  void extract_pass(std::int64_t pass, std::int64_t wanted, std::vector<CopyResult>& results) const {
    std::vector<PixelPlace> places = places_of_pass(above_, pass, cells_of_stars);
    const std::int64_t first = std::ssize(results);
    places.resize(static_cast<std::size_t>(std::min(std::ssize(places), wanted - first)));
    if (places.empty()) return;
    Image<float, Cpu> image = copy_of(frame_, where_);
    std::vector<Copy> copies;
    for (const PixelPlace& place : places) copies.push_back(add_copy(first + std::ssize(copies), place, image));
    const Extraction found = extract_on_host(exposure_with(input_.exposure, image), config_, where_);
    const SourcesByPlace after(found.sources, light_of(found.sources, config_));
    for (const Copy& copy : copies) results.push_back({copy.magnitude, is_found(copy, after)});
  }

  /// Adds copy number `i` to the image.
  Copy add_copy(std::int64_t i, const PixelPlace& place, Image<float, Cpu>& image) const {
    const double magnitude = range_.bright + spread_evenly(i) * (range_.faint - range_.bright);
    const auto is_brighter = [&](const StarTemplate& star) { return star.magnitude <= magnitude - 0.5; };
    const std::int64_t brighter = std::max<std::int64_t>(1, std::ranges::count_if(stars_, is_brighter));
    const StarTemplate& star = stars_[static_cast<std::size_t>(random_below(brighter, Purpose::star, i))];
    add_light(star, portable_exp((star.magnitude - magnitude) * (0.4 * 2.30258509299404568402)), i, place, image);
    return {static_cast<double>(place.x + 1) + star.x, static_cast<double>(place.y + 1) + star.y,
            std::max(least_radius, star.size), magnitude};
  }

  void add_light(const StarTemplate& star, double scale, std::int64_t i, const PixelPlace& place,
                 Image<float, Cpu>& image) const {
    const double gain = input_.gain.gain;  // the light has photons, also where a map knows them
    for (std::int64_t place_in_stamp = 0; place_in_stamp < std::ssize(star.light); ++place_in_stamp) {
      const std::int64_t x = place.x - template_middle + place_in_stamp % template_side;
      const std::int64_t y = place.y - template_middle + place_in_stamp / template_side;
      if (x < 0 || x >= image.shape.width || y < 0 || y >= image.shape.height) continue;
      const double light = star.light[static_cast<std::size_t>(place_in_stamp)];
      const double variance = gain > 0 ? light * scale * (1 - scale) / gain : 0;
      double added = light * scale;
      if (variance > 0) added += std::sqrt(variance) * random_normal(i * std::ssize(star.light) + place_in_stamp);
      float& pixel = image.pixels[y * image.shape.width + x];
      pixel = static_cast<float>(static_cast<double>(pixel) + added);
    }
  }

  bool is_found(const Copy& copy, const SourcesByPlace& after) const {
    const double bright = copy.magnitude - much_brighter;
    return !before_.has(copy.x, copy.y, copy.radius, -HUGE_VAL, copy.magnitude + much_brighter) &&
           after.has(copy.x, copy.y, copy.radius, bright, copy.magnitude + much_fainter);
  }

  const ImageInput& input_;
  const Cpu& where_;
  Config config_;
  const Image<float, Cpu>& above_;
  SourcesByPlace before_;
  std::vector<StarTemplate> stars_;
  MagnitudeRange range_;
  Image<float, Cpu> frame_;
};

}  // namespace

std::optional<Completeness> measure_completeness(const ImageInput& input, const Extraction& extraction,
                                                 const Cpu& where) {
  const std::int64_t wanted = input.config().output.report_copies;
  if (wanted == 0 || fits_gaussians(input.config())) return std::nullopt;
  const ReportLight light = light_of(extraction.sources, input.config());
  std::vector<StarTemplate> stars = find_star_templates(extraction, light, input.config().measurement.zero_point);
  Completeness completeness;
  if (stars.size() < least_templates)
    completeness.problem = "the image has " + std::to_string(stars.size()) +
                           " bright, isolated stars without flags to copy, and 3 are needed";
  else
    completeness = CopyRuns(input, extraction, light, std::move(stars), where).run(wanted);
  return completeness;
}

}  // namespace srcextract
