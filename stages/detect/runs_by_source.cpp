#include "stages/detect/runs_by_source.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

/// Number of runs (stretches of foreground pixels of a row) that one thread handles at a time.
constexpr std::int64_t grouped_per_piece = std::int64_t{1} << 17;

/// The runs of one source in one piece (a range of consecutive runs), if the source began in an earlier piece.
struct Continued {
  std::int32_t count = 0;  ///< number of the source's runs in this piece
  /// Index of the source's next run of this piece: in count(), among all runs of the source; in place(), in
  /// RunsBySource::order.
  std::int32_t place = 0;
};

/// The Continued of each label, for one piece. Keeps the label of the last access, since successive runs often belong
/// to the same source.
class ContinuedSources {
 public:
  Continued& operator[](std::int32_t label) {
    if (label != last_label_) {
      last_ = &of_label_[label];
      last_label_ = label;
    }
    return *last_;
  }
  auto begin() { return of_label_.begin(); }
  auto end() { return of_label_.end(); }

 private:
  std::unordered_map<std::int32_t, Continued> of_label_;
  std::int32_t last_label_ = 0;  ///< 0 is not the label of a source
  Continued* last_ = nullptr;
};

/// Divides the runs into pieces, ranges of consecutive runs that threads handle independently, and groups the runs by
/// source. Labels mostly increase along the runs. If a label exceeds all labels of earlier pieces, only its first piece
/// counts and places its runs directly. Runs of other labels continue a source of an earlier piece, and are counted as
/// Continued.
class Pieces {
 public:
  Pieces(const Buffer<std::int32_t, Cpu>& label, std::int64_t sources, const Cpu& where)
      : label_(label), where_(where), before_(pieces() + 1, 0), continued_(pieces()) {
    for_each([&](std::size_t piece, std::span<const std::int32_t> labels) {
      before_[piece + 1] = *std::max_element(labels.begin(), labels.end());
    });
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
      before_[piece + 1] = std::max(before_[piece], before_[piece + 1]);
    }
    before_.back() = static_cast<std::int32_t>(sources);
  }

  RunsBySource group() {
    RunsBySource by_source{Buffer<std::int32_t, Cpu>(before_.back() + 1, where_), {}};
    // The function count() sets begin[l] to the number of runs of label l. Then begin_all() replaces this number by the
    // index in `order` of the label's first run. Then place() replaces this index by the index after the label's last
    // run, which is the index of the first run of label l + 1.
    Buffer<std::int32_t, Cpu>& begin = by_source.begin;
    begin[0] = 0;
    count(begin.data());
    by_source.order = Buffer<std::int32_t, Cpu>(begin_all(begin.data()), where_);
    place(begin.data(), by_source.order.data());
    return by_source;
  }

 private:
  std::size_t pieces() const {
    return static_cast<std::size_t>((label_.size() + grouped_per_piece - 1) / grouped_per_piece);
  }

  /// Calls f(index of the piece, labels of its runs) for each piece. Several threads call f.
  template <class F>
  void for_each(const F& f) const {
    parallel_for(label_.size(), grouped_per_piece, where_, [&](std::int64_t first, std::int64_t last) {
      f(static_cast<std::size_t>(first / grouped_per_piece),
        std::span(label_.data() + first, static_cast<std::size_t>(last - first)));
    });
  }

  /// Counts the runs of every label. For each source that continues in a piece, finds the number of its runs in earlier
  /// pieces.
  void count(std::int32_t* begin) {
    for_each([&](std::size_t piece, std::span<const std::int32_t> labels) {
      const std::int32_t before = before_[piece];
      std::fill(begin + before + 1, begin + before_[piece + 1] + 1, 0);
      for (const std::int32_t label : labels) {
        if (label > before) {
          ++begin[label];
        } else if (label > 0) {
          ++continued_[piece][label].count;
        }
      }
    });
    for (ContinuedSources& sources : continued_) {
      for (auto& [label, runs] : sources) {
        runs.place = begin[label];
        begin[label] += runs.count;
      }
    }
  }

  /// Replaces the count of each label by the index in `order` of the label's first run. Returns the total number of
  /// runs.
  std::int32_t begin_all(std::int32_t* begin) {
    std::vector<std::int32_t> members(pieces() + 1, 0);
    for_each([&](std::size_t piece, auto) {
      members[piece + 1] = std::reduce(begin + before_[piece] + 1, begin + before_[piece + 1] + 1, std::int32_t{0});
    });
    std::inclusive_scan(members.begin(), members.end(), members.begin());
    for_each([&](std::size_t piece, auto) {
      std::int32_t* const first = begin + before_[piece] + 1;
      std::exclusive_scan(first, begin + before_[piece + 1] + 1, first, members[piece]);
    });
    return members.back();
  }

  void place(std::int32_t* begin, std::int32_t* order) {
    for (ContinuedSources& sources : continued_) {
      for (auto& [label, runs] : sources) runs.place += begin[label];
    }
    for_each([&](std::size_t piece, std::span<const std::int32_t> labels) {
      const std::int32_t before = before_[piece];
      auto run = static_cast<std::int32_t>(static_cast<std::int64_t>(piece) * grouped_per_piece);
      for (const std::int32_t label : labels) {
        if (label > before) {
          order[begin[label]++] = run;
        } else if (label > 0) {
          order[continued_[piece][label].place++] = run;
        }
        ++run;
      }
    });
    for (ContinuedSources& sources : continued_) {
      for (auto& [label, runs] : sources) begin[label] += runs.count;
    }
  }

  const Buffer<std::int32_t, Cpu>& label_;
  const Cpu where_;
  /// Per piece: largest label in earlier pieces; the last element is the number of sources.
  std::vector<std::int32_t> before_;
  std::vector<ContinuedSources> continued_;
};

}  // namespace

RunsBySource group_runs(const Components<Cpu>& components, const Cpu& where) {
  return group_runs(components.label, components.counts->kept, where);
}

RunsBySource group_runs(const Buffer<std::int32_t, Cpu>& label, std::int64_t sources, const Cpu& where) {
  return Pieces(label, sources, where).group();
}

}  // namespace srcextract
