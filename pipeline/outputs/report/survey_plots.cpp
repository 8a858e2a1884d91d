#include "pipeline/outputs/report/survey_plots.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "pipeline/outputs/report/page_text.hpp"

namespace srcextract {
namespace {

constexpr std::size_t most_bins = 1000, source_bins = 60, grid_columns = 160, grid_rows = 80;

std::size_t images_in_bin(std::size_t images) {
  return (images + most_bins - 1) / most_bins;
}

/// Divides the images into at most most_bins bins of consecutive images. Calls f(begin, end) for each bin.
template <class F>
void for_each_bin(std::size_t images, F&& f) {
  const std::size_t step = images_in_bin(images);
  for (std::size_t begin = 0; begin < images; begin += step) f(begin, std::min(images, begin + step));
}

/// A cell of the sky map: the sums of the positions of the cell's images, and their number.
struct MapCell {
  double ra = 0, dec = 0;
  std::int64_t count = 0;
};

/// A grid over the positions of the images, for right ascensions shifted by turned_ra(). Finds the cell of a position.
class MapGrid {
 public:
  MapGrid(const std::vector<SkyPlace>& places, double first) {
    for (const SkyPlace& place : places) {
      if (!place.is_known()) continue;
      const double ra = turned_ra(place.ra, first);
      low_ra_ = std::min(low_ra_, ra);
      high_ra_ = std::max(high_ra_, ra);
      low_dec_ = std::min(low_dec_, double{place.dec});
      high_dec_ = std::max(high_dec_, double{place.dec});
    }
  }

  std::size_t cell_of(double ra, double dec) const {
    return cell_in(dec, low_dec_, high_dec_, grid_rows) * grid_columns + cell_in(ra, low_ra_, high_ra_, grid_columns);
  }

 private:
  static std::size_t cell_in(double value, double low, double high, std::size_t cells) {
    if (!(high > low)) return 0;
    return std::min(cells - 1, static_cast<std::size_t>((value - low) / (high - low) * static_cast<double>(cells)));
  }

  double low_ra_ = 720, high_ra_ = -720, low_dec_ = 90, high_dec_ = -90;
};

}  // namespace

std::string series_json(const SurveyNumbers& numbers, ImageValue value) {
  std::string bins;
  for_each_bin(numbers.images(), [&](std::size_t begin, std::size_t end) {
    const auto first = numbers.of(value).begin();
    std::vector<double> values(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end));
    const ValueRange range = range_of(values);
    bins += bins.empty() ? "" : ",";
    bins += range.count == 0 ? "null"
                             : "[" + short_number(range.least) + "," + short_number(range.median) + "," +
                                   short_number(range.most) + "]";
  });
  return fmt::format("{{\"step\":{},\"bins\":[{}]}}", images_in_bin(numbers.images()), bins);
}

std::string failed_json(const SurveyNumbers& numbers) {
  std::string places;
  std::size_t bin = 0;
  for_each_bin(numbers.images(), [&](std::size_t begin, std::size_t end) {
    bool has_failed = false;
    for (std::size_t i = begin; i < end; ++i) has_failed |= numbers.has_failed(i);
    if (has_failed) places += (places.empty() ? "" : ",") + std::to_string(bin);
    ++bin;
  });
  return "[" + places + "]";
}

std::string histogram_json(const SurveyNumbers& numbers) {
  std::vector<double> values = numbers.of(ImageValue::sources);
  const ValueRange range = range_of(values);
  if (range.count == 0) return "null";
  const auto nearly_all = values.begin() + static_cast<std::ptrdiff_t>((range.count - 1) * 99 / 100);
  std::ranges::nth_element(values, nearly_all);
  const double high = std::min(range.most, std::max(*nearly_all, 5 * range.median));
  const double step = std::max(1.0, std::ceil((high - range.least + 1) / static_cast<double>(source_bins)));
  std::vector<std::int64_t> counts(static_cast<std::size_t>((high - range.least) / step) + 1);
  std::int64_t beyond = 0;
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>((value - range.least) / step);
    ++(bin < counts.size() ? counts[bin] : beyond);
  }
  std::string text;
  for (const std::int64_t count : counts) text += (text.empty() ? "" : ",") + std::to_string(count);
  return fmt::format("{{\"low\":{:.0f},\"step\":{:.0f},\"counts\":[{}],\"beyond\":{}}}", range.least, step, text,
                     beyond);
}

double first_ra(const std::vector<SkyPlace>& places) {
  constexpr int degrees = 360;
  std::array<bool, degrees> taken = {};
  for (const SkyPlace& place : places)
    if (place.is_known()) taken[static_cast<std::size_t>(place.ra) % degrees] = true;
  if (std::ranges::count(taken, true) == 0) return 0;
  int first = 0, widest = 0, empty = 0;
  for (int degree = 0; degree < 2 * degrees; ++degree) {  // two turns, to find a range that contains 0 degrees
    empty = taken[static_cast<std::size_t>(degree % degrees)] ? 0 : empty + 1;
    if (empty <= widest) continue;
    widest = empty;
    first = (degree + 1) % degrees;
  }
  return first;
}

double turned_ra(double ra, double first) {
  return ra < first ? ra + 360 : ra;
}

std::string map_json(const std::vector<SkyPlace>& places, double first) {
  const MapGrid grid(places, first);
  std::vector<MapCell> cells(grid_columns * grid_rows);
  for (const SkyPlace& place : places) {
    if (!place.is_known()) continue;
    const double ra = turned_ra(place.ra, first);
    MapCell& cell = cells[grid.cell_of(ra, place.dec)];
    cell.ra += ra;
    cell.dec += place.dec;
    ++cell.count;
  }
  std::string text;
  for (const auto& [ra, dec, count] : cells) {
    if (count == 0) continue;
    const auto n = static_cast<double>(count);
    text += fmt::format("{}[{:.7g},{:.6g},{}]", text.empty() ? "" : ",", ra / n, dec / n, count);
  }
  return "[" + text + "]";
}

}  // namespace srcextract
