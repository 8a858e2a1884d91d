#include "stages/crowd/crowd_equations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/crowd/cell_sums.hpp"

namespace srcextract {
namespace {

constexpr int lanes = 8;
constexpr std::int64_t stars_at_a_time = 32;

/// Sums the products of two stamps over a rectangle of pixels. of[3 i + j] is the sum for plane i of `one` and plane j
/// of `two`. `columns` is rounded up to a multiple of `lanes`; one of the stamps must be 0 in the additional columns.
SRCEXTRACT_VECTOR_CLONES void sum_products(const float* one, std::int64_t one_plane, std::int64_t one_stride,
                                           const float* two, std::int64_t two_plane, std::int64_t two_stride,
                                           std::int64_t columns, std::int64_t rows, double* of) {
  double sum[9][lanes] = {};
  for (std::int64_t y = 0; y < rows; ++y) {
    const float* const a = one + y * one_stride;
    const float* const b = two + y * two_stride;
    for (std::int64_t x = 0; x < columns; x += lanes) {
      double a0[lanes], a1[lanes], a2[lanes], b0[lanes], b1[lanes], b2[lanes];
      for (int l = 0; l < lanes; ++l) a0[l] = static_cast<double>(a[x + l]);
      for (int l = 0; l < lanes; ++l) a1[l] = static_cast<double>(a[one_plane + x + l]);
      for (int l = 0; l < lanes; ++l) a2[l] = static_cast<double>(a[2 * one_plane + x + l]);
      for (int l = 0; l < lanes; ++l) b0[l] = static_cast<double>(b[x + l]);
      for (int l = 0; l < lanes; ++l) b1[l] = static_cast<double>(b[two_plane + x + l]);
      for (int l = 0; l < lanes; ++l) b2[l] = static_cast<double>(b[2 * two_plane + x + l]);
      for (int l = 0; l < lanes; ++l) sum[0][l] += a0[l] * b0[l];
      for (int l = 0; l < lanes; ++l) sum[1][l] += a0[l] * b1[l];
      for (int l = 0; l < lanes; ++l) sum[2][l] += a0[l] * b2[l];
      for (int l = 0; l < lanes; ++l) sum[3][l] += a1[l] * b0[l];
      for (int l = 0; l < lanes; ++l) sum[4][l] += a1[l] * b1[l];
      for (int l = 0; l < lanes; ++l) sum[5][l] += a1[l] * b2[l];
      for (int l = 0; l < lanes; ++l) sum[6][l] += a2[l] * b0[l];
      for (int l = 0; l < lanes; ++l) sum[7][l] += a2[l] * b1[l];
      for (int l = 0; l < lanes; ++l) sum[8][l] += a2[l] * b2[l];
    }
  }
  for (int i = 0; i < 9; ++i) of[i] = folded(sum[i]);
}

/// The planes of a stamp, each multiplied with the weights of the pixels, and the residual in the pixels of the stamp.
/// Both are 0 outside the image.
struct WeighedStamp {
  std::vector<float> planes, residual;
  std::vector<StampSegment> segments;  ///< columns of the stamp, divided into the cells of the sky

  void make(const CrowdField& field, const CrowdStamp& stamp) {
    constexpr std::size_t read_beyond = 16;
    const std::int64_t plane = stamp.plane();
    planes.assign(static_cast<std::size_t>(3 * plane) + read_beyond, 0.0F);
    residual.assign(static_cast<std::size_t>(plane) + read_beyond, 0.0F);
    const StampRange columns(stamp.left(), stamp.side(), field.shape().width),
        rows(stamp.top(), stamp.side(), field.shape().height);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const std::int64_t in_image = (stamp.top() + y) * field.shape().width + stamp.left();
      const float* const weight = field.weight.data() + in_image;
      const float* const left_over = field.residual.data() + in_image;
      for (std::int64_t p = 0; p < 3; ++p) {
        const float* const of = stamp.numbers + p * plane + y * stamp.stride;
        float* const out = planes.data() + p * plane + y * stamp.stride;
        for (std::int64_t x = columns.begin; x < columns.end; ++x) out[x] = of[x] * weight[x];
      }
      for (std::int64_t x = columns.begin; x < columns.end; ++x)
        residual[static_cast<std::size_t>(y * stamp.stride + x)] = left_over[x];
    }
  }
};

/// Calls sum_products() for the pixels that two stamps share.
void sum_overlap(const float* weighed, const CrowdStamp& one, const CrowdStamp& two, double* of) {
  const std::int64_t left = std::max(one.left(), two.left()), top = std::max(one.top(), two.top());
  const std::int64_t columns = std::min(one.left() + one.side(), two.left() + two.side()) - left;
  const std::int64_t rows = std::min(one.top() + one.side(), two.top() + two.side()) - top;
  sum_products(weighed + one.place(left - one.left(), top - one.top()), one.plane(), one.stride,
               two.numbers + two.place(left - two.left(), top - two.top()), two.plane(), two.stride, columns, rows, of);
}

/// Lists for each star its partners, the stars whose stamps overlap its own stamp (out.row, out.partner).
void find_partners(const CrowdField& field, const std::vector<CrowdStar>& stars, CrowdEquations& out) {
  const std::vector<CrowdStamp>& stamps = field.stamps();
  StarCells cells(field.shape());
  cells.fill(stars);
  std::int32_t most = 0;
  for (const CrowdStamp& stamp : stamps) most = std::max(most, stamp.half);
  const std::int64_t pieces = (out.stars + stars_at_a_time - 1) / stars_at_a_time;
  std::vector<std::vector<std::int32_t>> found(static_cast<std::size_t>(pieces));
  out.row.assign(static_cast<std::size_t>(out.stars) + 1, 0);
  parallel_for(out.stars, stars_at_a_time, field.where(), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& all = found[static_cast<std::size_t>(begin / stars_at_a_time)];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t before = all.size();
      each_partner(cells.view(), stamps.data(), i, most, [&](std::int32_t j) { all.push_back(j); });
      std::sort(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
      out.row[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(all.size() - before);
    }
  });
  for (std::size_t i = 1; i < out.row.size(); ++i) out.row[i] += out.row[i - 1];
  out.partner.reserve(static_cast<std::size_t>(out.row.back()));
  for (const std::vector<std::int32_t>& some : found) out.partner.insert(out.partner.end(), some.begin(), some.end());
}

/// Lists the sky nodes around each stamp and the stars of each node, and allocates memory for their sums.
void find_nodes(const CrowdField& field, CrowdEquations& out) {
  out.node_row = {0};
  for (const CrowdStamp& stamp : field.stamps()) {
    const StampNodes of(field.view(), stamp);
    for (std::int32_t row = of.top; row <= of.bottom; ++row)
      for (std::int32_t column = of.left; column <= of.right; ++column) out.node.push_back(field.sky.node(column, row));
    out.node_row.push_back(std::ssize(out.node));
  }
  out.of_node.assign(3 * out.node.size(), 0.0);
  out.star_row.assign(static_cast<std::size_t>(out.nodes) + 1, 0);
  for (const std::int32_t node : out.node) ++out.star_row[static_cast<std::size_t>(node) + 1];
  for (std::size_t i = 1; i < out.star_row.size(); ++i) out.star_row[i] += out.star_row[i - 1];
  std::vector<std::int64_t> next(out.star_row.begin(), out.star_row.end() - 1);
  out.star.resize(out.node.size());
  out.entry.resize(out.node.size());
  for (std::int64_t i = 0; i < out.stars; ++i) {
    for (std::int64_t k = out.node_row[static_cast<std::size_t>(i)]; k < out.node_row[static_cast<std::size_t>(i) + 1];
         ++k) {
      const auto node = static_cast<std::size_t>(out.node[static_cast<std::size_t>(k)]);
      const auto at = static_cast<std::size_t>(next[node]++);
      out.star[at] = static_cast<std::int32_t>(i);
      out.entry[at] = k;
    }
  }
}

/// Adds to `out`, for each sky node around a stamp, the sums of the three weighted planes times the node's
/// interpolation weight. The order of summation is row by row, and cell by cell in a row.
void sum_sky(const CrowdPixels& field, const CrowdStamp& stamp, WeighedStamp& weighed, double* out) {
  const StampNodes nodes(field, stamp);
  weighed.segments.clear();
  for (std::int32_t cell = nodes.left; cell < nodes.right; ++cell) weighed.segments.emplace_back(field, stamp, cell);
  const StampRange rows(stamp.top(), stamp.side(), field.height);
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    const SkyGrid::Place down = field.sky.along_y(static_cast<double>(stamp.top() + y));
    double* above = out + 3 * std::ptrdiff_t{down.cell - nodes.top} * nodes.across();
    for (const StampSegment& segment : weighed.segments) {
      double* const below = above + 3 * std::ptrdiff_t{nodes.across()};
      for (std::int64_t p = 0; p < 3; ++p) {
        const float* const of = weighed.planes.data() + p * stamp.plane() + y * stamp.stride;
        double sum = 0, moment = 0;
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
          const auto value = static_cast<double>(of[i]);
          sum += value;
          moment += value * static_cast<double>(i - segment.begin);
        }
        const double right = segment.part * sum + moment / field.sky.side_x;
        above[p] += (1 - down.part) * (sum - right);
        above[3 + p] += (1 - down.part) * right;
        below[p] += down.part * (sum - right);
        below[3 + p] += down.part * right;
      }
      above += 3;
    }
  }
}

/// Computes the elements of star i with itself and with partners of higher number, with the sky nodes, and the right
/// sides.
void add_star(const CrowdField& field, std::int64_t i, WeighedStamp& weighed, CrowdEquations& out) {
  const auto at = static_cast<std::size_t>(i);
  const CrowdStamp& own = field.stamps()[at];
  weighed.make(field, own);
  for (std::int64_t k = out.row[at]; k < out.row[at + 1]; ++k) {
    const std::int32_t j = out.partner[static_cast<std::size_t>(k)];
    if (j >= i)
      sum_overlap(weighed.planes.data(), own, field.stamps()[static_cast<std::size_t>(j)], out.block.data() + 9 * k);
  }
  for (std::int64_t p = 0; p < 3; ++p) {
    double sum[lanes] = {};
    const float* const of = weighed.planes.data() + p * own.plane();
    for (std::int64_t q = 0; q < own.plane(); q += lanes)
      for (std::int64_t l = 0; l < lanes; ++l)
        sum[l] +=
            static_cast<double>(of[q + l]) * static_cast<double>(weighed.residual[static_cast<std::size_t>(q + l)]);
    out.right[static_cast<std::size_t>(3 * i + p)] = folded(sum);
  }
  sum_sky(field.view(), own, weighed, out.of_node.data() + 3 * out.node_row[at]);
}

/// Copies, transposed, the elements of star i with partners of lower number from those partners.
void mirror_blocks(const Cpu& where, CrowdEquations& out) {
  parallel_for(out.stars, stars_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t k = out.row[static_cast<std::size_t>(i)]; k < out.row[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto j = static_cast<std::size_t>(out.partner[static_cast<std::size_t>(k)]);
        if (static_cast<std::int64_t>(j) >= i) break;
        const std::int64_t there = out.view().place_of(static_cast<std::int64_t>(j), static_cast<std::int32_t>(i));
        const double* const from = out.block.data() + 9 * there;
        double* const to = out.block.data() + 9 * k;
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q) to[3 * p + q] = from[3 * q + p];
      }
    }
  });
}

/// Computes the elements between sky nodes, and the right sides of the nodes. Sums are computed cell by cell, and each
/// node then adds the sums of its cells.
void add_sky(const CrowdField& field, CrowdEquations& out) {
  const SkyNodes& sky = field.sky;
  const std::int32_t across = sky.columns - 1, down = sky.rows - 1;
  std::vector<CellSums> cells(static_cast<std::size_t>(std::int64_t{across} * down));
  parallel_for(std::ssize(cells), 1, field.where(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t cell = begin; cell < end; ++cell)
      cells[static_cast<std::size_t>(cell)] =
          CellSums(field.view(), static_cast<std::int32_t>(cell % across), static_cast<std::int32_t>(cell / across));
  });
  out.sky.resize(static_cast<std::size_t>(9 * out.nodes));
  out.sky_columns.resize(static_cast<std::size_t>(9 * out.nodes));
  for (std::int32_t i = 0; i < out.nodes; ++i)
    out.right[static_cast<std::size_t>(3 * out.stars + i)] = gather_node(
        sky, cells.data(), i, out.sky.data() + 9 * std::ptrdiff_t{i}, out.sky_columns.data() + 9 * std::ptrdiff_t{i});
}

}  // namespace

EquationsView CrowdEquations::view() const {
  return {stars,       nodes,          row.data(),      partner.data(), block.data(), node_row.data(),
          node.data(), of_node.data(), star_row.data(), star.data(),    entry.data(), sky_columns.data(),
          sky.data()};
}

CrowdEquations make_equations(const CrowdField& field, const std::vector<CrowdStar>& stars) {
  CrowdEquations out;
  out.stars = std::ssize(stars);
  out.nodes = field.sky.count();
  out.right.assign(static_cast<std::size_t>(out.size()), 0.0);
  find_partners(field, stars, out);
  find_nodes(field, out);
  field.require_room(9 * std::ssize(out.partner) * static_cast<std::int64_t>(sizeof(double)));
  out.block = Buffer<double, Cpu>(9 * std::ssize(out.partner), field.where());
  parallel_for(out.stars, stars_at_a_time, field.where(), [&](std::int64_t begin, std::int64_t end) {
    WeighedStamp weighed;
    for (std::int64_t i = begin; i < end; ++i) add_star(field, i, weighed, out);
  });
  mirror_blocks(field.where(), out);
  add_sky(field, out);
  return out;
}

}  // namespace srcextract
