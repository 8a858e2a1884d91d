#include "stages/crowd/crowd_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stages/crowd/star_cells.hpp"

namespace srcextract {
namespace {

/// A range of pixels along an axis for one tile. The tile proper has the pixels own_begin to own_end - 1. The fit also
/// covers surrounding pixels, from `begin` to end - 1.
struct Span {
  std::int64_t own_begin, own_end, begin, end;

  bool owns(double at, double margin) const {
    return at >= static_cast<double>(own_begin) - 0.5 - margin && at < static_cast<double>(own_end) - 0.5 + margin;
  }
  bool holds(double at) const { return at >= static_cast<double>(begin) - 0.5 && at < static_cast<double>(end) - 0.5; }
};

std::vector<Span> divide_axis(std::int64_t length, std::int64_t most, std::int64_t overlap) {
  const std::int64_t count = (length + most - 1) / most;
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = i * length / count, end = (i + 1) * length / count;
    spans.push_back({begin, end, std::max<std::int64_t>(0, begin - overlap), std::min(length, end + overlap)});
  }
  return spans;
}

/// Copies of the pixels of a tile and its surroundings.
struct TilePixels {
  std::vector<float> pixels, variance;
  CrowdImage image;

  TilePixels(const CrowdImage& whole, const Span& x, const Span& y) : image(whole) {
    image.shape = {x.end - x.begin, y.end - y.begin};
    image.pixels = copy(whole.pixels, whole.shape.width, x, y, pixels);
    if (whole.variance != nullptr) image.variance = copy(whole.variance, whole.shape.width, x, y, variance);
  }

 private:
  static const float* copy(const float* from, std::int64_t width, const Span& x, const Span& y,
                           std::vector<float>& to) {
    to.reserve(static_cast<std::size_t>((x.end - x.begin) * (y.end - y.begin)));
    for (std::int64_t row = y.begin; row < y.end; ++row)
      to.insert(to.end(), from + row * width + x.begin, from + row * width + x.end);
    return to.data();
  }
};

/// The fit of the whole image, to which the fits of tiles are added one after another.
class JoinedFit {
 public:
  JoinedFit(const CrowdImage& image, const CrowdPsf& psf, const CrowdConfig& config,
            const std::vector<CrowdPlace>* places, CrowdPlanes kept)
      : shape_(image.shape), separation_(crowd_separation * psf.fwhm()), places_(places), kept_(kept) {
    const auto count = static_cast<std::size_t>(kept == CrowdPlanes::all ? shape_.count() : 0);
    fit_.model.resize(count);
    fit_.residual.resize(count);
    fit_.weight.resize(count);
    fit_.sky = SkyNodes(shape_, config.sky_size);
    fit_.fwhm = psf.fwhm();
    if (places != nullptr)
      for (const CrowdPlace& at : *places) fit_.rows.push_back(CrowdRow::without_light(at.x, at.y));
  }

  /// Returns the places that are in a tile or in the tile's surroundings. `x` and `y` are the columns and rows of both
  /// together, and the returned positions count from the first of these. The next call of add() must be for this tile.
  std::vector<CrowdPlace> choose_places(const Span& x, const Span& y) {
    numbers_.clear();
    std::vector<CrowdPlace> here;
    for (std::size_t i = 0; i < places_->size(); ++i) {
      const CrowdPlace& at = (*places_)[i];
      if (!x.holds(at.x) || !y.holds(at.y)) continue;
      numbers_.push_back(i);
      here.push_back({at.x - static_cast<double>(x.begin), at.y - static_cast<double>(y.begin)});
    }
    return here;
  }

  void add(CrowdFit tile, const Span& x, const Span& y) {
    for (std::size_t i = 0; i < tile.rows.size(); ++i) {
      CrowdRow& row = tile.rows[i];
      row.x += static_cast<double>(x.begin);
      row.y += static_cast<double>(y.begin);
      if (places_ == nullptr && x.owns(row.x, separation_) && y.owns(row.y, separation_)) {
        fit_.rows.push_back(row);
        tile_.push_back(tiles_);
      }
      if (places_ != nullptr && x.owns(row.x, 0) && y.owns(row.y, 0)) fit_.rows[numbers_[i]] = row;
    }
    for (CrowdStar star : tile.negatives) {
      star.x += static_cast<double>(x.begin);
      star.y += static_cast<double>(y.begin);
      if (x.owns(star.x, 0) && y.owns(star.y, 0)) fit_.negatives.push_back(star);
    }
    if (kept_ == CrowdPlanes::all) add_pixels(tile, x, y);
    add_sky(tile.sky, x, y);
    fit_.turns.resize(std::max(fit_.turns.size(), tile.turns.size()));
    for (std::size_t i = 0; i < tile.turns.size(); ++i) {
      fit_.turns[i].found += tile.turns[i].found;
      fit_.turns[i].stars += tile.turns[i].stars;
      fit_.turns[i].rounds = std::max(fit_.turns[i].rounds, tile.turns[i].rounds);
      fit_.turns[i].noise += tile.turns[i].noise;
    }
    fit_.noise += tile.noise;
    shared_noise_ += tile.shared_noise;
    ++tiles_;
  }

  CrowdFit finish() {
    fit_.noise /= static_cast<double>(tiles_);
    fit_.shared_noise = shared_noise_ / static_cast<double>(tiles_);
    for (CrowdTurn& turn : fit_.turns) turn.noise /= static_cast<double>(tiles_);
    if (places_ == nullptr) drop_doubles();
    return std::move(fit_);
  }

 private:
  void add_pixels(const CrowdFit& tile, const Span& x, const Span& y) {
    for (std::int64_t row = y.own_begin; row < y.own_end; ++row) {
      const std::int64_t from = (row - y.begin) * (x.end - x.begin) + x.own_begin - x.begin,
                         to = row * shape_.width + x.own_begin;
      for (const auto member : {&CrowdFit::model, &CrowdFit::residual, &CrowdFit::weight})
        std::copy_n((tile.*member).begin() + from, x.own_end - x.own_begin, (fit_.*member).begin() + to);
    }
  }

  /// Copies the levels of those sky nodes that are in the tile proper from `sky`, the sky fitted for the tile. Tiles at
  /// the last column or row of the image also set the nodes at this border.
  void add_sky(const SkyNodes& sky, const Span& x, const Span& y) {
    for (std::int32_t row = 0; row < fit_.sky.rows; ++row) {
      for (std::int32_t column = 0; column < fit_.sky.columns; ++column) {
        const double at_x = column * fit_.sky.side_x - 0.5, at_y = row * fit_.sky.side_y - 0.5;
        const bool last_x = x.own_end == shape_.width && column + 1 == fit_.sky.columns,
                   last_y = y.own_end == shape_.height && row + 1 == fit_.sky.rows;
        if ((x.owns(at_x, 0) || last_x) && (y.owns(at_y, 0) || last_y))
          fit_.sky.level[static_cast<std::size_t>(fit_.sky.node(column, row))] =
              sky.at(at_x - static_cast<double>(x.begin), at_y - static_cast<double>(y.begin));
      }
    }
  }

  /// Removes each star that an earlier tile has also found.
  void drop_doubles() {
    StarCells cells(shape_);
    cells.fill(fit_.rows);
    std::vector<CrowdRow> rows;
    // rows are in the order of tiles, so kept[j] is final for a row j of an earlier tile
    std::vector<char> kept(fit_.rows.size(), 1);
    for (std::size_t i = 0; i < fit_.rows.size(); ++i) {
      const CrowdRow& own = fit_.rows[i];
      bool first = true;
      cells.view().each_near(
          own.x - separation_, own.x + separation_, own.y - separation_, own.y + separation_, [&](std::int32_t number) {
            const auto j = static_cast<std::size_t>(number);
            const double dx = fit_.rows[j].x - own.x, dy = fit_.rows[j].y - own.y;
            if (kept[j] != 0 && tile_[j] < tile_[i] && dx * dx + dy * dy <= separation_ * separation_) first = false;
          });
      if (first)
        rows.push_back(own);
      else
        kept[i] = 0;
    }
    fit_.rows = std::move(rows);
  }

  Shape shape_;
  double separation_;
  const std::vector<CrowdPlace>* places_;
  CrowdPlanes kept_;
  CrowdFit fit_;
  std::vector<std::size_t> numbers_;  ///< per place in the current tile: its index in `places_`
  std::vector<std::int32_t> tile_;    ///< per row: number of the tile that found it
  std::int32_t tiles_ = 0;
  double shared_noise_ = 0;  ///< sum over the tiles
};

}  // namespace

bool has_tiles(const CrowdImage& image, const CrowdConfig& config) {
  return config.tile_size > 0 && std::max(image.shape.width, image.shape.height) > config.tile_size;
}

CrowdFit fit_tiles(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit) {
  if (!has_tiles(image, config)) return fit(image, psf, places, kept);
  const CrowdPsf of_image = psf_of(psf, image.shape);
  const std::int64_t overlap = 2 * std::int64_t{of_image.most_half()} + config.sky_size;
  JoinedFit joined(image, of_image, config, places, kept);
  for (const Span& y : divide_axis(image.shape.height, config.tile_size, overlap)) {
    for (const Span& x : divide_axis(image.shape.width, config.tile_size, overlap)) {
      const TilePixels tile(image, x, y);
      PsfModel model = psf;
      for (int d = 0; d < model.dimensions; ++d)
        model.zero[d] -= static_cast<double>(model.of_y[d] != 0 ? y.begin : x.begin);
      const std::vector<CrowdPlace> here = places != nullptr ? joined.choose_places(x, y) : std::vector<CrowdPlace>();
      joined.add(fit(tile.image, model, places != nullptr ? &here : nullptr, kept), x, y);
    }
  }
  return joined.finish();
}

}  // namespace srcextract
