#include <bit>

#include "cuda/crowd/device_equations.hpp"
#include "cuda/crowd/ordering.hpp"
#include "cuda/device/launch.hpp"
#include "cuda/device/sort.hpp"
#include "cuda/device/warp.hpp"
#include "stages/crowd/cell_sums.hpp"

namespace srcextract {
namespace {

/// groups: number of groups of `lanes` lanes in a warp
constexpr int lanes = EquationsView::lanes, groups = warp_size / lanes;

/// Returns the number of blocks of a launch with one warp for each item.
unsigned int blocks_of_warps(std::int64_t items) {
  return blocks_for(items * warp_size);
}

__global__ void count_partners_kernel(CellsView cells, const CrowdStamp* stamps, std::int64_t stars, std::int32_t most,
                                      std::int64_t* counts) {
  for (std::int64_t i = thread_index(); i < stars; i += thread_total()) {
    std::int64_t count = 0;
    each_partner(cells, stamps, i, most, [&](std::int32_t) { ++count; });
    counts[i] = count;
  }
}

/// Lists all pairs of stars whose stamps overlap. A pair is one number: star i in the high bits, its partner in the low
/// `bits` bits. A stamp is the square of pixels on which a star's light is modelled.
__global__ void list_partners_kernel(CellsView cells, const CrowdStamp* stamps, std::int64_t stars, std::int32_t most,
                                     const std::int64_t* row, int bits, std::uint64_t* pairs) {
  for (std::int64_t i = thread_index(); i < stars; i += thread_total()) {
    std::int64_t at = row[i];
    each_partner(cells, stamps, i, most, [&](std::int32_t j) {
      pairs[at++] = static_cast<std::uint64_t>(i) << bits | static_cast<std::uint64_t>(j);
    });
  }
}

__global__ void take_partners_kernel(const std::uint64_t* pairs, std::int64_t count, int bits, std::int32_t* partner) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::int64_t k = thread_index(); k < count; k += thread_total())
    partner[k] = static_cast<std::int32_t>(pairs[k] & mask);
}

__global__ void count_nodes_kernel(CrowdPixels pixels, const CrowdStamp* stamps, std::int64_t stars,
                                   std::int64_t* counts) {
  for (std::int64_t i = thread_index(); i < stars; i += thread_total())
    counts[i] = StampNodes(pixels, stamps[i]).count();
}

__global__ void list_nodes_kernel(CrowdPixels pixels, const CrowdStamp* stamps, std::int64_t stars,
                                  const std::int64_t* node_row, std::int32_t* node, std::uint32_t* keys,
                                  std::int32_t* entries, std::int32_t* star_of) {
  for (std::int64_t i = thread_index(); i < stars; i += thread_total()) {
    const StampNodes of(pixels, stamps[i]);
    std::int64_t at = node_row[i];
    for (std::int32_t row = of.top; row <= of.bottom; ++row) {
      for (std::int32_t column = of.left; column <= of.right; ++column, ++at) {
        node[at] = pixels.sky.node(column, row);
        keys[at] = static_cast<std::uint32_t>(node[at]);
        entries[at] = static_cast<std::int32_t>(at);
        star_of[at] = static_cast<std::int32_t>(i);
      }
    }
  }
}

__global__ void turn_nodes_kernel(const std::int32_t* entries, const std::int32_t* star_of, std::int64_t count,
                                  std::int64_t* entry, std::int32_t* star) {
  for (std::int64_t k = thread_index(); k < count; k += thread_total()) {
    entry[k] = entries[k];
    star[k] = star_of[entries[k]];
  }
}

/// A stamp (PSF at a star and its derivatives, CrowdStamp), and the image whose weights belong to its pixels.
struct Weighed {
  const CrowdStamp& stamp;
  const CrowdPixels& pixels;

  __device__ std::int64_t in_image(std::int64_t column, std::int64_t row) const {
    return (stamp.top() + row) * pixels.width + stamp.left() + column;
  }
  /// Returns plane p of the stamp times the weight of the pixel, which must be on the image. Columns and rows count
  /// from the stamp's first.
  __device__ float at(int p, std::int64_t column, std::int64_t row) const {
    return stamp.numbers[p * stamp.plane() + stamp.place(column, row)] * pixels.weight[in_image(column, row)];
  }
};

/// Adds this lane's part of nine sums to `of`. of[3 i + j] is for plane i of `one` and plane j of `two`: the sum of
/// plane times weight times plane over the image pixels that both stamps contain.
__device__ void sum_overlap(const CrowdPixels& pixels, const CrowdStamp& one, const CrowdStamp& two, int own_lane,
                            double* of) {
  const auto larger = [](std::int32_t a, std::int32_t b) { return a > b ? a : b; };
  const auto smaller = [](std::int32_t a, std::int32_t b) { return a < b ? a : b; };
  // Lanes count columns from the first column that both stamps contain, even if that column is outside the image: the
  // additions then have the same order as on the host.
  const std::int32_t left = larger(one.left(), two.left()), top = larger(larger(one.top(), two.top()), 0);
  const std::int32_t right = smaller(smaller(one.left() + one.side(), two.left() + two.side()),
                                     static_cast<std::int32_t>(pixels.width)),
                     bottom = smaller(smaller(one.top() + one.side(), two.top() + two.side()),
                                      static_cast<std::int32_t>(pixels.height));
  const auto plane_a = static_cast<std::int32_t>(one.plane()), plane_b = static_cast<std::int32_t>(two.plane());
  const float* a_row = one.numbers + one.place(-one.left(), top - one.top());
  const float* b_row = two.numbers + two.place(-two.left(), top - two.top());
  const float* weight = pixels.weight + top * pixels.width;
  for (std::int32_t y = top; y < bottom; ++y, a_row += one.stride, b_row += two.stride, weight += pixels.width) {
    for (std::int32_t x = left + own_lane; x < right; x += lanes) {
      if (x < 0) continue;
      const float w = weight[x];
      double a[3], b[3];
      for (int p = 0; p < 3; ++p) a[p] = static_cast<double>(a_row[p * plane_a + x] * w);
      for (int p = 0; p < 3; ++p) b[p] = static_cast<double>(b_row[p * plane_b + x]);
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q) of[3 * p + q] += a[p] * b[q];
    }
  }
}

/// Returns this lane's part of the right side: the sum of plane p times weight times residual.
__device__ double sum_right(const Weighed& of, int p, int own_lane) {
  const StampRange columns(of.stamp.left(), of.stamp.side(), of.pixels.width),
      rows(of.stamp.top(), of.stamp.side(), of.pixels.height);
  double sum = 0;
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    for (std::int64_t x = own_lane; x < columns.end; x += lanes) {
      if (x < columns.begin) continue;
      sum += static_cast<double>(of.at(p, x, y)) * static_cast<double>(of.pixels.residual[of.in_image(x, y)]);
    }
  }
  return sum;
}

/// Sums over the pixels of one stamp row within one cell of the sky grid, for each plane. `sum` adds plane times
/// weight; `right` adds plane times weight times the pixel's x position in the cell, from 0 to 1.
struct CellSegment {
  double sum[3], right[3];
};

/// Working memory of a warp that computes the elements of the normal equations between a star and sky nodes (corners of
/// grid cells). Additions have the same order as in sum_sky() on the host: row by row, and within a row by cells. First
/// each lane sums one row's pixels in one cell; then each lane adds the rows to one node. Node columns are processed
/// from left to right, since each column needs its own cell and the cell before.
struct SkyWork {
  CellSegment segments[2][warp_size];
  SkyGrid::Place down[warp_size];

  __device__ void sum(const Weighed& of, const StampNodes& nodes, double* out) {
    const StampRange rows(of.stamp.top(), of.stamp.side(), of.pixels.height);
    if (rows.begin >= rows.end)
      for (int k = lane(); k < 3 * nodes.count(); k += warp_size) out[k] = 0;
    for (std::int64_t first = rows.begin; first < rows.end; first += warp_size) {
      const std::int64_t y = first + lane();
      const int count = rows.end - first < warp_size ? static_cast<int>(rows.end - first) : warp_size;
      down[lane()] = of.pixels.sky.along_y(static_cast<double>(of.stamp.top() + y));
      for (std::int32_t column = 0; column < nodes.across(); ++column) {
        if (lane() < count && column + 1 < nodes.across())
          segments[column % 2][lane()] = segment(of, nodes.left + column, y);
        __syncwarp();
        add_rows(nodes, column, count, first == rows.begin, out);
        __syncwarp();
      }
    }
  }

 private:
  /// Returns the sums of a row in a cell; zeros if the stamp has no pixels in the cell.
  static __device__ CellSegment segment(const Weighed& of, std::int32_t cell, std::int64_t y) {
    CellSegment all{};
    const StampSegment columns(of.pixels, of.stamp, cell);
    const float* const numbers = of.stamp.numbers + of.stamp.place(0, y);
    const float* const weight = of.pixels.weight + of.in_image(0, y);
    const std::int64_t plane = of.stamp.plane();
    double moment[3] = {};
    for (std::int64_t x = columns.begin; x < columns.end; ++x) {
      const float w = weight[x];
      const auto from_begin = static_cast<double>(x - columns.begin);
      for (int p = 0; p < 3; ++p) {
        const auto value = static_cast<double>(numbers[p * plane + x] * w);
        all.sum[p] += value;
        moment[p] += value * from_begin;
      }
    }
    for (int p = 0; p < 3; ++p) all.right[p] = columns.part * all.sum[p] + moment[p] / of.pixels.sky.side_x;
    return all;
  }

  __device__ void add_rows(const StampNodes& nodes, std::int32_t column, int count, bool is_first, double* out) const {
    const std::int32_t of_planes = 3 * (nodes.bottom - nodes.top + 1);
    for (std::int32_t k = lane(); k < of_planes; k += warp_size) {
      const std::int32_t p = k % 3, row = k / 3;
      double& to = out[3 * (row * nodes.across() + column) + p];
      double whole = is_first ? 0 : to;
      for (int i = 0; i < count; ++i) {
        const std::int32_t below = row - (down[i].cell - nodes.top);
        if (below != 0 && below != 1) continue;
        const double factor = below == 0 ? 1 - down[i].part : down[i].part;
        if (column > 0) whole += factor * segments[(column - 1) % 2][i].right[p];
        const CellSegment& own = segments[column % 2][i];
        if (column + 1 < nodes.across()) whole += factor * (own.sum[p] - own.right[p]);
      }
      to = whole;
    }
  }
};

/// Arrays for the elements of the normal equations that belong to stars (members of CrowdEquations).
struct StarSums {
  double *block, *right, *of_node;
};

/// Computes the elements of the normal equations for one star, with one warp. These are the 3 x 3 blocks with itself
/// and with partners of higher number, each by a group of eight lanes; the star's right sides; and the elements with
/// sky nodes.
__global__ void __launch_bounds__(block_threads)
    sum_stars_kernel(CrowdPixels pixels, const CrowdStamp* stamps, EquationsView of, StarSums out) {
  __shared__ SkyWork sky_work[block_threads / warp_size];
  const std::int64_t i = thread_index() / warp_size;
  if (i >= of.stars) return;
  const int group = lane() / lanes, own_lane = lane() % lanes;
  const CrowdStamp own = stamps[i];
  const Weighed weighed{own, pixels};
  const std::int64_t first = of.place_of(i, static_cast<std::int32_t>(i)), end = of.row[i + 1];
  for (std::int64_t k = first; k < end; k += groups) {
    double sums[9] = {};
    if (k + group < end) sum_overlap(pixels, own, stamps[of.partner[k + group]], own_lane, sums);
    for (int p = 0; p < 9; ++p) {
      const double sum = fold_lanes<lanes>(sums[p]);
      if (own_lane == 0 && k + group < end) out.block[9 * (k + group) + p] = sum;
    }
  }
  const double right = fold_lanes<lanes>(group < 3 ? sum_right(weighed, group, own_lane) : 0);
  if (own_lane == 0 && group < 3) out.right[3 * i + group] = right;
  sky_work[threadIdx.x / warp_size].sum(weighed, StampNodes(pixels, own), out.of_node + 3 * of.node_row[i]);
}

/// Fills the blocks of a star with partners of lower number, by transposing the partners' blocks; one warp handles one
/// star.
__global__ void mirror_blocks_kernel(EquationsView of, double* block) {
  const std::int64_t i = thread_index() / warp_size;
  if (i >= of.stars) return;
  for (std::int64_t k = of.row[i] + lane(); k < of.row[i + 1]; k += warp_size) {
    const std::int64_t j = of.partner[k];
    if (j >= i) break;
    const double* const from = block + 9 * of.place_of(j, static_cast<std::int32_t>(i));
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q) block[9 * k + 3 * p + q] = from[3 * q + p];
  }
}

/// Computes the CellSums of one cell of the sky grid with one warp. Each lane sums a row of pixels; then each of 20
/// lanes adds up all rows for one of the 20 numbers of CellSums.
__global__ void __launch_bounds__(block_threads) sum_cells_kernel(CrowdPixels pixels, CellSums* cells) {
  constexpr int block_warps = block_threads / warp_size;
  __shared__ double sums[block_warps][warp_size][6];
  const std::int32_t across = pixels.sky.columns - 1;
  const std::int64_t cell = thread_index() / warp_size;
  if (cell >= std::int64_t{across} * (pixels.sky.rows - 1)) return;
  const auto column = static_cast<std::int32_t>(cell % across), row = static_cast<std::int32_t>(cell / across);
  double(*const of_rows)[6] = sums[threadIdx.x / warp_size];
  const std::int64_t next = pixels.sky.first_y(row + 1), end = next < pixels.height ? next : pixels.height;
  const int a = lane() < 16 ? lane() / 4 : lane() - 16, b = lane() % 4;
  double sum = 0;
  for (std::int64_t first = pixels.sky.first_y(row); first < end; first += warp_size) {
    const std::int64_t y = first + lane();
    __syncwarp();
    if (y < end) {
      const CellRow own(pixels, column, y);
      double* const to = of_rows[lane()];
      to[0] = own.weight;
      to[1] = own.weight_x;
      to[2] = own.weight_xx;
      to[3] = own.light;
      to[4] = own.light_x;
      to[5] = CellSums::y_part(pixels, y);
    }
    __syncwarp();
    for (int k = 0; k < warp_size && first + k < end; ++k) {
      const double* const from = of_rows[k];
      const CellRow one(from);
      if (lane() < 16) sum += CellSums::of_row(one, from[5], a, b);
      if (lane() >= 16 && lane() < 20) sum += CellSums::right_of_row(one, from[5], a);
    }
  }
  if (lane() < 16) cells[cell].of[a][b] = sum;
  if (lane() >= 16 && lane() < 20) cells[cell].right[a] = sum;
}

__global__ void gather_nodes_kernel(SkyGrid grid, const CellSums* cells, double* sky, std::int32_t* columns,
                                    double* right) {
  for (std::int64_t i = thread_index(); i < grid.count(); i += thread_total())
    right[i] = gather_node(grid, cells, static_cast<std::int32_t>(i), sky + 9 * i, columns + 9 * i);
}

}  // namespace

void DeviceEquations::make(const DeviceField& field, const DeviceList<CrowdStar>& stars) {
  view_ = {};
  view_.stars = stars.count;
  view_.nodes = field.view().sky.count();
  find_partners(field, stars);
  find_nodes(field);
  fill(field);
  add_sky(field);
}

void DeviceEquations::find_partners(const DeviceField& field, const DeviceList<CrowdStar>& stars) {
  const Gpu& where = field.where();
  const DeviceCells cells(stars, field.shape(), where);
  make_room(row_, stars.count + 1, where);
  const unsigned int blocks = grid_for(stars.count, where);
  count_partners_kernel<<<blocks, block_threads, 0, where.stream>>>(cells.view(), field.stamps(), stars.count,
                                                                    field.most_half(), row_.data());
  check_launch();
  partners_ = sum_before(row_, stars.count, where);
  make_room(partner_, partners_, where);
  Buffer<std::uint64_t, Gpu> pairs(partner_.size(), where);
  const int bits = std::bit_width(static_cast<std::uint64_t>(stars.count));
  list_partners_kernel<<<blocks, block_threads, 0, where.stream>>>(cells.view(), field.stamps(), stars.count,
                                                                   field.most_half(), row_.data(), bits, pairs.data());
  check_launch();
  sort_keys(pairs, partners_, 2 * bits, where);
  take_partners_kernel<<<grid_for(partners_, where), block_threads, 0, where.stream>>>(pairs.data(), partners_, bits,
                                                                                       partner_.data());
  check_launch();
  view_.row = row_.data();
  view_.partner = partner_.data();
}

void DeviceEquations::find_nodes(const DeviceField& field) {
  const Gpu& where = field.where();
  const std::int64_t stars = view_.stars;
  make_room(node_row_, stars + 1, where);
  count_nodes_kernel<<<grid_for(stars, where), block_threads, 0, where.stream>>>(field.view(), field.stamps(), stars,
                                                                                 node_row_.data());
  check_launch();
  const std::int64_t entries = sum_before(node_row_, stars, where);
  make_room(node_, entries, where);
  make_room(star_, entries, where);
  make_room(entry_, entries, where);
  make_room(of_node_, 3 * entries, where);
  make_room(star_row_, view_.nodes + 1, where);
  Buffer<std::uint32_t, Gpu> keys(node_.size(), where);
  Buffer<std::int32_t, Gpu> numbers(node_.size(), where), star_of(node_.size(), where);
  list_nodes_kernel<<<grid_for(stars, where), block_threads, 0, where.stream>>>(
      field.view(), field.stamps(), stars, node_row_.data(), node_.data(), keys.data(), numbers.data(), star_of.data());
  check_launch();
  sort_by_keys(keys, numbers, entries, std::bit_width(static_cast<std::uint64_t>(view_.nodes)), where);
  find_begins(keys.data(), entries, star_row_.data(), view_.nodes, where);
  turn_nodes_kernel<<<grid_for(entries, where), block_threads, 0, where.stream>>>(numbers.data(), star_of.data(),
                                                                                  entries, entry_.data(), star_.data());
  check_launch();
  view_.node_row = node_row_.data();
  view_.node = node_.data();
  view_.star_row = star_row_.data();
  view_.star = star_.data();
  view_.entry = entry_.data();
}

void DeviceEquations::fill(const DeviceField& field) {
  const Gpu& where = field.where();
  make_room(block_, 9 * partners_, where);
  make_room(right_, view_.size(), where);
  sum_stars_kernel<<<blocks_of_warps(view_.stars), block_threads, 0, where.stream>>>(
      field.view(), field.stamps(), view_, {block_.data(), right_.data(), of_node_.data()});
  check_launch();
  mirror_blocks_kernel<<<blocks_of_warps(view_.stars), block_threads, 0, where.stream>>>(view_, block_.data());
  check_launch();
  view_.block = block_.data();
  view_.of_node = of_node_.data();
}

void DeviceEquations::add_sky(const DeviceField& field) {
  const Gpu& where = field.where();
  const SkyGrid& grid = field.view().sky;
  const std::int64_t cells = std::int64_t{grid.columns - 1} * (grid.rows - 1);
  Buffer<CellSums, Gpu> sums(cells, where);
  sum_cells_kernel<<<blocks_of_warps(cells), block_threads, 0, where.stream>>>(field.view(), sums.data());
  check_launch();
  make_room(sky_, 9 * view_.nodes, where);
  make_room(sky_columns_, 9 * view_.nodes, where);
  gather_nodes_kernel<<<grid_for(view_.nodes, where), block_threads, 0, where.stream>>>(
      grid, sums.data(), sky_.data(), sky_columns_.data(), right_.data() + 3 * view_.stars);
  check_launch();
  view_.sky = sky_.data();
  view_.sky_columns = sky_columns_.data();
}

}  // namespace srcextract
