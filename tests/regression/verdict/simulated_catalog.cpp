#include "tests/regression/verdict/simulated_catalog.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "regression/verdict/compare.hpp"

namespace srcextract::testing {
namespace {

constexpr double sky_noise = 20;  // of the flux of the smallest source
constexpr double gain = 2;        // electrons a count
constexpr double faintest = 150;  // below it nothing is ever found
constexpr double limit = 250;     // what is measured fainter is not catalogued

struct Noise {
  std::mt19937_64 random;
  std::normal_distribution<double> normal;
  bool on = true;

  double operator()(double sigma) { return on ? sigma * normal(random) : 0; }
};

const std::vector<std::pair<const char*, const char*>> columns = {
    {"NUMBER", ""},          {"X_IMAGE", "pixel"},     {"Y_IMAGE", "pixel"},     {"XMIN_IMAGE", "pixel"},
    {"XMAX_IMAGE", "pixel"}, {"NPIX", "pixel"},        {"FLUX_ISO", "count"},    {"FLUXERR_ISO", "count"},
    {"FLUX_MAX", "count"},   {"X2_IMAGE", "pixel**2"}, {"XY_IMAGE", "pixel**2"}, {"A_IMAGE", "pixel"},
    {"B_IMAGE", "pixel"},    {"THETA_IMAGE", "deg"},   {"BACKGROUND", "count"},  {"THRESHOLD", "count"},
    {"FLAGS", ""},           {"ALPHA_J2000", "deg"},   {"DELTA_J2000", "deg"}};

std::vector<double> measure(const Star& star, double number, double background, Noise& noise) {
  const double area = 4 * std::numbers::pi * star.a * star.b;
  const double error = std::sqrt(sky_noise * sky_noise * area / 40 + star.flux / gain);
  const double relative = error / star.flux;
  const double flux = star.flux + noise(error);
  const double x = star.x + noise(star.a * relative), y = star.y + noise(star.b * relative);
  const double a = star.a * (1 + noise(relative)), b = star.b * (1 + noise(relative));
  const double theta = star.theta + noise(20 * relative);
  const double cosine = std::cos(theta * std::numbers::pi / 180), sine = std::sin(theta * std::numbers::pi / 180);
  const double x2 = a * a * cosine * cosine + b * b * sine * sine;
  const double scale = 0.2 / 3600;
  return {number,
          x,
          y,
          std::floor(x - 2 * a),
          std::ceil(x + 2 * a),
          std::round(area * (1 + noise(relative))),
          flux,
          error,
          flux / (6.3 * a * b) * (1 + noise(relative)),
          x2,
          (a * a - b * b) * cosine * sine,
          a,
          b,
          std::remainder(theta, 180),
          background,
          5 * 4 * (1 + noise(1e-3)),
          0,
          150.1 - scale * x / std::cos(2.2 * std::numbers::pi / 180),
          2.2 + scale * y};
}

TestCatalog observe(const std::vector<Star>& sky, Noise noise) {
  TestCatalog result;
  std::vector<std::vector<double>> values(columns.size());
  const double background = 1000 + noise(0.01);
  for (const Star& star : sky) {
    const std::vector<double> row = measure(star, static_cast<double>(values[0].size() + 1), background, noise);
    if (row[6] < limit) continue;
    for (std::size_t i = 0; i < row.size(); ++i) values[i].push_back(row[i]);
  }
  result.table.rows = static_cast<std::int64_t>(values[0].size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    result.table.columns.push_back({columns[i].first, columns[i].second, "", "", std::move(values[i])});
  return result;
}

}  // namespace

std::vector<double>& TestCatalog::column(const std::string& name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const TableColumn& column) { return column.name == name; });
  return std::get<std::vector<double>>(found->values);
}

void TestCatalog::keep(const std::vector<std::int64_t>& rows) {
  for (TableColumn& column : table.columns) {
    std::vector<double> kept;
    for (std::int64_t row : rows)
      kept.push_back(std::get<std::vector<double>>(column.values)[static_cast<std::size_t>(row)]);
    column.values = std::move(kept);
  }
  table.rows = static_cast<std::int64_t>(rows.size());
}

Catalog TestCatalog::catalog(const SideRules& rules) const {
  Catalog result;
  for (const TableColumn& column : table.columns) {
    result.columns.push_back(column.name);
    result.units.push_back(column.unit);
  }
  result.meanings = meanings_of(result.columns, rules, "");
  result.expected_rows = table.rows;
  result.read = [this](const std::vector<std::size_t>& wanted) {
    Table read;
    read.rows = table.rows;
    for (std::size_t i : wanted) read.columns.push_back(table.columns[i]);
    return read;
  };
  return result;
}

Comparison compare(const TestCatalog& reference, const TestCatalog& other, int threads) {
  const UnitFactor factor = [](const std::string& from, const std::string& to) -> std::optional<double> {
    if (from == "Jy" && to == "mJy") return 1000;
    return std::nullopt;
  };
  return compare_catalogs(reference.catalog(), other.catalog(), default_rules(), factor, threads,
                          std::int64_t{1} << 30);
}

std::string words(const Comparison& comparison) {
  std::string text;
  for (const Finding& finding : comparison.findings) text += finding.subject + ": " + finding.words + "\n";
  return text;
}

std::vector<Star> make_sky(std::int64_t stars, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<Star> sky;
  for (std::int64_t i = 0; i < stars; ++i) {
    const double x = 1 + uniform(random) * (size - 1), y = 1 + uniform(random) * (size - 1);
    // As many brighter than F as 1/F, up to saturation.
    const double flux = std::min(faintest / (1 - uniform(random)), 1e6);
    const double a = 1.5 + 1.5 * uniform(random), b = a * (0.5 + 0.5 * uniform(random));
    sky.push_back({x, y, flux, a, b, 180 * uniform(random) - 90});
  }
  return sky;
}

TestCatalog observe(const std::vector<Star>& sky, std::uint64_t seed) {
  return observe(sky, Noise{std::mt19937_64(seed), {}, true});
}

TestCatalog observe_exactly(const std::vector<Star>& sky) {
  return observe(sky, Noise{{}, {}, false});
}

}  // namespace srcextract::testing
