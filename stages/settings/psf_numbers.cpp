#include "stages/settings/psf_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stages/math/exact_math.hpp"
#include "stages/math/psf_model.hpp"

namespace srcextract {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int most_side = 256;         ///< maximum pixels along a side of PSF_MASK, the images of the PSF model
constexpr double most_covered = 1024;  ///< maximum image pixels that a side of PSF_MASK covers
constexpr double least_covered = 1;    ///< minimum image pixels that a side of PSF_MASK covers
constexpr double least_fwhm = 1e-3;    ///< minimum of PSF_FWHM, in pixels
constexpr double least_scale = 1e-3, most_zero = 1e9;  ///< limits of POLSCAL and POLZERO, in pixels

std::optional<double> number(const NumberTable& table, const std::string& card) {
  const auto found = table.cards.find(card);
  if (found == table.cards.end() || !std::holds_alternative<double>(found->second)) return std::nullopt;
  const double value = std::get<double>(found->second);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text(const NumberTable& table, const std::string& card) {
  const auto found = table.cards.find(card);
  return found != table.cards.end() && std::holds_alternative<std::string>(found->second)
             ? std::get<std::string>(found->second)
             : "";
}

/// The value of a card if it is an integer from `least` to `most`; else nothing.
std::optional<int> whole(const NumberTable& table, const std::string& card, int least, int most) {
  const std::optional<double> value = number(table, card);
  if (!value || *value != std::floor(*value) || *value < least || *value > most) return std::nullopt;
  return static_cast<int>(*value);
}

std::string numbered_card(const char* name, int which) {
  return name + std::to_string(which + 1);
}

/// A PSF model whose header cards are being read.
struct Draft {
  PsfModel model;
  std::vector<int> exponents;  ///< exponents of each polynomial term, most_dimensions for each term
  std::string problem = {};
};

/// Lists the terms of the polynomial in PSFEx's order: the power of the first dimension rises fastest. The powers of
/// the dimensions of a group sum up to at most the group's degree. `groups` has the group of each dimension, and `left`
/// the degree of each group.
void list_terms(const std::vector<int>& groups, std::vector<int> left, Draft& draft) {
  std::vector<int> power(PsfModel::most_dimensions, 0);
  draft.model.terms = 0;
  for (;;) {
    if (++draft.model.terms > PsfModel::most_terms) return;
    draft.exponents.insert(draft.exponents.end(), power.begin(), power.end());
    std::size_t d = 0;
    for (; d < groups.size(); ++d) {
      int& of_group = left[static_cast<std::size_t>(groups[d])];
      if (of_group > 0) {
        --of_group;
        ++power[d];
        break;
      }
      of_group += power[d];
      power[d] = 0;
    }
    if (d == groups.size()) return;
  }
}

/// Reads the dimensions and terms of the polynomial, or sets draft.problem.
void read_polynomial(const NumberTable& table, Draft& draft) {
  const auto fail = [&](const std::string& problem) { draft.problem = problem; };
  PsfModel& model = draft.model;
  if (table.cards.contains("POLNAXIS")) {
    const std::optional<int> dimensions = whole(table, "POLNAXIS", 0, PsfModel::most_dimensions);
    if (!dimensions) return fail("POLNAXIS is no number from 0 to 4");
    model.dimensions = *dimensions;
  }
  std::vector<int> groups, degrees;
  for (int d = 0; d < model.dimensions; ++d) {
    const std::string name = text(table, numbered_card("POLNAME", d));
    const bool of_x = name == "X_IMAGE" || name == "XWIN_IMAGE", of_y = name == "Y_IMAGE" || name == "YWIN_IMAGE";
    if (!of_x && !of_y)
      return fail(
          "its PSF varies with " +
          (name.empty() ? "something that " + numbered_card("POLNAME", d) + " does not name" : "'" + name + "'") +
          ", where only X_IMAGE and Y_IMAGE are known; run psfex with -PSFVAR_KEYS X_IMAGE,Y_IMAGE");
    model.of_y[d] = of_y ? 1 : 0;
    const std::optional<int> group = whole(table, numbered_card("POLGRP", d), 1, PsfModel::most_dimensions);
    const std::optional<double> zero = number(table, numbered_card("POLZERO", d)),
                                scale = number(table, numbered_card("POLSCAL", d));
    if (!group || !zero || !scale)
      return fail("POLGRP, POLZERO or POLSCAL of dimension " + std::to_string(d + 1) + " is no usable number");
    if ((*scale != 0 && std::abs(*scale) < least_scale) || std::abs(*zero) > most_zero)
      return fail(numbered_card("POLSCAL", d) + " or " + numbered_card("POLZERO", d) +
                  " is no scale of pixels: its PSF would not be a number in an image");
    groups.push_back(*group - 1);
    model.zero[d] = *zero;
    model.scale[d] = *scale;
  }
  if (model.dimensions > 0) {
    const std::optional<int> count = whole(table, "POLNGRP", 1, PsfModel::most_dimensions);
    if (!count || std::ranges::max(groups) >= *count) return fail("POLNGRP does not fit the groups of its dimensions");
    for (int g = 0; g < *count; ++g) {
      constexpr int most_degree = 10;
      const std::optional<int> degree = whole(table, numbered_card("POLDEG", g), 0, most_degree);
      if (!degree) return fail(numbered_card("POLDEG", g) + " is no number from 0 to 10");
      degrees.push_back(*degree);
    }
  }
  list_terms(groups, degrees, draft);
  if (model.terms > PsfModel::most_terms)
    fail("its polynomial has more than " + std::to_string(PsfModel::most_terms) + " terms; lower PSFVAR_DEGREES");
}

/// Reads the sizes of PSF_MASK, its pixel step, and PSF_FWHM, or sets draft.problem.
void read_sizes(const NumberTable& table, Draft& draft) {
  const auto fail = [&](const std::string& problem) { draft.problem = problem; };
  const std::optional<int> axes = whole(table, "PSFNAXIS", 2, 3);
  const std::optional<int> columns = whole(table, "PSFAXIS1", 1, most_side),
                           rows = whole(table, "PSFAXIS2", 1, most_side);
  const std::optional<int> planes = axes == 3 ? whole(table, "PSFAXIS3", 1, PsfModel::most_terms) : 1;
  if (!axes || !columns || !rows || !planes)
    return fail("PSFNAXIS or a PSFAXIS is no usable size (at most " + std::to_string(most_side) + " pixels a side)");
  if (*columns < PsfModel::taps || *rows < PsfModel::taps)
    return fail("its mask has fewer than 8 pixels along a side, which its interpolation needs; raise PSF_SIZE");
  if (*planes != draft.model.terms)
    return fail("it has " + std::to_string(*planes) + " planes, and a polynomial of " +
                std::to_string(draft.model.terms) + " terms");
  draft.model.columns = *columns;
  draft.model.rows = *rows;
  if (table.cards.contains("PSF_SAMP")) draft.model.step = number(table, "PSF_SAMP").value_or(0);
  if (!(draft.model.step > 0)) return fail("PSF_SAMP is not above 0");
  if (std::min(*columns, *rows) * draft.model.step < least_covered)
    return fail(
        "its mask covers less than a pixel of an image; PSF_SAMP is the step of the mask in pixels of the image");
  draft.model.fwhm = number(table, "PSF_FWHM").value_or(3);
  if (!(draft.model.fwhm > 0)) return fail("PSF_FWHM is not above 0");
  if (draft.model.fwhm < least_fwhm) return fail("PSF_FWHM is less than a thousandth of a pixel");
  if (std::max(*columns, *rows) * draft.model.step > most_covered || draft.model.fwhm * draft.model.step > most_covered)
    fail("its mask covers more than 1024 pixels of an image; lower PSF_SIZE or PSF_SAMPLING");
}

/// Returns sin(2 pi k / n) for all k from 0 to n - 1.
std::vector<double> sines_of(int n) {
  std::vector<double> all(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const int folded = 2 * k <= n ? k : n - k;  // sin(2 pi - t) = -sin(t)
    const double sine = portable_sin(4 * folded <= n ? 2 * pi * folded / n : pi * (n - 2 * folded) / n);
    all[static_cast<std::size_t>(k)] = 2 * k <= n ? sine : -sine;
  }
  return all;
}

/// Convolves values on a grid of n x n with an exponential disk exp(-r / h) of scale length h, in pixels of the grid.
/// The disk's response at frequency k is (1 + (2 pi k h)^2)^(-3/2). As the response is symmetric about zero frequency,
/// Hartley's transform along either axis (cosines plus sines) replaces complex numbers.
class DiskConvolution {
 public:
  DiskConvolution(int n, double length) : n_(n), both_(both_of(n)) {
    for (int v = 0; v < n; ++v) {
      for (int u = 0; u < n; ++u) {
        const double fx = frequency(u), fy = frequency(v);
        const double base = 1 + 4 * pi * pi * length * length * (fx * fx + fy * fy);
        response_.push_back(1 / (base * std::sqrt(base)));
      }
    }
  }

  void convolve(std::vector<double>& grid) const {
    transform(grid);
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] *= response_[i];
    transform(grid);
    for (double& value : grid) value /= static_cast<double>(n_) * n_;
  }

 private:
  double frequency(int k) const { return static_cast<double>(2 * k <= n_ ? k : n_ - k) / n_; }
  /// Returns cos(t) + sin(t) for t = 2 pi k / n, for all k.
  static std::vector<double> both_of(int n) {
    const std::vector<double> sines = sines_of(n), of_half = sines_of(2 * n);  // cos(t) = 1 - 2 sin(t / 2)^2
    std::vector<double> all;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
      all.push_back(1 - 2 * of_half[k] * of_half[k] + sines[k]);
    return all;
  }

  /// Transforms the grid along rows, then along columns. The transform along an axis is its own inverse, up to a factor
  /// n.
  void transform(std::vector<double>& grid) const {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> line(n);
    for (const auto& [step, next] : {std::pair<std::size_t, std::size_t>{1, n}, {n, 1}}) {
      for (std::size_t first = 0; first < n; ++first) {
        for (std::size_t k = 0; k < n; ++k) {
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) sum += grid[first * next + i * step] * both_[i * k % n];
          line[k] = sum;
        }
        for (std::size_t k = 0; k < n; ++k) grid[first * next + k * step] = line[k];
      }
    }
  }

  int n_;
  std::vector<double> both_, response_;
};

/// The scale length of an exact exponential disk that is as wide as the disk that SExtractor draws for this `length`.
/// SExtractor samples each mask pixel at 5 x 5 points, and counts their light as if all of it were in the pixel's
/// middle. Lengths are in pixels of the mask.
double drawn_length(double length) {
  constexpr int points = 5;
  // From a length of 2 the drawn disk is exact enough, and beyond 12 lengths the disk has no light.
  constexpr double fine = 2, lengths = 12;
  if (length > fine) return length;
  const int reach = (static_cast<int>(std::ceil(lengths * length)) + 1) * points + points / 2;
  double light = 0, squares = 0;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      const double value = portable_exp(-std::sqrt(static_cast<double>(x * x + y * y)) / (points * length));
      const double pixel = std::floor(static_cast<double>(x) / points + 0.5);
      light += value;
      squares += value * pixel * pixel;
    }
  }
  return std::sqrt(squares / light / 3);  // in an exact exponential disk the mean square of x is 3 length^2
}

/// Copies the model's part of a square grid to `out`, column by column.
void put_plane(const std::vector<double>& grid, int side, const PsfModel& model, double* out) {
  for (std::int64_t x = 0; x < model.columns; ++x)
    for (std::int64_t y = 0; y < model.rows; ++y)
      out[x * model.rows + y] =
          grid[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x)];
}

/// Packs a model into the array of numbers that PsfModel reads. `mask` has one image of PSF_MASK for each polynomial
/// term, row by row.
std::vector<double> numbers_of(const Draft& draft, const std::vector<double>& mask) {
  constexpr int margin = 16;              // pixels added to the grid, so that light of the disk does not wrap around
                                          // its edges
  constexpr double disk_part = 1.0 / 16;  // scale length of the disk in units of PSF_FWHM, as in SExtractor's
                                          // SPREAD_MODEL
  PsfModel model = draft.model;
  std::vector<double> all(static_cast<std::size_t>(PsfModel::count_of(model.columns, model.rows, model.terms)), 0);
  const double head[] = {static_cast<double>(model.columns),
                         static_cast<double>(model.rows),
                         static_cast<double>(model.terms),
                         static_cast<double>(model.dimensions),
                         model.step,
                         model.fwhm};
  std::ranges::copy(head, all.begin());
  for (int d = 0; d < model.dimensions; ++d) {
    double* const to = all.data() + std::size(head) + std::ptrdiff_t{3} * d;
    to[0] = model.of_y[d];
    to[1] = model.zero[d];
    to[2] = model.scale[d];
  }
  std::ranges::copy(draft.exponents, all.begin() + PsfModel::head);
  model.numbers = all.data();
  const int side = std::max(model.columns, model.rows) + margin;
  const DiskConvolution disk(side, drawn_length(model.fwhm * disk_part / model.step));
  for (int k = 0; k < model.terms; ++k) {
    std::vector<double> grid(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 0);
    for (int y = 0; y < model.rows; ++y)
      for (int x = 0; x < model.columns; ++x)
        grid[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x)] =
            mask[(static_cast<std::size_t>(k) * static_cast<std::size_t>(model.rows) + static_cast<std::size_t>(y)) *
                     static_cast<std::size_t>(model.columns) +
                 static_cast<std::size_t>(x)];
    const std::int64_t at = std::int64_t{k} * model.plane();
    put_plane(grid, side, model, all.data() + (model.light() - all.data()) + at);
    disk.convolve(grid);
    put_plane(grid, side, model, all.data() + (model.spread() - all.data()) + at);
  }
  return all;
}

}  // namespace

TableNumbers psf_numbers(const std::vector<NumberTable>& tables) {
  TableNumbers result;
  for (const NumberTable& table : tables) {
    if (table.name != "PSF_DATA") continue;
    const std::string which = "table " + std::to_string(result.sets.size() + 1) + " of PSF_DATA: ";
    const auto mask = table.columns.find("PSF_MASK");
    if (mask == table.columns.end()) return {.problem = which + "there is no column PSF_MASK of numbers"};
    Draft draft;
    read_polynomial(table, draft);
    if (draft.problem.empty()) read_sizes(table, draft);
    if (!draft.problem.empty()) return {.problem = which + draft.problem};
    const std::vector<double>& values = mask->second;
    const std::size_t needed = static_cast<std::size_t>(draft.model.columns) *
                               static_cast<std::size_t>(draft.model.rows) * static_cast<std::size_t>(draft.model.terms);
    if (values.size() != needed)
      return {.problem = which + "PSF_MASK has " + std::to_string(values.size()) + " values, where its sizes say " +
                         std::to_string(needed) + "; it is damaged"};
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value) && std::abs(value) < 1e30; }))
      return {.problem = which + "PSF_MASK has values that are not finite; PSFEx found no usable stars"};
    const auto first = std::span(values).first(needed / static_cast<std::size_t>(draft.model.terms));
    if (std::ranges::all_of(first, [](double value) { return value == 0; }))
      return {.problem = which + "its mask is 0 everywhere: PSFEx found no usable stars"};
    result.sets.push_back(numbers_of(draft, values));
    if (!(psf_sum(result.sets.back()) > 0))
      return {.problem = which + "the sum of its mask is not above 0, so it is no light of a star; make it again"};
  }
  if (result.sets.empty()) result.problem = "has no table PSF_DATA: it is no file of PSFEx's";
  return result;
}

double psf_sum(const std::vector<double>& numbers) {
  const PsfModel model(numbers.data());
  double sum = 0;  // only the constant term: the others are 0 where the scaled coordinates are 0
  for (int i = 0; i < model.columns * model.rows; ++i) sum += model.light()[i];
  return sum * model.step * model.step;
}

void normalise_psf(std::vector<double>& numbers) {
  const PsfModel model(numbers.data());
  const double sum = psf_sum(numbers);
  if (!(sum > 0)) return;
  for (auto i = static_cast<std::size_t>(model.light() - model.numbers); i < numbers.size(); ++i) numbers[i] /= sum;
}

}  // namespace srcextract
