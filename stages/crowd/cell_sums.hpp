#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/crowd/crowd_pixels.hpp"
#include "stages/crowd/crowd_psf.hpp"

namespace srcextract {

/// The nodes of the sky around the pixels of a stamp. Nodes are grid points between which the sky is linear
/// (sky_nodes.hpp). A stamp is a square of pixels about a star (crowd_psf.hpp). The nodes are in the grid columns
/// `left` to `right` and rows `top` to `bottom`, and are numbered row by row.
struct StampNodes {
  std::int32_t left, right, top, bottom;

  SRCEXTRACT_HOST_DEVICE StampNodes(const CrowdPixels& of, const CrowdStamp& stamp)
      : left(of.sky.along_x(within(stamp.left(), of.width)).cell),
        right(of.sky.along_x(within(stamp.left() + 2 * stamp.half, of.width)).cell + 1),
        top(of.sky.along_y(within(stamp.top(), of.height)).cell),
        bottom(of.sky.along_y(within(stamp.top() + 2 * stamp.half, of.height)).cell + 1) {}

  SRCEXTRACT_HOST_DEVICE std::int32_t across() const { return right - left + 1; }
  SRCEXTRACT_HOST_DEVICE std::int32_t count() const { return across() * (bottom - top + 1); }

 private:
  static SRCEXTRACT_HOST_DEVICE double within(std::int64_t pixel, std::int64_t size) {
    return static_cast<double>(pixel < 0 ? 0 : pixel >= size ? size - 1 : pixel);
  }
};

/// The columns or rows of a stamp that are within the image: `begin` to end - 1, counted from the first of the stamp.
struct StampRange {
  std::int64_t begin, end;

  SRCEXTRACT_HOST_DEVICE StampRange(std::int64_t first, std::int64_t side, std::int64_t size)
      : begin(first < 0 ? -first : 0), end(side < size - first ? side : size - first) {}
};

/// The columns of a stamp that are within the image and within a column of sky cells (a cell: the rectangle between
/// four neighbouring nodes). Counted from the first column of the stamp.
struct StampSegment {
  std::int64_t begin, end;
  double part = 0;  ///< position of the first column in the cell, from 0 to 1

  SRCEXTRACT_HOST_DEVICE StampSegment(const CrowdPixels& of, const CrowdStamp& stamp, std::int32_t cell) {
    const StampRange columns(stamp.left(), stamp.side(), of.width);
    const std::int64_t first = of.sky.first_x(cell) - stamp.left(), next = of.sky.first_x(cell + 1) - stamp.left();
    begin = first < columns.begin ? columns.begin : first;
    end = next < columns.end ? next : columns.end;
    if (begin < end) part = of.sky.along_x(static_cast<double>(stamp.left() + begin)).part;
  }
};

/// Sums over the pixels of a cell in one row of the image. The members are sums of w, w x, w x^2, w R and w R x. Here w
/// is the weight of a pixel, R the residual, and x the position in the cell from 0 to 1.
struct CellRow {
  double weight = 0, weight_x = 0, weight_xx = 0, light = 0, light_x = 0;

  /// Sets the five sums to `numbers`, in the order of the members.
  explicit SRCEXTRACT_HOST_DEVICE CellRow(const double* numbers)
      : weight(numbers[0]), weight_x(numbers[1]), weight_xx(numbers[2]), light(numbers[3]), light_x(numbers[4]) {}
  SRCEXTRACT_HOST_DEVICE CellRow(const CrowdPixels& of, std::int32_t column, std::int64_t y) {
    const std::int64_t next = of.sky.first_x(column + 1), to = next < of.width ? next : of.width;
    for (std::int64_t x = of.sky.first_x(column); x < to; ++x) {
      const double u = of.sky.along_x(static_cast<double>(x)).part;
      const auto w = static_cast<double>(of.weight[y * of.width + x]);
      const double own = w * static_cast<double>(of.residual[y * of.width + x]);
      weight += w;
      weight_x += w * u;
      weight_xx += w * u * u;
      light += own;
      light_x += own * u;
    }
  }
};

/// The contributions of a cell to the normal equations of the nodes at its four corners. of[a][b] belongs to the
/// element for corners a and b, right[a] to the right side of corner a. Corner a is on the right if a % 2 is 1, and at
/// larger y if a / 2 is 1.
struct CellSums {
  double of[4][4] = {}, right[4] = {};

  SRCEXTRACT_HOST_DEVICE CellSums() {}
  SRCEXTRACT_HOST_DEVICE CellSums(const CrowdPixels& pixels, std::int32_t column, std::int32_t row) {
    const std::int64_t next = pixels.sky.first_y(row + 1), to = next < pixels.height ? next : pixels.height;
    for (std::int64_t y = pixels.sky.first_y(row); y < to; ++y) add(CellRow(pixels, column, y), y_part(pixels, y));
  }

  SRCEXTRACT_HOST_DEVICE void add(const CellRow& row, double v) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) of[a][b] += of_row(row, v, a, b);
      right[a] += right_of_row(row, v, a);
    }
  }

  /// of_row() returns what a row of pixels adds to of[a][b], right_of_row() what the row adds to right[a]. `v` is the
  /// row's position in the cell along y, from 0 to 1.
  static SRCEXTRACT_HOST_DEVICE double of_row(const CellRow& row, double v, int a, int b) {
    return in_y(a / 2, v) * in_y(b / 2, v) * in_x(row, a % 2 + b % 2);
  }
  static SRCEXTRACT_HOST_DEVICE double right_of_row(const CellRow& row, double v, int a) {
    return in_y(a / 2, v) * (a % 2 == 0 ? row.light - row.light_x : row.light_x);
  }

  static SRCEXTRACT_HOST_DEVICE double y_part(const CrowdPixels& of, std::int64_t y) {
    return of.sky.along_y(static_cast<double>(y)).part;
  }

 private:
  static SRCEXTRACT_HOST_DEVICE double in_y(int below, double v) { return below == 0 ? 1 - v : v; }
  /// `corners` is the number of corners of the pair that are on the right: 0, 1 or 2.
  static SRCEXTRACT_HOST_DEVICE double in_x(const CellRow& row, int corners) {
    if (corners == 0) return row.weight - 2 * row.weight_x + row.weight_xx;
    return corners == 1 ? row.weight_x - row.weight_xx : row.weight_xx;
  }
};

/// Computes the equation of node i from the sums of the adjacent cells. Sets `of` to the nine elements for the node and
/// its neighbours, and `columns` to the numbers of these nodes (-1: no such node). Returns the right side.
SRCEXTRACT_HOST_DEVICE inline double gather_node(const SkyGrid& sky, const CellSums* cells, std::int32_t i, double* of,
                                                 std::int32_t* columns) {
  for (int k = 0; k < 9; ++k) {
    of[k] = 0;
    columns[k] = -1;
  }
  const std::int32_t across = sky.columns - 1, down = sky.rows - 1;
  double right = 0;
  for (int a = 0; a < 4; ++a) {  // the node is corner a of up to four cells
    const std::int32_t x = i % sky.columns - a % 2, y = i / sky.columns - a / 2;
    if (x < 0 || y < 0 || x >= across || y >= down) continue;
    const CellSums& sums = cells[std::int64_t{y} * across + x];
    for (int b = 0; b < 4; ++b) {
      const int place = 3 * (b / 2 - a / 2 + 1) + (b % 2 - a % 2 + 1);
      of[place] += sums.of[a][b];
      columns[place] = sky.node(x + b % 2, y + b / 2);
    }
    right += sums.right[a];
  }
  return right;
}

SRCEXTRACT_HOST_DEVICE inline bool overlap(const CrowdStamp& one, const CrowdStamp& two) {
  const std::int32_t reach = one.half + two.half, dx = one.x - two.x, dy = one.y - two.y;
  return dx <= reach && -dx <= reach && dy <= reach && -dy <= reach;
}

/// Calls f(j), in no fixed order, for each star j whose stamp overlaps the stamp of star i, including i itself. `most`
/// is the largest CrowdStamp::half of all stars.
template <class F>
SRCEXTRACT_HOST_DEVICE void each_partner(const CellsView& cells, const CrowdStamp* stamps, std::int64_t i,
                                         std::int32_t most, const F& f) {
  const CrowdStamp& own = stamps[i];
  const double reach = own.half + most + 1.0;
  cells.each_near(own.x - reach, own.x + reach, own.y - reach, own.y + reach, [&](std::int32_t j) {
    if (overlap(own, stamps[j])) f(j);
  });
}

}  // namespace srcextract
