#include "stages/detect/label.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/adjacency.hpp"
#include "stages/detect/run_forest.hpp"

namespace srcextract {

namespace {

/// Number of rows in a stripe. Each thread labels whole stripes alone. Afterwards components that touch at a seam, the
/// border of two stripes, are joined.
constexpr std::int64_t stripe_rows = 256;

bool is_before(const Run& run, const Run& other) {
  return run.y < other.y || (run.y == other.y && run.end <= other.begin);
}

bool shares_pixel(const Run& run, const Run& other) {
  return run.y == other.y && touch(run, other, 0);
}

/// Finds the connected components of runs (stretches of foreground pixels). Threads label stripes of rows
/// independently. Then components of neighbouring stripes that touch are joined. Both steps number components in raster
/// order of their first runs.
class StripedComponents {
 public:
  /// If `all` is true, number_all() must be called afterwards, else number().
  StripedComponents(const Runs<Cpu>& runs, std::int32_t reach, bool all, const Cpu& where)
      : runs_(runs), where_(where), label_(runs.runs.size(), where) {
    const std::int64_t stripes = (runs.shape.height + stripe_rows - 1) / stripe_rows;
    begin_.resize(static_cast<std::size_t>(stripes) + 1, 0);
    for_each_stripe([&](const Stripe& stripe) { begin_[stripe.index + 1] = label_stripe(stripe, reach); });
    std::inclusive_scan(begin_.begin(), begin_.end(), begin_.begin());
    number_ = Buffer<std::int32_t, Cpu>(begin_.back(), where);
    if (all) {
      plant_at_seams();
    } else {
      plant_all();
    }
    join_seams(reach);
  }

  /// Numbers all components 1, 2, ... in raster order of their first runs, whatever their area.
  Components<Cpu> number_all() && {
    const auto first_joined = [&](std::int32_t i) { return std::lower_bound(joined_.begin(), joined_.end(), i); };
    const auto number_of_root = [&](std::int32_t i) {
      while (number_[i] != i) i = number_[i];
      return i + 1 - static_cast<std::int32_t>(first_joined(i) - joined_.begin());
    };
    for_each_stripe([&](const Stripe& stripe) {
      const std::int32_t begin = begin_[stripe.index], end = begin_[stripe.index + 1];
      auto joined = first_joined(begin);
      std::int32_t next = begin + 1 - static_cast<std::int32_t>(joined - joined_.begin());
      if (joined == first_joined(end)) {
        for (std::int64_t i = stripe.first_run; i < stripe.last_run; ++i) label_[i] += next;
        return;
      }
      Buffer<std::int32_t, Cpu> numbers(end - begin, where_);
      for (std::int32_t i = begin; i < end; ++i) {
        const bool is_joined = joined != joined_.end() && *joined == i;
        numbers[i - begin] = is_joined ? number_of_root(i) : next++;
        if (is_joined) ++joined;
      }
      for (std::int64_t i = stripe.first_run; i < stripe.last_run; ++i) label_[i] = numbers[label_[i]];
    });
    const std::int64_t found = begin_.back() - std::ssize(joined_);
    return {std::move(label_), ComponentCounts{found, found}};
  }

  /// Numbers the components of at least min_area pixels 1, 2, ... in raster order of their first runs. If `seeds` is
  /// not null, numbers only components that share a pixel with a run of `seeds`. Runs of other components get the label
  /// 0.
  Components<Cpu> number(std::int64_t min_area, const Runs<Cpu>* seeds) && {
    Buffer<std::int64_t, Cpu> area;
    if (min_area > 1) area = areas();
    Buffer<std::uint8_t, Cpu> seeded;
    if (seeds != nullptr) seeded = find_seeded(*seeds);
    const auto is_found = [&](std::int64_t i) { return number_[i] == i && (seeded.empty() || seeded[i] != 0); };
    const auto is_kept = [&](std::int64_t i) { return is_found(i) && (area.empty() || area[i] >= min_area); };
    std::vector<std::int32_t> kept(begin_.size(), 0), found(begin_.size(), 0);
    for_each_stripe([&](const Stripe& stripe) {
      std::int32_t kept_here = 0, found_here = 0;
      for (std::int64_t i = begin_[stripe.index]; i < begin_[stripe.index + 1]; ++i) {
        kept_here += is_kept(i) ? 1 : 0;
        found_here += is_found(i) ? 1 : 0;
      }
      kept[stripe.index + 1] = kept_here;
      found[stripe.index + 1] = found_here;
    });
    std::inclusive_scan(kept.begin(), kept.end(), kept.begin());
    const ComponentCounts counts{kept.back(), std::accumulate(found.begin(), found.end(), std::int64_t{0})};
    // First gives a number to each root, the first of the components that were joined together. Then each joined
    // component gets the number of its root. Numbers overwrite parents in `number_`.
    for_each_stripe([&](const Stripe& stripe) {
      std::int32_t next = kept[stripe.index];
      for (std::int64_t i = begin_[stripe.index]; i < begin_[stripe.index + 1]; ++i) {
        const bool keep = is_kept(i);
        next += keep ? 1 : 0;
        if (number_[i] == i) number_[i] = keep ? next : 0;
      }
    });
    for (const std::int32_t i : joined_) number_[i] = number_[number_[i]];
    for_each_stripe([&](const Stripe& stripe) {
      const std::int32_t* const numbers = number_.data() + begin_[stripe.index];
      for (std::int64_t i = stripe.first_run; i < stripe.last_run; ++i) label_[i] = numbers[label_[i]];
    });
    return {std::move(label_), counts};
  }

 private:
  struct Stripe {
    std::size_t index;
    std::int64_t begin, end;           ///< rows [begin, end)
    std::int64_t first_run, last_run;  ///< runs [first_run, last_run)
  };

  template <class F>
  void for_each_stripe(const F& f) {
    parallel_for(runs_.shape.height, stripe_rows, where_, [&](std::int64_t begin, std::int64_t end) {
      f(Stripe{static_cast<std::size_t>(begin / stripe_rows), begin, end, runs_.row_begin[begin],
               runs_.row_begin[end]});
    });
  }

  /// Labels the runs of a stripe with the index, from 0, of their component in the stripe. Returns the number of
  /// components.
  std::int32_t label_stripe(const Stripe& stripe, std::int32_t reach) {
    RunForest forest(label_);
    for (std::int64_t i = stripe.first_run; i < runs_.row_begin[stripe.begin + 1]; ++i) forest.plant(i);
    for (std::int64_t y = stripe.begin + 1; y < stripe.end; ++y) {
      for_each_touched(runs_, y, reach, [&](std::int32_t here, std::int32_t first, std::int32_t last) {
        forest.plant(here);
        std::int32_t root = here;
        for (std::int32_t i = first; i < last; ++i) root = forest.join(root, forest.find_root(i));
      });
    }
    std::int32_t found = 0;
    for (std::int64_t i = stripe.first_run; i < stripe.last_run; ++i) {
      const std::int32_t parent = label_[i];
      const std::int32_t of_parent = label_[parent];  // a parent is an earlier run, so it already has its label
      const bool is_root = parent == i;
      label_[i] = is_root ? found : of_parent;
      found += is_root ? 1 : 0;
    }
    return found;
  }

  void plant_all() {
    RunForest forest(number_);
    for_each_stripe([&](const Stripe& stripe) {
      for (std::int64_t i = begin_[stripe.index]; i < begin_[stripe.index + 1]; ++i) forest.plant(i);
    });
  }

  /// Initialises only the parents of components in the first and last rows of stripes, since join_seams() reads no
  /// others.
  void plant_at_seams() {
    RunForest forest(number_);
    for_each_stripe([&](const Stripe& stripe) {
      for (const std::int64_t y : {stripe.begin, stripe.end - 1}) {
        for (std::int64_t i = runs_.row_begin[y]; i < runs_.row_begin[y + 1]; ++i)
          forest.plant(begin_[stripe.index] + label_[i]);
      }
    });
  }

  void join_seams(std::int32_t reach) {
    RunForest forest(number_);
    for (std::size_t seam = 1; seam + 1 < begin_.size(); ++seam) {
      const auto y = static_cast<std::int64_t>(seam) * stripe_rows;
      for_each_touched(runs_, y, reach, [&](std::int32_t here, std::int32_t first, std::int32_t last) {
        std::int32_t root = forest.find_root(begin_[seam] + label_[here]);
        for (std::int32_t i = first; i < last; ++i) {
          const std::int32_t above = forest.find_root(begin_[seam - 1] + label_[i]);
          if (above == root) continue;
          joined_.push_back(std::max(above, root));
          root = forest.join(above, root);
        }
      });
    }
    std::sort(joined_.begin(), joined_.end());
  }

  /// Returns the areas of components in pixels. May be called only after join_seams(). The element of a root is the
  /// area of all components joined to the root. Other elements are partial areas.
  Buffer<std::int64_t, Cpu> areas() {
    Buffer<std::int64_t, Cpu> area(number_.size(), where_);
    for_each_stripe([&](const Stripe& stripe) {
      std::int64_t* const of_stripe = area.data() + begin_[stripe.index];
      std::fill(of_stripe, area.data() + begin_[stripe.index + 1], 0);
      for (std::int64_t i = stripe.first_run; i < stripe.last_run; ++i) {
        of_stripe[label_[i]] += runs_.runs[i].end - runs_.runs[i].begin;
      }
    });
    for (auto i = joined_.rbegin(); i != joined_.rend(); ++i) area[number_[*i]] += area[*i];
    return area;
  }

  /// Returns 1 for each component that shares a pixel with a run of `seeds`, else 0. May be called only after
  /// join_seams(). Only the elements of roots consider joined components.
  Buffer<std::uint8_t, Cpu> find_seeded(const Runs<Cpu>& seeds) {
    Buffer<std::uint8_t, Cpu> seeded(number_.size(), where_);
    for_each_stripe([&](const Stripe& stripe) {
      std::uint8_t* const of_stripe = seeded.data() + begin_[stripe.index];
      std::fill(of_stripe, seeded.data() + begin_[stripe.index + 1], std::uint8_t{0});
      std::int64_t run = stripe.first_run;
      for (std::int64_t k = seeds.row_begin[stripe.begin]; k < seeds.row_begin[stripe.end]; ++k) {
        const Run& seed = seeds.runs[k];
        while (run < stripe.last_run && is_before(runs_.runs[run], seed)) ++run;
        for (std::int64_t i = run; i < stripe.last_run && shares_pixel(runs_.runs[i], seed); ++i)
          of_stripe[label_[i]] = 1;
      }
    });
    for (auto i = joined_.rbegin(); i != joined_.rend(); ++i)
      seeded[number_[*i]] = static_cast<std::uint8_t>(seeded[number_[*i]] | seeded[*i]);
    return seeded;
  }

  const Runs<Cpu>& runs_;
  const Cpu where_;
  /// Per run: first the index of its parent (RunForest), then the index of its component in the stripe, at last the
  /// component's number.
  Buffer<std::int32_t, Cpu> label_;
  /// Per stripe: index of its first component; the last element is the number of components.
  std::vector<std::int32_t> begin_;
  /// Per component of a stripe: first the index of its parent (RunForest), then its number.
  Buffer<std::int32_t, Cpu> number_;
  /// Indices of components that were joined to an earlier component, in ascending order.
  std::vector<std::int32_t> joined_;
};

}  // namespace

Components<Cpu> label_components(const Runs<Cpu>& runs, const DetectionConfig& config, const Cpu& where,
                                 const Runs<Cpu>* seeds) {
  check_run_count(runs.runs.size());
  SRCEXTRACT_EXPECT(are_in_raster_order(runs));
  SRCEXTRACT_EXPECT(seeds == nullptr || (seeds->shape == runs.shape && are_in_raster_order(*seeds)));
  const bool all = config.min_area <= 1 && seeds == nullptr;
  StripedComponents components(runs, reach_of(config.connectivity), all, where);
  Components<Cpu> numbered =
      all ? std::move(components).number_all() : std::move(components).number(config.min_area, seeds);
  SRCEXTRACT_ENSURE(are_labels_of(numbered, runs));
  return numbered;
}

void check_run_count(std::int64_t runs) {
  if (runs <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(ErrorKind::input,
              "the threshold leaves " + std::to_string(runs) +
                  " separate runs of pixels, more than 2^31: that is noise, not sources; raise detection.threshold");
}

}  // namespace srcextract
