#include "cuda/crowd/device_equations.hpp"
#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/crowd/star_rules.hpp"

namespace srcextract {
namespace {

constexpr int star_lanes = EquationsView::lanes;

/// Scalars of the conjugate-gradient iteration (solve_equations() on the host). Only one thread writes the scalars.
struct Iteration {
  double rho, alpha, beta, stop;
  int rounds, most;
  bool is_done;
};

/// Vectors of the conjugate-gradient iteration: solution z, residual r, direction d, and q = (N + prior) d. `inverse`
/// is the preconditioner.
struct Vectors {
  double *z, *r, *d, *q;
  const double *prior, *inverse;
};

__global__ void begin_kernel(EquationsView of, const CrowdStar* stars, const double* right, CrowdFree free,
                             double* prior, double* inverse, Vectors v) {
  for (std::int64_t i = thread_index(); i < of.size(); i += thread_total()) {
    prior[i] = i < 3 * of.stars && i % 3 != 0 ? held_step(stars[i / 3].flux) : 0;
    inverse[i] = inverse_of_unknown(of, i, prior[i], free);
    v.z[i] = 0;
    v.r[i] = right[i];
    v.d[i] = inverse[i] * v.r[i];
  }
}

/// Sets sums[piece] to the sum of f(i) over the unknowns of the piece. UnknownPieces divides all unknowns into pieces;
/// one warp handles one piece.
template <class F>
__device__ void sum_pieces(const UnknownPieces& pieces, double* sums, const F& f) {
  const std::int64_t piece = thread_index() / warp_size;
  if (piece >= pieces.count()) return;
  double sum = 0;
  for (std::int64_t i = pieces.begin(piece) + lane(); i < pieces.end(piece); i += warp_size) sum += f(i);
  sum = fold_lanes(sum);
  if (first_lane()) sums[piece] = sum;
}

/// Returns, in the first lane, the sum of the pieces' sums. One warp calls this function.
__device__ double sum_of_pieces(const UnknownPieces& pieces, const double* sums) {
  double sum = 0;
  for (std::int64_t i = lane(); i < pieces.count(); i += warp_size) sum += sums[i];
  return fold_lanes(sum);
}

__global__ void start_sums_kernel(UnknownPieces pieces, Vectors v, double* sums) {
  sum_pieces(pieces, sums, [&](std::int64_t i) { return v.r[i] * v.d[i]; });
}

__global__ void start_kernel(UnknownPieces pieces, const double* sums, double stop, int most, Iteration* at) {
  const double rho = sum_of_pieces(pieces, sums);
  if (!first_lane()) return;
  *at = {rho, 0, 0, stop, 0, most, !(most > 0 && rho > stop)};
}

/// Computes q = (N + prior) d. Eight lanes compute the elements of a star; eight other lanes compute the element of a
/// sky node.
__global__ void __launch_bounds__(block_threads) multiply_kernel(EquationsView of, Vectors v, const Iteration* at) {
  if (at->is_done) return;
  const std::int64_t own = thread_index() / star_lanes;
  const int own_lane = static_cast<int>(threadIdx.x) % star_lanes;
  const bool is_star = own < of.stars, is_node = !is_star && own < of.stars + of.nodes;
  double sum[3] = {};
  if (is_star) {
    for (std::int64_t k = of.row[own] + own_lane; k < of.row[own + 1]; k += star_lanes) of.add_partner(k, v.d, sum);
    for (std::int64_t k = of.node_row[own] + own_lane; k < of.node_row[own + 1]; k += star_lanes)
      of.add_level(k, v.d, sum);
  }
  if (is_node) {
    const std::int64_t node = own - of.stars;
    for (std::int64_t k = of.star_row[node] + own_lane; k < of.star_row[node + 1]; k += star_lanes)
      sum[0] += of.of_star(k, v.d);
    for (std::int64_t k = 9 * node + own_lane; k < 9 * node + 9; k += star_lanes) sum[0] += of.of_neighbour(k, v.d);
  }
  for (int p = 0; p < 3; ++p) sum[p] = fold_lanes<star_lanes>(sum[p]);
  if (own_lane != 0) return;
  if (is_node) v.q[3 * of.stars + own - of.stars] = sum[0];
  if (!is_star) return;
  for (int p = 0; p < 3; ++p) {
    const std::int64_t i = 3 * own + p;
    v.q[i] = sum[p] + v.prior[i] * v.d[i];
  }
}

__global__ void curvature_sums_kernel(UnknownPieces pieces, Vectors v, const Iteration* at, double* sums) {
  if (at->is_done) return;
  sum_pieces(pieces, sums, [&](std::int64_t i) { return v.d[i] * v.q[i]; });
}

__global__ void curvature_kernel(UnknownPieces pieces, const double* sums, Iteration* at) {
  if (at->is_done) return;
  const double curvature = sum_of_pieces(pieces, sums);
  if (!first_lane()) return;
  if (!(curvature > 0))
    at->is_done = true;
  else
    at->alpha = at->rho / curvature;
}

__global__ void step_kernel(UnknownPieces pieces, Vectors v, const Iteration* at, double* sums) {
  if (at->is_done) return;
  const double alpha = at->alpha;
  sum_pieces(pieces, sums, [&](std::int64_t i) {
    v.z[i] += alpha * v.d[i];
    v.r[i] -= alpha * v.q[i];
    return v.r[i] * v.inverse[i] * v.r[i];
  });
}

__global__ void next_kernel(UnknownPieces pieces, const double* sums, Iteration* at) {
  if (at->is_done) return;
  const double next = sum_of_pieces(pieces, sums);
  if (!first_lane()) return;
  at->beta = next / at->rho;
  at->rho = next;
  ++at->rounds;
  at->is_done = !(at->rounds < at->most && next > at->stop);
}

__global__ void turn_kernel(std::int64_t size, Vectors v, const Iteration* at) {
  if (at->is_done) return;
  for (std::int64_t i = thread_index(); i < size; i += thread_total())
    v.d[i] = v.inverse[i] * v.r[i] + at->beta * v.d[i];
}

}  // namespace

int DeviceEquations::solve(const DeviceList<CrowdStar>& stars, CrowdFree free, double tolerance, int most,
                           const Gpu& where) {
  const std::int64_t size = view_.size();
  for (Buffer<double, Gpu>* one : {&z_, &r_, &d_, &q_, &prior_, &inverse_}) make_room(*one, size, where);
  const Vectors v{z_.data(), r_.data(), d_.data(), q_.data(), prior_.data(), inverse_.data()};
  const UnknownPieces pieces{view_.stars, view_.nodes};
  make_room(sums_, pieces.count(), where);
  Value<Iteration, Gpu> at(where);
  const unsigned int of_size = grid_for(size, where), of_pieces = blocks_for(pieces.count() * warp_size),
                     of_rows = blocks_for((view_.stars + view_.nodes) * star_lanes);
  const auto launch = [&](auto kernel, unsigned int blocks, unsigned int threads, auto... arguments) {
    kernel<<<blocks, threads, 0, where.stream>>>(arguments...);
    check_launch();
  };
  launch(begin_kernel, of_size, block_threads, view_, stars.data(), right_.data(), free, prior_.data(), inverse_.data(),
         v);
  launch(start_sums_kernel, of_pieces, block_threads, pieces, v, sums_.data());
  const double stop = tolerance * tolerance * static_cast<double>(size);
  launch(start_kernel, 1, warp_size, pieces, sums_.data(), stop, most, at.data());
  // number of iterations between two tests on the host; iterations after the last needed one change nothing
  constexpr int rounds_together = 8;
  Iteration here{};
  while (!here.is_done) {
    for (int round = 0; round < rounds_together; ++round) {
      launch(multiply_kernel, of_rows, block_threads, view_, v, at.data());
      launch(curvature_sums_kernel, of_pieces, block_threads, pieces, v, at.data(), sums_.data());
      launch(curvature_kernel, 1, warp_size, pieces, sums_.data(), at.data());
      launch(step_kernel, of_pieces, block_threads, pieces, v, at.data(), sums_.data());
      launch(next_kernel, 1, warp_size, pieces, sums_.data(), at.data());
      launch(turn_kernel, of_size, block_threads, size, v, at.data());
    }
    here = fetch(at, where);
  }
  return here.rounds;
}

}  // namespace srcextract
