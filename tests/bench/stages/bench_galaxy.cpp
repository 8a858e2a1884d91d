// Galaxy fits on one core: a round (the image of a Sérsic profile, its six derivatives, the normal equations), and
// whole fits, for each side of a box. The PSF is as narrow as that of a space telescope, so it has many modes.
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "stages/galaxy/galaxy_equations.hpp"
#include "stages/galaxy/galaxy_scratch.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/timing.hpp"

namespace srcextract::bench {
namespace {

constexpr int galaxy_repetitions = 30, fits_together = 8;
constexpr GalaxyModel one_profile = {.spheroid = true, .free_index = true};
constexpr GalaxyModel bulge_and_disk = {.spheroid = true, .index = 4, .disk = true};
constexpr GalaxyPriors weak_priors = {.sigma_ln_rc = 1, .sigma_e = 0.6, .mean_ln_n = 0.35, .sigma_ln_n = 0.6};

/// A Gaussian of FWHM 1.7 pixels whose width varies over the field.
std::vector<double> narrow_psf() {
  constexpr int size = 45, terms = 6;
  constexpr double step = 0.36, sigma = 1.7 / 2.355;
  std::vector<double> numbers(static_cast<std::size_t>(PsfModel::count_of(size, size, terms)), 0.0);
  numbers[0] = numbers[1] = size;
  numbers[2] = terms;
  numbers[3] = 2;
  numbers[4] = step;
  numbers[5] = 1.7;
  numbers[8] = numbers[11] = 1000;
  numbers[9] = 1;
  constexpr int powers[terms][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {0, 2}};
  double* const exponents = numbers.data() + PsfModel::head;
  for (int c = 0; c < terms; ++c) {
    for (int d = 0; d < 2; ++d) exponents[c * PsfModel::most_dimensions + d] = powers[c][d];
  }
  double* const light = exponents + terms * PsfModel::most_dimensions;
  for (int c = 0; c < terms; ++c) {
    for (int i = 0; i < size * size; ++i) {
      const int column = i / size - size / 2, row = i % size - size / 2;
      const double x = column * step, y = row * step;
      const double value = std::exp(-(x * x + y * y) / (2 * sigma * sigma)) / (2 * std::numbers::pi * sigma * sigma);
      light[static_cast<std::size_t>(c) * PsfModel(numbers.data()).plane() + i] = c == 0 ? value : 0.01 * value;
    }
  }
  return numbers;
}

/// Galaxies in boxes of a side, with noise, and where their fits start.
struct Galaxies {
  explicit Galaxies(const GalaxyModel& of, int box_side)
      : side(box_side),
        model(of),
        spectra(make_psf_spectra(PsfModel(numbers.data()), side)),
        scratch(make_galaxy_scratch(side)),
        variance(static_cast<std::size_t>(side) * side, 1.0F) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < fits_together; ++i) {
      GalaxyParameters at;
      at.x = 0.5 * uniform(random);
      at.y = 0.5 * uniform(random);
      const double h = 0.5 + 0.4 * uniform(random), turn = 3 * uniform(random);
      at.spheroid = {std::log(side / 14.0) + 0.3 * uniform(random), h * std::cos(turn), h * std::sin(turn),
                     0.4 + 0.5 * uniform(random)};
      at.disk = at.spheroid;
      at.disk.ln_rc += 0.4;
      at.spheroid_flux = at.disk_flux = 3000;
      std::vector<float> image(variance.size());
      render_galaxy(model, at, *spectra, 500, 500, *scratch, image.data());
      for (float& pixel : image) pixel += normal(random);
      light.push_back(std::move(image));
      at.x += 0.2 * uniform(random);
      at.spheroid.ln_rc += 0.3 * uniform(random);
      at.spheroid.e1 *= 0.7;
      at.spheroid.ln_n = 0.26;
      start.push_back(at);
    }
  }

  int fit_all() {
    int renders = 0;
    for (int i = 0; i < fits_together; ++i) {
      const GalaxyBox box{side, light[i].data(), variance.data(), 0.2};
      renders += fit_galaxy(model, start[i], box, weak_priors, 40, *spectra, 500, 500, *scratch).renders;
    }
    return renders;
  }

  double do_rounds() {
    double sums[64];
    float* image[most_component_images];
    const float* column[most_component_images + 1];
    for (int j = 0; j < most_component_images; ++j) column[j] = image[j] = scratch->image(j);
    column[most_component_images] = scratch->residual();
    scratch->take_psf(*spectra, 500, 500);
    for (const GalaxyParameters& at : start) {
      scratch->render_profile(at.spheroid, at.x, at.y, most_component_images, 0, image);
      sum_column_products(most_component_images + 1, column, scratch->weight(), scratch->pixels(), sums);
    }
    return sums[0];
  }

  int side;
  GalaxyModel model;
  std::vector<double> numbers = narrow_psf();
  std::shared_ptr<const PsfSpectra> spectra;
  std::unique_ptr<GalaxyScratch, void (*)(GalaxyScratch*)> scratch;
  std::vector<float> variance;
  std::vector<std::vector<float>> light;
  std::vector<GalaxyParameters> start;
};

/// Times work(galaxies), which does `fits_together` of what is counted.
template <class Work>
void add_galaxies(const std::string& name, const GalaxyModel& model, int side, const Work& work) {
  const auto made = std::make_shared<std::unique_ptr<Galaxies>>();
  add_repeated("cpu/" + name + "/" + std::to_string(side), galaxy_repetitions, [=](benchmark::State& state) {
    if (!*made) *made = std::make_unique<Galaxies>(model, side);
    const auto run = [&] { return work(**made); };
    for ([[maybe_unused]] auto unused : state) state.SetIterationTime(wall_seconds_of(run, Cpu{1}) / fits_together);
    state.SetItemsProcessed(state.iterations());
  });
}

}  // namespace

void add_cpu_galaxies() {
  for (const int side : galaxy_sides) {
    add_galaxies("galaxy_round", one_profile, side, [](Galaxies& of) { return of.do_rounds(); });
    add_galaxies("galaxy_fit", one_profile, side, [](Galaxies& of) { return of.fit_all(); });
    add_galaxies("galaxy_fit_bulge_and_disk", bulge_and_disk, side, [](Galaxies& of) { return of.fit_all(); });
  }
}

}  // namespace srcextract::bench
