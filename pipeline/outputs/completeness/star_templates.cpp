#include "pipeline/outputs/completeness/star_templates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <variant>

#include "pipeline/outputs/cutout_window.hpp"

namespace srcextract {
namespace {

constexpr std::size_t most_candidates = 200, most_templates = 30;
constexpr double least_snr = 30, like_areas = 1.25;
constexpr double least_area = 3;  // in pixels; hot pixels and cosmic ray hits have smaller areas
constexpr std::int64_t alone_within = 10;

/// The source number of each pixel of a stamp; 0: no source.
using Owners = std::array<std::int32_t, static_cast<std::size_t>(template_side* template_side)>;

/// The pixel of the image on which the middle pixel of a source's stamp lies.
PixelPlace middle_of(const UsualValues& sources, std::size_t row) {
  return {std::llround(sources.x_image[row]) - 1, std::llround(sources.y_image[row]) - 1};
}

/// Calls f(row of the stamp, row of the image) for each row of the stamp that lies inside the image.
template <class F>
void for_each_stamp_row(const PixelPlace& middle, std::int64_t height, F&& f) {
  for (std::int64_t row = 0; row < template_side; ++row) {
    const std::int64_t y = middle.y - template_middle + row;
    if (y >= 0 && y < height) f(row, y);
  }
}

Owners owners_around(const Extraction& extraction, const PixelPlace& middle) {
  Owners owners{};
  const Runs<Cpu>& runs = extraction.runs;
  const std::int64_t left = middle.x - template_middle;
  for_each_stamp_row(middle, runs.shape.height, [&](std::int64_t row, std::int64_t y) {
    const auto to = owners.begin() + row * template_side;
    for_each_run_between(runs, y, left, left + template_side,
                         [&](std::int64_t run, std::int64_t begin, std::int64_t end) {
                           std::fill(to + (begin - left), to + (end - left), extraction.label[run]);
                         });
  });
  return owners;
}

bool is_alone(const Owners& owners, std::int32_t number) {
  for (std::int64_t y = template_middle - alone_within; y <= template_middle + alone_within; ++y)
    for (std::int64_t x = template_middle - alone_within; x <= template_middle + alone_within; ++x) {
      const std::int32_t owner = owners[static_cast<std::size_t>(y * template_side + x)];
      if (owner != 0 && owner != number) return false;
    }
  return true;
}

bool is_clean_and_bright(const Sources& sources, const ReportLight& light, std::size_t row) {
  const auto is_flagged = [&](const CatalogColumn& one) {
    return one.column.name == std::string_view(columns::imaflags_iso) &&
           std::get<std::vector<std::int64_t>>(one.values)[row] != 0;
  };
  const bool flagged = sources[columns::flags][row] != 0 || std::ranges::any_of(sources.columns, is_flagged);
  return !flagged && !is_fainter_than_sky(sources, row) && sources[columns::snr][row] >= least_snr &&
         std::isfinite(light.magnitudes[row]) && sources[columns::threshold][row] > 0;
}

/// The noise-equivalent area in pixels of a star: an optimally weighted sum over the star has the noise of a sum over
/// this many pixels.
double noise_area(const std::vector<float>& light) {
  double sum = 0, squares = 0;
  for (const double pixel : light) sum += pixel, squares += pixel * pixel;
  return sum > 0 ? sum * sum / squares : 0;
}

/// Keeps the largest group of stars whose areas differ by a factor of at most 1.25, in the given order.
void keep_like_areas(std::vector<StarTemplate>& stars) {
  std::vector<double> areas;
  for (const StarTemplate& star : stars) areas.push_back(star.area);
  std::ranges::sort(areas);
  double least = 0;
  std::ptrdiff_t most = 0;
  for (auto first = areas.begin(); first != areas.end(); ++first) {
    const std::ptrdiff_t count = std::upper_bound(first, areas.end(), like_areas * *first) - first;
    if (count > most) least = *first, most = count;
  }
  std::erase_if(stars, [&](const StarTemplate& star) { return star.area < least || star.area > like_areas * least; });
}

StarTemplate cut_out(const Extraction& extraction, double zero_point, std::size_t row) {
  const UsualValues sources(extraction.sources);
  const Image<float, Cpu>& above = extraction.check.above;
  const PixelPlace middle = middle_of(sources, row);
  const Owners owners = owners_around(extraction, middle);
  StarTemplate star{.light = std::vector<float>(owners.size()),
                    .x = sources.x_image[row] - 1 - static_cast<double>(middle.x),
                    .y = sources.y_image[row] - 1 - static_cast<double>(middle.y),
                    .size = sources.a_image[row]};
  const double reach =
      std::max({sources.xmax_image[row] - sources.x_image[row], sources.x_image[row] - sources.xmin_image[row],
                sources.ymax_image[row] - sources.y_image[row], sources.y_image[row] - sources.ymin_image[row]});
  for_each_stamp_row(middle, above.shape.height, [&](std::int64_t v, std::int64_t y) {
    for (std::int64_t u = 0; u < template_side; ++u) {
      const std::int64_t x = middle.x - template_middle + u;
      if (x < 0 || x >= above.shape.width) continue;
      const auto place = static_cast<std::size_t>(v * template_side + u);
      const double distance = std::hypot(static_cast<double>(u - template_middle) - star.x,
                                         static_cast<double>(v - template_middle) - star.y);
      const bool own = owners[place] == sources.number[row] || (owners[place] == 0 && distance <= 2 * reach);
      const float pixel = above.pixels[y * above.shape.width + x];
      if (own && pixel == pixel) star.light[place] = pixel;
    }
  });
  star.magnitude = zero_point - 2.5 * std::log10(std::accumulate(star.light.begin(), star.light.end(), 0.0));
  star.area = noise_area(star.light);
  star.faintest = star.magnitude + 2.5 * std::log10(sources.flux_max[row] / sources.threshold[row]);
  return star;
}

}  // namespace

std::vector<StarTemplate> find_star_templates(const Extraction& extraction, const ReportLight& light,
                                              double zero_point) {
  const UsualValues sources(extraction.sources);
  std::vector<std::size_t> rows;
  for (const std::size_t row : light.order) {
    if (rows.size() == most_candidates) break;
    if (!is_clean_and_bright(extraction.sources, light, row)) continue;
    if (is_alone(owners_around(extraction, middle_of(sources, row)), sources.number[row])) rows.push_back(row);
  }
  std::vector<StarTemplate> stars;
  for (const std::size_t row : rows) stars.push_back(cut_out(extraction, zero_point, row));
  std::erase_if(stars,
                [](const StarTemplate& star) { return !std::isfinite(star.faintest) || star.area < least_area; });
  keep_like_areas(stars);
  stars.resize(std::min(stars.size(), most_templates));
  std::ranges::sort(stars, {}, &StarTemplate::magnitude);
  return stars;
}

}  // namespace srcextract
