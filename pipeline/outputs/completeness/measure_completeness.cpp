#include "pipeline/outputs/completeness/measure_completeness.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/chain/read_frame.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "pipeline/outputs/completeness/star_templates.hpp"
#include "pipeline/outputs/report/report_columns.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {
namespace {

constexpr std::size_t least_templates = 3;
constexpr std::int64_t cell_side = 64, cell_margin = 8;
constexpr double much_brighter = 0.75, much_fainter = 2, least_radius = 3;

/// Each use of random numbers has a sequence of its own.
enum class Purpose { cells, offset_x, offset_y, place_x, place_y, star, noise };

/// Number i of a sequence, from 0 to below 1.
double random(Purpose purpose, std::int64_t i) {
  const std::int64_t begin = static_cast<std::int64_t>(purpose) << 56;
  return static_cast<double>(splitmix64(begin + i) >> 11) * 0x1p-53;
}

std::int64_t random_below(std::int64_t end, Purpose purpose, std::int64_t i) {
  return static_cast<std::int64_t>(random(purpose, i) * static_cast<double>(end));
}

/// Number i of an approximately normal distribution: twelve uniform numbers have the variance 1.
double random_normal(std::int64_t i) {
  double sum = -6;
  for (std::int64_t k = 0; k < 12; ++k) sum += random(Purpose::noise, 12 * i + k);
  return sum;
}

ReportLight light_of(const Sources& sources, const Config& config) {
  return report_light(report_columns(sources, {}), static_cast<std::size_t>(sources.size()),
                      config.measurement.zero_point);
}

/// Reads the pixels for read_exposure, which calls these functions.
struct FrameReader {
  const Cpu& cpu;

  const Cpu& where() const { return cpu; }
  void read(const PixelSource& source, Pixels<Cpu>& pixels) const { ingest(source, pixels, cpu); }
  template <class Result>
  void done(const char*, const Result&) const {}
};

/// The image before its mask, its weights and its given level.
Image<float, Cpu> frame_of(const ImageInput& input, const Cpu& where) {
  Pixels<Cpu> pixels(input.exposure.shape(), where);
  FrameReader reader{where};
  read_exposure(Exposure(input.exposure.planes), input.config(), pixels, reader);
  return std::move(pixels.image);
}

/// The exposure with other pixels, which must outlive it.
Exposure exposure_with(const Exposure& exposure, const Image<float, Cpu>& image) {
  const auto* const memory = reinterpret_cast<const std::byte*>(image.pixels.data());
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
  const auto read = [memory](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, memory + first * bytes, static_cast<std::size_t>(count * bytes));
  };
  Exposure with = exposure;
  with.planes = {PixelSource{image.shape, {.bitpix = -32, .big_endian = false}, read, memory}};
  return with;
}

/// The same detection, of one plane, without outputs.
Config config_of_copies(const Config& given, const std::string& magnitude) {
  Config config = given;
  config.combine = {};
  config.flags = {};
  config.kept = {};
  config.output = {};
  if (magnitude == "MAG_AUTO") config.output.columns = {"FLUX_AUTO"};
  return config;
}

/// The sources of a catalogue, to be looked up by position.
class SourcesByPlace {
 public:
  SourcesByPlace(const Sources& sources, const ReportLight& light) {
    const auto &x = sources[columns::x_image], &y = sources[columns::y_image];
    for (std::size_t row = 0; row < light.magnitudes.size(); ++row)
      if (std::isfinite(light.magnitudes[row]) && !is_fainter_than_sky(sources, row))
        sources_.push_back({x[row], y[row], light.magnitudes[row]});
    std::ranges::sort(sources_, {}, &Source::y);
  }

  /// Whether one within the radius has a magnitude above `bright` and below `faint`.
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

/// A pixel of the image, from 0.
struct Place {
  std::int64_t x, y;
};

/// Random places of one pass that are not masked in `above`.
std::vector<Place> places_of_pass(const Image<float, Cpu>& above, std::int64_t pass) {
  const Shape& shape = above.shape;
  const std::int64_t side = std::min({cell_side, shape.width, shape.height});
  const std::int64_t margin = cell_margin * side / cell_side;
  const std::int64_t columns = shape.width / side + 2, rows = shape.height / side + 2, cells = columns * rows;
  const std::int64_t left = random_below(side, Purpose::offset_x, pass) - side + 1;
  const std::int64_t top = random_below(side, Purpose::offset_y, pass) - side + 1;
  std::vector<std::pair<double, Place>> places;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const std::int64_t number = pass * cells + cell;
    const auto within = [&](Purpose purpose) { return margin + random_below(side - 2 * margin, purpose, number); };
    const Place place{left + cell % columns * side + within(Purpose::place_x),
                      top + cell / columns * side + within(Purpose::place_y)};
    if (place.x < 0 || place.x >= shape.width || place.y < 0 || place.y >= shape.height) continue;
    if (std::isnan(above.pixels[place.y * shape.width + place.x])) continue;
    places.emplace_back(random(Purpose::cells, number), place);
  }
  std::ranges::stable_sort(places, {}, &std::pair<double, Place>::first);
  std::vector<Place> shuffled;
  for (const auto& [order, place] : places) shuffled.push_back(place);
  return shuffled;
}

/// Magnitudes of the copies.
struct MagnitudeRange {
  double bright, faint;
};

/// Few stars are found whose brightest pixel does not reach the threshold.
MagnitudeRange range_of_copies(const std::vector<StarTemplate>& stars) {
  std::vector<double> limits;
  for (const StarTemplate& star : stars) limits.push_back(star.faintest);
  const auto middle = limits.begin() + std::ssize(limits) / 2;
  std::ranges::nth_element(limits, middle);
  const auto whole = [](double magnitude) { return std::ceil(magnitude / completeness_step) * completeness_step; };
  return {std::max(whole(*middle - 3.5), whole(stars.front().magnitude)), whole(*middle + 1.5)};
}

/// A copy in the image. Positions are in FITS pixels, from 1.
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

  /// Puts `wanted` copies into the image, in as many passes as they need. Of an image that is masked almost everywhere
  /// it leaves some out.
  Completeness run(std::int64_t wanted) {
    std::vector<CopyResult> results;
    const std::int64_t cells = std::max<std::int64_t>(1, frame_.shape.count() / (cell_side * cell_side));
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
    std::vector<Place> places = places_of_pass(above_, pass);
    const std::int64_t first = std::ssize(results);
    places.resize(static_cast<std::size_t>(std::min(std::ssize(places), wanted - first)));
    if (places.empty()) return;
    Image<float, Cpu> image = copy_of(frame_, where_);
    std::vector<Copy> copies;
    for (const Place& place : places) copies.push_back(add_copy(first + std::ssize(copies), place, image));
    const Extraction found = extract_on_host(exposure_with(input_.exposure, image), config_, where_);
    const SourcesByPlace after(found.sources, light_of(found.sources, config_));
    for (const Copy& copy : copies) results.push_back({copy.magnitude, is_found(copy, after)});
  }

  /// Puts copy number `i` into the image.
  Copy add_copy(std::int64_t i, const Place& place, Image<float, Cpu>& image) const {
    constexpr double golden = 0.61803398874989484820;  // whose multiples are spread evenly
    const double turns = (static_cast<double>(i) + 0.5) * golden;
    const double magnitude = range_.bright + (turns - std::floor(turns)) * (range_.faint - range_.bright);
    const auto is_brighter = [&](const StarTemplate& star) { return star.magnitude <= magnitude - 0.5; };
    const std::int64_t brighter = std::max<std::int64_t>(1, std::ranges::count_if(stars_, is_brighter));
    const StarTemplate& star = stars_[static_cast<std::size_t>(random_below(brighter, Purpose::star, i))];
    add_light(star, portable_exp((star.magnitude - magnitude) * (0.4 * 2.30258509299404568402)), i, place, image);
    return {static_cast<double>(place.x + 1) + star.x, static_cast<double>(place.y + 1) + star.y,
            std::max(least_radius, star.size), magnitude};
  }

  void add_light(const StarTemplate& star, double scale, std::int64_t i, const Place& place,
                 Image<float, Cpu>& image) const {
    const double gain = config_.measurement.gain;
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
  if (wanted == 0) return std::nullopt;
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
