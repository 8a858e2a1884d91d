#include "stages/galaxy/fit_galaxies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/galaxy/galaxy_columns.hpp"
#include "stages/galaxy/galaxy_stamp.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t rows_at_a_time = 16;

/// Returns the least side of a box that has at least `wanted` pixels, and at most `largest`. Sets `cut` if that is
/// smaller.
int side_for(double wanted, std::int64_t largest, bool& cut) {
  int side = galaxy_sides[0];
  for (const int one : galaxy_sides) {
    if (one > largest) break;
    side = one;
    if (one >= wanted) break;
  }
  cut = side < wanted;
  return side;
}

/// The weak priors of a galaxy's shape; their centres and widths are those of deep fields, two to three times wider.
GalaxyPriors priors_of(ModelPriors which) {
  if (which == ModelPriors::none) return {};
  return {.sigma_ln_rc = 1, .sigma_e = 0.6, .mean_ln_n = 0.35, .sigma_ln_n = 0.6};
}

/// The light to which a source is fitted.
enum class Light {
  own_pixels,   ///< the pixels of the source and those of no source
  shared,       ///< its model, and its share of what the models leave over
  minus_others  ///< the image minus the models of all other sources
};

/// The share of a source in what all models leave over: that of its model in all models. Where models are fainter than
/// a twentieth of the noise, all of it.
float share_of(float own, float all, float noise) {
  const float least = 0.05F * noise, sum = std::max(all, 0.0F);
  return (std::clamp(own, 0.0F, sum) + least) / (sum + least);
}

/// The shape from which a fit starts.
struct Start {
  double x = 0, y = 0;  ///< in pixels from 0
  double rc = 1, e1 = 0, e2 = 0;
  double box = 0;       ///< side of the box that holds source and sky
  double farthest = 0;  ///< how far from there the centre of a model may be: beyond, it is that of a neighbour
};

class Passes {
 public:
  Passes(const GalaxyField& field, const ModelConfig& config, const Cpu& where)
      : field_(field),
        config_(config),
        where_(where),
        model_(galaxy_model(config)),
        count_(field.sources.size()),
        starts_(static_cast<std::size_t>(count_)),
        owner_(field.above.shape, where) {
    find_starts();
  }

  FittedGalaxies run(bool with_light) {
    const auto rows = static_cast<std::size_t>(count_);
    std::vector<PlacedGalaxy> last(rows), now(rows);
    Image<float, Cpu> light;
    for (std::int64_t pass = 0; pass < config_.passes; ++pass) {
      const bool is_last = pass + 1 == config_.passes;
      fit_all(pass == 0 ? Light::own_pixels : is_last ? Light::minus_others : Light::shared, light, last, now);
      std::swap(last, now);
      if (!is_last || with_light) light = draw_all(last);
    }
    FittedGalaxies out;
    out.model = model_;
    for (const PlacedGalaxy& one : last) out.rows.push_back(row_of(one));
    if (with_light) out.light = std::move(light);
    return out;
  }

 private:
  /// The result of a fit. With too few pixels all is NaN but the place.
  GalaxyRow row_of(const PlacedGalaxy& one) const {
    GalaxyRow row{model_, static_cast<double>(one.x) + one.fit.at.x, static_cast<double>(one.y) + one.fit.at.y,
                  one.fit};
    if (one.is_drawn()) return row;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    constexpr GalaxyShape no_shape{none, none, none, none};
    row.fit.at = {none, none, no_shape, no_shape, none, none, none, none};
    for (auto& values : row.fit.covariance) std::ranges::fill(values, none);
    return row;
  }

  PixelArea frame() const { return {0, 0, field_.above.shape.width, field_.above.shape.height}; }

  /// Calls f(i, scratch, drawn) for each i of `order`. side_of(i) is the side of the largest box that f needs.
  template <class SideOf, class F>
  void for_each_row(const std::vector<std::size_t>& order, const SideOf& side_of, const F& f) const {
    parallel_for(std::ssize(order), rows_at_a_time, where_, [&](std::int64_t begin, std::int64_t end) {
      const std::span some(order.data() + begin, order.data() + end);
      int side = 0;
      for (const std::size_t i : some) side = std::max(side, side_of(i));
      const auto scratch = make_galaxy_scratch(side);
      std::vector<float> drawn;
      for (const std::size_t i : some) f(i, *scratch, drawn);
    });
  }

  /// Fills the map of owners, and finds the shape from which each fit starts: the half-light radius of the source's own
  /// pixels, and its moments, both without the PSF.
  void find_starts() {
    const Shape& shape = field_.above.shape;
    parallel_for(shape.height, 64, where_, [&](std::int64_t begin, std::int64_t end) {
      std::fill(owner_.pixels.data() + begin * shape.width, owner_.pixels.data() + end * shape.width, 0);
      for (std::int64_t y = begin; y < end; ++y)
        for (std::int64_t i = field_.runs.row_begin[y]; i < field_.runs.row_begin[y + 1]; ++i) {
          const Run& run = field_.runs.runs[i];
          const std::int32_t whose = field_.label[i] > 0 ? field_.label[i] : -1;
          std::fill_n(owner_.pixels.data() + y * shape.width + run.begin, run.end - run.begin, whose);
        }
    });
    const UsualValues usual(field_.sources);
    parallel_for(count_, rows_at_a_time, where_, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::pair<float, float>> pixels;  // square of the distance, light
      for (std::int64_t i = begin; i < end; ++i) starts_[static_cast<std::size_t>(i)] = start_of(i, usual, pixels);
    });
  }

  Start start_of(std::int64_t i, const UsualValues& usual, std::vector<std::pair<float, float>>& pixels) const {
    constexpr double sigmas_in_fwhm = 2.354820045, longest = 1.5, radians = std::numbers::pi / 180;
    const auto row = static_cast<std::size_t>(i);
    const double fwhm = field_.psf.fwhm, s2 = (fwhm / sigmas_in_fwhm) * (fwhm / sigmas_in_fwhm);
    Start out;
    out.x = usual.x_image[row] - 1;
    out.y = usual.y_image[row] - 1;
    const std::int64_t x0 = usual.xmin_image[row] - 1, x1 = usual.xmax_image[row], y0 = usual.ymin_image[row] - 1,
                       y1 = usual.ymax_image[row];
    const double isophote = static_cast<double>(std::max(x1 - x0, y1 - y0));
    const double half = std::fmax(half_light_radius(i, {x0, y0, x1, y1}, out, pixels), 0.5 * fwhm);
    out.rc = std::sqrt(std::fmax(half * half - 0.55 * 0.55 * fwhm * fwhm, 0.25 * 0.25 * fwhm * fwhm));
    const double a = usual.a_image[row], b = usual.b_image[row];
    const double a2 = std::fmax(a * a - 0.7 * s2, 0.2 * s2), b2 = std::fmax(b * b - 0.7 * s2, 0.1 * s2);
    const double h = std::fmin(0.5 * portable_log(std::fmax(a2 / b2, 1)), longest);
    const CosineSine turned = portable_cosine_sine(2 * usual.theta_image[row] * radians);
    out.e1 = h * turned.cosine;
    out.e2 = h * turned.sine;
    out.farthest = isophote / 2 + fwhm;
    out.box = std::max({8 * half + 3 * fwhm, 1.2 * (isophote + 3 * fwhm), 7 * fwhm});
    return out;
  }

  /// The distance from its position within which half of the light of a source's own pixels lies.
  double half_light_radius(std::int64_t i, const PixelArea& box, const Start& at,
                           std::vector<std::pair<float, float>>& pixels) const {
    pixels.clear();
    double light = 0, inner = 0;
    const std::int64_t width = field_.above.shape.width;
    for (std::int64_t y = box.y; y < box.y_end; ++y)
      for (std::int64_t x = box.x; x < box.x_end; ++x) {
        const float pixel = field_.above.pixels[y * width + x];
        if (owner_.pixels[y * width + x] != i + 1 || !(pixel > 0)) continue;
        const double dx = static_cast<double>(x) - at.x, dy = static_cast<double>(y) - at.y;
        pixels.emplace_back(static_cast<float>(dx * dx + dy * dy), pixel);
        light += pixel;
      }
    std::ranges::sort(pixels);
    for (const auto& [square, pixel] : pixels)
      if ((inner += pixel) >= light / 2) return std::sqrt(static_cast<double>(square));
    return 0;
  }

  /// Fits all rows. `models`: the sum of the models of `last`, the fits of the pass before; empty in the first pass.
  void fit_all(Light which, const Image<float, Cpu>& models, const std::vector<PlacedGalaxy>& last,
               std::vector<PlacedGalaxy>& now) {
    std::vector<std::size_t> order(starts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<char> cut(starts_.size());
    for (const std::size_t i : order) {
      bool is_cut = false;
      now[i] = {};
      now[i].x = static_cast<std::int64_t>(std::floor(starts_[i].x + 0.5));
      now[i].y = static_cast<std::int64_t>(std::floor(starts_[i].y + 0.5));
      now[i].side = side_for(wanted_box(starts_[i], last[i]), config_.max_box, is_cut);
      cut[i] = is_cut ? 1 : 0;
      if (auto& spectra = spectra_[now[i].side]; !spectra) spectra = make_psf_spectra(field_.psf, now[i].side);
    }
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return now[i].side; });
    const auto largest = [&](std::size_t i) { return std::max(now[i].side, last[i].side); };
    for_each_row(order, largest, [&](std::size_t i, GalaxyScratch& scratch, std::vector<float>& drawn) {
      fit_row(i, which, models, last[i], scratch, drawn, now[i]);
      if (cut[i] != 0) now[i].fit.flags |= galaxy_cut;
    });
  }

  /// The side of a box that holds source and sky. `last` is the fit of the pass before, if there is one.
  double wanted_box(const Start& start, const PlacedGalaxy& last) const {
    constexpr double large = 128;
    if (last.side == 0 || start.box > large || model_.point) return start.box;
    const GalaxyShape& of = model_.disk ? last.fit.at.disk : last.fit.at.spheroid;
    return std::fmax(start.box, 6 * portable_exp(of.ln_rc) + 3 * field_.psf.fwhm);
  }

  GalaxyParameters start_at(const Start& start, const PlacedGalaxy& now) const {
    constexpr double usual_index = 1.3;
    GalaxyParameters at;
    at.x = start.x - static_cast<double>(now.x);
    at.y = start.y - static_cast<double>(now.y);
    const double size = portable_log(start.rc);
    const GalaxyShape whole{size, start.e1, start.e2, portable_log(model_.free_index ? usual_index : model_.index)};
    at.spheroid = whole;
    at.disk = whole;
    at.disk.ln_n = 0;
    if (model_.spheroid && model_.disk) {
      at.spheroid = {size + portable_log(0.5), 0, 0, portable_log(model_.free_index ? 2.0 : model_.index)};
      at.disk.ln_rc = size + portable_log(1.2);
    }
    return at;
  }

  void fit_row(std::size_t i, Light which, const Image<float, Cpu>& models, const PlacedGalaxy& last,
               GalaxyScratch& scratch, std::vector<float>& drawn, PlacedGalaxy& now) const {
    const PixelArea box = now.box(), there = box.within(frame());
    const auto pixels = static_cast<std::size_t>(now.side) * static_cast<std::size_t>(now.side);
    std::vector<float> light(pixels, 0.0F), variance(pixels, 0.0F), own(pixels, 0.0F);
    GalaxyParameters start = start_at(starts_[i], now);
    GalaxyPriors priors = priors_of(config_.priors);
    priors.farthest = starts_[i].farthest;
    if (model_.spheroid && model_.disk) {
      // A prior about the size that the pass before found counts that pass's pixels twice, and lets the sizes of faint
      // bulges run away.
      priors.mean_spheroid_ln_rc = start.spheroid.ln_rc;
      priors.mean_disk_ln_rc = start.disk.ln_rc;
    }
    if (which != Light::own_pixels) {
      add_model(model_, last, spectra_, box, scratch, drawn, own.data());
      if (last.is_drawn()) start = last.fit.at;  // the box may have grown, but not moved
    }
    const std::int64_t width = field_.above.shape.width;
    const auto number = static_cast<std::int32_t>(i + 1);
    for (std::int64_t y = there.y; y < there.y_end; ++y)
      for (std::int64_t x = there.x; x < there.x_end; ++x) {
        const std::int64_t from = y * width + x;
        const auto to = static_cast<std::size_t>((y - box.y) * now.side + x - box.x);
        const float pixel = field_.above.pixels[from];
        if (!(pixel < field_.saturation)) continue;  // a masked pixel is NaN
        if (which == Light::own_pixels) {
          if (owner_.pixels[from] != 0 && owner_.pixels[from] != number) continue;
          light[to] = pixel;
          variance[to] = field_.variance.pixels[from];
          continue;
        }
        const float all = models.pixels[from], others = all - own[to];
        const float share =
            which == Light::shared ? share_of(own[to], all, std::sqrt(field_.variance.pixels[from])) : 1.0F;
        light[to] = own[to] + share * (pixel - all);
        variance[to] = field_.variance.pixels[from] +
                       static_cast<float>(field_.per_photon * std::fmax(0, static_cast<double>(others)));
      }
    const GalaxyBox data{now.side, light.data(), variance.data(), field_.per_photon};
    now.fit = fit_galaxy(model_, start, data, priors, static_cast<int>(config_.rounds), *spectra_.at(now.side),
                         static_cast<double>(now.x + 1), static_cast<double>(now.y + 1), scratch);
    if (which == Light::minus_others || config_.passes == 1) share_noise(variance, scratch, drawn, now);
    const std::int64_t x = std::clamp<std::int64_t>(now.x, 0, width - 1);
    const std::int64_t y = std::clamp<std::int64_t>(now.y, 0, field_.above.shape.height - 1);
    now.margin =
        margin_of(model_, now.fit, now.side, std::sqrt(static_cast<double>(field_.variance.pixels[y * width + x])));
  }

  /// Multiplies the errors of a fit by what pixels share of their noise, over as many pixels as the model has: the
  /// square of its sum over the sum of its squares. Photons are not shared, so their part in the noise under the model
  /// is not multiplied.
  void share_noise(const std::vector<float>& variance, GalaxyScratch& scratch, std::vector<float>& drawn,
                   PlacedGalaxy& one) const {
    if (field_.law == NoiseLaw{}) return;
    drawn.resize(variance.size());
    render_galaxy(model_, one.fit.at, *spectra_.at(one.side), static_cast<double>(one.x + 1),
                  static_cast<double>(one.y + 1), scratch, drawn.data());
    double sum = 0, squares = 0, of_sky = 0, of_all = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (!(variance[i] > 0)) continue;
      const double light = std::fmax(0, static_cast<double>(drawn[i])), sky = variance[i];
      sum += light;
      squares += light * light;
      of_sky += light * light * sky;
      of_all += light * light * (sky + field_.per_photon * light);
    }
    if (!(squares > 0) || !(of_all > 0)) return;
    const double grown = 1 + (field_.law.variance_factor(sum * sum / squares) - 1) * of_sky / of_all;
    for (auto& row : one.fit.covariance)
      for (double& value : row) value *= grown;
  }

  /// The sum of all models. Sources are added to a pixel in ascending order, so that the sum does not depend on
  /// threads.
  Image<float, Cpu> draw_all(const std::vector<PlacedGalaxy>& rows) const {
    constexpr std::int64_t most_pixels = 1 << 22;  // of the models in memory at a time
    Image<float, Cpu> sum(field_.above.shape, where_);
    std::fill(sum.pixels.begin(), sum.pixels.end(), 0.0F);
    const auto side_of = [&](std::size_t i) { return rows[i].side; };
    std::vector<std::vector<float>> stamps(rows.size());
    for (std::size_t begin = 0; begin < rows.size();) {
      std::vector<std::size_t> some;
      std::int64_t pixels = 0;
      for (; begin < rows.size() && pixels < most_pixels; ++begin) {
        const PixelArea area = rows[begin].reach().within(frame());
        if (area.empty()) continue;
        some.push_back(begin);
        pixels += area.width() * area.height();
      }
      for_each_row(some, side_of, [&](std::size_t i, GalaxyScratch& scratch, std::vector<float>& drawn) {
        const PixelArea area = rows[i].reach().within(frame());
        stamps[i].assign(static_cast<std::size_t>(area.width() * area.height()), 0.0F);
        add_model(model_, rows[i], spectra_, area, scratch, drawn, stamps[i].data());
      });
      parallel_for(sum.shape.height, 64, where_, [&](std::int64_t y_begin, std::int64_t y_end) {
        for (const std::size_t i : some) {
          const PixelArea area = rows[i].reach().within(frame());
          for (std::int64_t y = std::max(y_begin, area.y); y < std::min(y_end, area.y_end); ++y) {
            const float* from = stamps[i].data() + (y - area.y) * area.width();
            float* to = sum.pixels.data() + y * sum.shape.width + area.x;
            for (std::int64_t x = 0; x < area.width(); ++x) to[x] += from[x];
          }
        }
      });
      for (const std::size_t i : some) stamps[i] = {};
    }
    return sum;
  }

  const GalaxyField& field_;
  const ModelConfig& config_;
  const Cpu& where_;
  GalaxyModel model_;
  std::int64_t count_;
  std::vector<Start> starts_;
  Image<std::int32_t, Cpu>
      owner_;  ///< source of each pixel, from 1; 0: none; -1: above the threshold, but of no source
  SpectraBySide spectra_;
};

}  // namespace

FittedGalaxies fit_galaxies(const GalaxyField& field, const ModelConfig& config, bool with_light, const Cpu& where) {
  return Passes(field, config, where).run(with_light);
}

}  // namespace srcextract
