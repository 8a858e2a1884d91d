#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "stages/deblend/host_steps.hpp"

namespace srcextract::testing {

/// Has the steps of shared_steps.hpp taken as on a device: many threads that meet often, several lanes to an item.
class MeetingSteps : public HostSteps {
 public:
  using HostSteps::HostSteps;

  template <class Step, class State>
  void over(const SharedCount& items, const State& state) const {
    parallel_for(items(), 7, where(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) Step::take(state, i);
    });
  }

  /// By threads that wait for one another: of their own, whatever else runs.
  template <class Step>
  void in_order(const SharedCount& items, const Step& step) const {
    constexpr int lanes = 3;
    std::atomic<std::int64_t> next{0};
    const auto work = [&] {
      for (std::int64_t i; (i = next++) < items();) {
        auto part = step.part(i, lanes - 1, lanes);
        for (int lane = 0; lane + 1 < lanes; ++lane) part.join(step.part(i, lane, lanes));
        step.finish(i, part);
      }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < where().threads; ++thread) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }
};

}  // namespace srcextract::testing
