#include "stages/deblend/claims.hpp"

#include <algorithm>
#include <utility>

#include "stages/deblend/claim_rules.hpp"

namespace srcextract {
namespace {

/// If an island (connected set of foreground pixels) has at most `few` cores (parts that become sources), all cores are
/// tried and no tree of boxes is built. A box of the tree with at most `few_in_box` cores is not divided. Both numbers
/// only affect speed.
constexpr std::int32_t few = 16, few_in_box = 4;

}  // namespace

/// Finds the core that gets one pixel.
class Claims::Search {
 public:
  Search(const Claims& claims, double x, double y) : claims_(claims), x_(x), y_(y) {}

  template <class Rule>
  std::int32_t run(std::int32_t likely) {
    best_ = -1;
    worth_ = no_worth;
    if (claims_.boxes_.empty()) {
      for (const Claimant& core : claims_.cores_) look_at<Rule>(core);
    } else {
      look_at<Rule>(claims_.cores_[static_cast<std::size_t>(claims_.place_[static_cast<std::size_t>(likely)])]);
      descend<Rule>(0);
    }
    return best_;
  }

 private:
  template <class Rule>
  void look_at(const Claimant& claimant) {
    const double worth = Rule::worth(claimant.shape, claimant.shape.claim(x_, y_));
    if (worth < worth_ || worth == no_worth) return;
    if (worth == worth_ && claimant.core >= best_) return;
    worth_ = worth;
    best_ = claimant.core;
  }

  /// Returns an upper limit of the worth of all cores in the box at the pixel (x_, y_).
  template <class Rule>
  double bound(const Box& box) const {
    const double dx = beyond(x_, box.x_least, box.x_most), dy = beyond(y_, box.y_least, box.y_most);
    return Rule::bound(box.ln_amplitude, box.least * (dx * dx + dy * dy));
  }

  template <class Rule>
  void descend(std::int32_t index) {
    const Box& box = claims_.boxes_[static_cast<std::size_t>(index)];
    if (box.second == 0) {
      for (std::int32_t i = box.first; i < box.last; ++i) look_at<Rule>(claims_.cores_[static_cast<std::size_t>(i)]);
      return;
    }
    std::int32_t near = index + 1, far = box.second;
    double of_near = bound<Rule>(claims_.boxes_[static_cast<std::size_t>(near)]);
    double of_far = bound<Rule>(claims_.boxes_[static_cast<std::size_t>(far)]);
    if (of_near < of_far) {
      std::swap(near, far);
      std::swap(of_near, of_far);
    }
    if (can_hold(of_near)) descend<Rule>(near);
    if (can_hold(of_far)) descend<Rule>(far);
  }

  bool can_hold(double bound) const { return bound >= worth_ && bound > no_worth; }

  const Claims& claims_;
  double x_, y_;
  double worth_ = 0;
  std::int32_t best_ = -1;
};

Claims::Claims(std::span<const CoreShape> cores) {
  const auto count = static_cast<std::int32_t>(cores.size());
  for (std::int32_t core = 0; core < count; ++core) cores_.push_back({cores[static_cast<std::size_t>(core)], core});
  if (count <= few) return;
  add_box(0, count);
  place_.resize(cores.size());
  for (std::int32_t i = 0; i < count; ++i)
    place_[static_cast<std::size_t>(cores_[static_cast<std::size_t>(i)].core)] = i;
}

/// Adds the box around cores [first, last) and, recursively, the boxes of its two halves, split at the median along the
/// longer side. Returns the box's index.
std::int32_t Claims::add_box(std::int32_t first, std::int32_t last) {
  const std::span<Claimant> inside(cores_.data() + first, cores_.data() + last);
  const CoreShape& any = inside.front().shape;
  Box box{any.x, any.x, any.y, any.y, any.ln_amplitude, any.least, first, last, 0};
  for (const Claimant& claimant : inside) {
    const CoreShape& core = claimant.shape;
    box.x_least = std::min(box.x_least, core.x);
    box.x_most = std::max(box.x_most, core.x);
    box.y_least = std::min(box.y_least, core.y);
    box.y_most = std::max(box.y_most, core.y);
    box.ln_amplitude = std::max(box.ln_amplitude, core.ln_amplitude);
    box.least = std::min(box.least, core.least);
  }
  const auto index = static_cast<std::int32_t>(boxes_.size());
  boxes_.push_back(box);
  if (last - first <= few_in_box) return index;
  const std::int32_t middle = first + (last - first) / 2;
  const bool along_x = box.x_most - box.x_least > box.y_most - box.y_least;
  std::ranges::nth_element(inside, inside.begin() + (middle - first), {},
                           [&](const Claimant& claimant) { return along_x ? claimant.shape.x : claimant.shape.y; });
  add_box(first, middle);
  const std::int32_t second = add_box(middle, last);
  boxes_[static_cast<std::size_t>(index)].second = second;
  return index;
}

std::int32_t Claims::owner_of(double x, double y, std::int32_t likely) const {
  Search search(*this, x, y);
  const std::int32_t owner = search.run<MostProbable>(likely);
  return owner >= 0 ? owner : search.run<LeastClaim>(likely);
}

}  // namespace srcextract
