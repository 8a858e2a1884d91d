#pragma once

#include "cuda/detect/noise_map.hpp"
#include "cuda/device/launch.hpp"
#include "stages/deblend/shared_cores.hpp"
#include "stages/deblend/shared_shares.hpp"

namespace srcextract {

/// Number of threads that handle a run together; a run is a set of consecutive foreground pixels of one row.
inline constexpr int run_lanes = 8;

struct NothingCarried {};

// Steps of deblending over all runs, for run_kernel. operator()(run, lane, carried) handles every run_lanes-th pixel of
// a run. `Carried` is the type of the state that a thread keeps from one run to the next.

struct SurveyStep {
  using Carried = CarriedSum<std::int32_t>;
  SharedIslands all;
  NoiseOfPixels noise;
  __device__ void operator()(std::int64_t run, int lane, Carried& pixels) const {
    all.survey(run, lane, run_lanes, noise, pixels);
  }
};

struct PlantStep {
  using Carried = NothingCarried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const { all.plant(run, lane, run_lanes); }
};

struct JoinStep {
  using Carried = NothingCarried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const { all.join(run, lane, run_lanes); }
};

struct SumStep {
  using Carried = SharedCores::Carried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried& carried) const {
    SharedCores(all).sum(run, lane, run_lanes, carried);
  }
};

struct JudgeStep {
  using Carried = NothingCarried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const {
    SharedCores(all).judge(run, lane, run_lanes);
  }
};

struct CountCoresStep {
  using Carried = NothingCarried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const {
    SharedCores(all).count(run, lane, run_lanes);
  }
};

struct NumberStep {
  using Carried = NothingCarried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const {
    SharedCores(all).number(run, lane, run_lanes);
  }
};

struct OwnStep {
  using Carried = NothingCarried;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const { SharedCores(all).own(run, lane, run_lanes); }
};

struct CountAboveStep {
  using Carried = CarriedSum<std::int32_t>;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried& above) const {
    SharedShares(all, nullptr).count_above(run, lane, run_lanes, above);
  }
};

struct CountAboveHalfStep {
  using Carried = CarriedSum<std::int32_t>;
  SharedIslands all;
  __device__ void operator()(std::int64_t run, int lane, Carried& above) const {
    SharedShares(all, nullptr).count_above_half(run, lane, run_lanes, above);
  }
};

struct ShareStep {
  using Carried = NothingCarried;
  SharedIslands all;
  CoreBox* boxes;
  __device__ void operator()(std::int64_t run, int lane, Carried&) const {
    SharedShares(all, boxes).share(run, lane, run_lanes);
  }
};

template <class Step>
__global__ void __launch_bounds__(block_threads) run_kernel(const __grid_constant__ Step step) {
  typename Step::Carried carried;
  const std::int64_t count = step.all.run_count();
  for (std::int64_t i = thread_index() / run_lanes; i < count; i += thread_total() / run_lanes)
    step(i, static_cast<int>(threadIdx.x % run_lanes), carried);
}

template <class Step>
void go_over_runs(const Step& step, const Gpu& where) {
  run_kernel<<<grid_for(step.all.run_room * run_lanes, where), block_threads, 0, where.stream>>>(step);
  check_launch();
}

}  // namespace srcextract
