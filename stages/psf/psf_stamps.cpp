#include "stages/psf/psf_stamps.hpp"

#include <cmath>

#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

constexpr int taps = PsfModel::taps;

/// Sets out[i] to the sum over k of weight[k] * from[k * stride + i].
SRCEXTRACT_VECTOR_CLONES
void gather_line(const double* from, int stride, const double* weight, int count, double* out) {
  static_assert(taps == 8);
  const double* line[taps];
  for (int k = 0; k < taps; ++k) line[k] = from + std::ptrdiff_t{k} * stride;
  for (int i = 0; i < count; ++i)
    out[i] = weight[0] * line[0][i] + weight[1] * line[1][i] + weight[2] * line[2][i] + weight[3] * line[3][i] +
             weight[4] * line[4][i] + weight[5] * line[5][i] + weight[6] * line[6][i] + weight[7] * line[7][i];
}

/// Adds weight[k] * from[i] to to[k * stride + i], for each k.
SRCEXTRACT_VECTOR_CLONES
void scatter_line(const double* from, int stride, const double* weight, int count, double* to) {
  for (int k = 0; k < taps; ++k) {
    const double factor = weight[k];
    double* const line = to + std::ptrdiff_t{k} * stride;
    for (int i = 0; i < count; ++i) line[i] += factor * from[i];
  }
}

std::vector<double> transposed(const std::vector<double>& from, int rows, int columns) {
  std::vector<double> to(from.size());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      to[static_cast<std::size_t>(x) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(y)] =
          from[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)];
  return to;
}

std::vector<double> squares(const std::vector<double>& weight) {
  std::vector<double> all;
  for (const double one : weight) all.push_back(one * one);
  return all;
}

}  // namespace

PsfWindow::PsfWindow(const PsfSurface& surface, double x, double y, int half)
    : left_(static_cast<std::int64_t>(std::floor(x + 0.5)) - half),
      top_(static_cast<std::int64_t>(std::floor(y + 0.5)) - half),
      size_(2 * half + 1),
      side_(surface.side) {
  move(surface, x, y);
}

void PsfWindow::move(const PsfSurface& surface, double x, double y) {
  place(surface, left_, x, size_, x_);
  place(surface, top_, y, size_, y_);
}

void PsfWindow::place(const PsfSurface& surface, std::int64_t begin, double at, int size, Axis& axis) {
  const int middle = surface.side / 2;
  axis.first.assign(static_cast<std::size_t>(size), -1);
  axis.weight.assign(static_cast<std::size_t>(size) * taps, 0);
  for (int i = 0; i < size; ++i) {
    const double where = middle + (static_cast<double>(begin + i) - at) / surface.step;
    if (where < 0 || where > surface.side - 1) continue;
    axis.first[static_cast<std::size_t>(i)] =
        lanczos_taps(where, surface.side, axis.weight.data() + std::ptrdiff_t{i} * taps);
  }
}

void PsfWindow::draw(const double* plane, std::vector<double>& pixels) const {
  const auto side = static_cast<std::size_t>(side_), size = static_cast<std::size_t>(size_);
  std::vector<double> rows(size * side, 0);
  for (std::size_t i = 0; i < size; ++i)
    if (y_.first[i] >= 0)
      gather_line(plane + static_cast<std::size_t>(y_.first[i]) * side, side_, y_.weight.data() + i * taps, side_,
                  rows.data() + i * side);
  const std::vector<double> columns = transposed(rows, size_, side_);
  pixels.assign(size * size, 0);
  for (std::size_t j = 0; j < size; ++j)
    if (x_.first[j] >= 0)
      gather_line(columns.data() + static_cast<std::size_t>(x_.first[j]) * size, size_, x_.weight.data() + j * taps,
                  size_, pixels.data() + j * size);
}

void PsfWindow::spread(const std::vector<double>& pixels, double* plane, bool squared) const {
  const auto side = static_cast<std::size_t>(side_), size = static_cast<std::size_t>(size_);
  const std::vector<double> of_x = squared ? squares(x_.weight) : std::vector<double>();
  const std::vector<double> of_y = squared ? squares(y_.weight) : std::vector<double>();
  const double* const x = squared ? of_x.data() : x_.weight.data();
  const double* const y = squared ? of_y.data() : y_.weight.data();
  std::vector<double> columns(side * size, 0);
  for (std::size_t j = 0; j < size; ++j)
    if (x_.first[j] >= 0)
      scatter_line(pixels.data() + j * size, size_, x + j * taps, size_,
                   columns.data() + static_cast<std::size_t>(x_.first[j]) * size);
  const std::vector<double> rows = transposed(columns, side_, size_);
  for (std::size_t i = 0; i < size; ++i)
    if (y_.first[i] >= 0)
      scatter_line(rows.data() + i * side, side_, y + i * taps, side_,
                   plane + static_cast<std::size_t>(y_.first[i]) * side);
}

}  // namespace srcextract
