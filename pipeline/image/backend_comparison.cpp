#include "pipeline/image/backend_comparison.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

namespace srcextract {
namespace {

constexpr double infinitely_far = std::numeric_limits<double>::infinity();

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}
template <class Integer>
bool same(Integer a, Integer b) {
  return a == b;
}

/// Ranks mismatches: NaN against a number is as far apart as can be.
template <class T>
double distance(T a, T b) {
  const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return std::isnan(difference) ? infinitely_far : difference;
}

template <class T>
bool agree(T cpu, T cuda, double tolerance) {
  return same(cpu, cuda) || (tolerance > 0 && distance(cpu, cuda) <= tolerance);
}

/// Counts the elements of one stage and keeps the worst mismatch.
class Tally {
 public:
  explicit Tally(const char* stage) { row_.stage = stage; }

  /// `where` returns the name of the element; it is called only for a new worst one.
  template <class T, class Where>
  void compare(T cpu, T cuda, Where&& where, double tolerance = 0) {
    ++row_.elements;
    if (agree(cpu, cuda, tolerance)) return;
    mismatch(distance(cpu, cuda), [&] { return fmt::format("{}: {} on CPU, {} on CUDA", where(), cpu, cuda); });
  }

  /// Counts the elements that only one side has, and returns how many both have.
  std::int64_t compare_sizes(std::int64_t cpu, std::int64_t cuda, const char* what) {
    const std::int64_t extra = std::max(cpu, cuda) - std::min(cpu, cuda);
    row_.elements += extra;
    if (extra > 0) {
      mismatch(infinitely_far, [&] { return fmt::format("{}: {} on CPU, {} on CUDA", what, cpu, cuda); });
      row_.mismatches += extra - 1;
    }
    return std::min(cpu, cuda);
  }

  StageComparison row() const { return row_; }

 private:
  template <class Describe>
  void mismatch(double distance, Describe&& describe) {
    ++row_.mismatches;
    if (distance <= worst_distance_) return;
    worst_distance_ = distance;
    row_.worst = describe();
  }

  StageComparison row_;
  double worst_distance_ = -1;
};

template <class T>
void compare_images(Tally& tally, const Image<T, Cpu>& cpu, const Image<T, Cpu>& cuda, const char* what) {
  const std::int64_t width = std::max<std::int64_t>(cpu.shape.width, 1);
  const std::int64_t count = tally.compare_sizes(cpu.pixels.size(), cuda.pixels.size(), "pixels");
  for (std::int64_t i = 0; i < count; ++i)
    tally.compare(cpu.pixels[i], cuda.pixels[i],
                  [&] { return fmt::format("{} x={} y={}", what, i % width, i / width); });
}

StageComparison compare_pixels(const Pixels<Cpu>& cpu, const Pixels<Cpu>& cuda) {
  Tally tally("ingest");
  compare_images(tally, cpu.image, cuda.image, "pixel");
  compare_images(tally, cpu.noise, cuda.noise, "noise of pixel");
  tally.compare(cpu.masked->nan, cuda.masked->nan, [] { return "masked as NaN"; });
  tally.compare(cpu.masked->infinite, cuda.masked->infinite, [] { return "masked as infinite"; });
  tally.compare(cpu.masked->blank, cuda.masked->blank, [] { return "masked as BLANK"; });
  return tally.row();
}

void compare_statistics(Tally& tally, const Statistics& cpu, const Statistics& cuda, const char* set) {
  const auto name = [set](const char* field) { return [=] { return fmt::format("{} {}", field, set); }; };
  tally.compare(cpu.count, cuda.count, name("count"));
  tally.compare(cpu.mean, cuda.mean, name("mean"));
  tally.compare(cpu.median, cuda.median, name("median"));
  tally.compare(cpu.sigma, cuda.sigma, name("sigma"));
  tally.compare(cpu.min, cuda.min, name("min"));
  tally.compare(cpu.max, cuda.max, name("max"));
}

StageComparison compare_background(const Background& cpu, const Background& cuda) {
  Tally tally("background");
  compare_statistics(tally, cpu.all, cuda.all, "of all pixels");
  compare_statistics(tally, cpu.clipped, cuda.clipped, "after clipping");
  tally.compare(cpu.zero_share, cuda.zero_share, [] { return "zero_share"; });
  tally.compare(cpu.iterations, cuda.iterations, [] { return "iterations"; });
  tally.compare(int{cpu.converged}, int{cuda.converged}, [] { return "converged"; });
  return tally.row();
}

StageComparison compare_image(const Image<float, Cpu>& cpu, const Image<float, Cpu>& cuda) {
  Tally tally("convolve");
  compare_images(tally, cpu, cuda, "pixel");
  return tally.row();
}

StageComparison compare_pictures(const Picture& cpu, const Picture& cuda) {
  Tally tally("picture");
  compare_images(tally, cpu.grey, cuda.grey, "pixel");
  tally.compare(cpu.range.low, cuda.range.low, [] { return "black"; });
  tally.compare(cpu.range.high, cuda.range.high, [] { return "white"; });
  return tally.row();
}

StageComparison compare_runs(const Runs<Cpu>& cpu, const Runs<Cpu>& cuda) {
  Tally tally("threshold");
  const std::int64_t count = tally.compare_sizes(cpu.runs.size(), cuda.runs.size(), "runs");
  for (std::int64_t i = 0; i < count; ++i) {
    const auto name = [i](const char* end) { return [=] { return fmt::format("{} of run {}", end, i); }; };
    tally.compare(cpu.runs[i].y, cuda.runs[i].y, name("row"));
    tally.compare(cpu.runs[i].begin, cuda.runs[i].begin, name("begin"));
    tally.compare(cpu.runs[i].end, cuda.runs[i].end, name("end"));
  }
  const std::int64_t rows = tally.compare_sizes(cpu.row_begin.size(), cuda.row_begin.size(), "rows");
  for (std::int64_t y = 0; y < rows; ++y)
    tally.compare(cpu.row_begin[y], cuda.row_begin[y], [&] { return fmt::format("first run of row {}", y); });
  return tally.row();
}

StageComparison compare_components(const Components<Cpu>& cpu, const Components<Cpu>& cuda) {
  Tally tally("label");
  const std::int64_t count = tally.compare_sizes(cpu.label.size(), cuda.label.size(), "labelled runs");
  for (std::int64_t i = 0; i < count; ++i)
    tally.compare(cpu.label[i], cuda.label[i], [&] { return fmt::format("label of run {}", i); });
  tally.compare(cpu.counts->kept, cuda.counts->kept, [] { return "components kept"; });
  tally.compare(cpu.counts->found, cuda.counts->found, [] { return "components found"; });
  return tally.row();
}

StageComparison compare_sums(const char* stage, const Buffer<SourceSums, Cpu>& cpu,
                             const Buffer<SourceSums, Cpu>& cuda) {
  Tally tally(stage);
  const std::int64_t count = tally.compare_sizes(cpu.size(), cuda.size(), "sources");
  for (std::int64_t i = 0; i < count; ++i) {
    const auto compare = [&](const char* field, auto SourceSums::*member) {
      tally.compare(cpu[i].*member, cuda[i].*member, [&] { return fmt::format("{} of source {}", field, i + 1); });
    };
    compare("npix", &SourceSums::npix);
    compare("v", &SourceSums::v);
    compare("vx", &SourceSums::vx);
    compare("vy", &SourceSums::vy);
    compare("vxx", &SourceSums::vxx);
    compare("vyy", &SourceSums::vyy);
    compare("vxy", &SourceSums::vxy);
    compare("peak", &SourceSums::peak);
    compare("xpeak", &SourceSums::xpeak);
    compare("ypeak", &SourceSums::ypeak);
    compare("xmin", &SourceSums::xmin);
    compare("xmax", &SourceSums::xmax);
    compare("ymin", &SourceSums::ymin);
    compare("ymax", &SourceSums::ymax);
    compare("near_masked", &SourceSums::near_masked);
  }
  return tally.row();
}

/// The column of `sources` with this name, as `Vector`, or nothing if it has none.
template <class Vector>
const Vector* find_column(const Sources& sources, std::string_view name) {
  const Vector* found = nullptr;
  for_each_column(sources, [&](const Column& column, const auto& values) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values)>, Vector>)
      if (name == column.name) found = &values;
  });
  return found;
}

StageComparison compare_sources(const Sources& cpu, const Sources& cuda) {
  Tally tally("columns");
  for_each_column(cpu, [&](const Column& column, const auto& values) {
    using Vector = std::remove_cvref_t<decltype(values)>;
    const Vector* others = find_column<Vector>(cuda, column.name);
    const std::int64_t count = tally.compare_sizes(std::ssize(values), others ? std::ssize(*others) : 0, column.name);
    for (std::int64_t i = 0; i < count; ++i)
      tally.compare(
          values[i], (*others)[i], [&] { return fmt::format("{} of NUMBER {}", column.name, cpu.number[i]); },
          column.tolerance);
  });
  return tally.row();
}

}  // namespace

bool values_agree(double cpu, double cuda, double tolerance) {
  return agree(cpu, cuda, tolerance);
}

std::vector<StageComparison> compare_records(const StageRecord& cpu, const StageRecord& cuda) {
  std::vector<StageComparison> rows = {compare_pixels(cpu.pixels, cuda.pixels),
                                       compare_background(cpu.background, cuda.background)};
  if (!cpu.image.pixels.empty() || !cuda.image.pixels.empty()) rows.push_back(compare_image(cpu.image, cuda.image));
  rows.push_back(compare_runs(cpu.runs, cuda.runs));
  rows.push_back(compare_components(cpu.components, cuda.components));
  rows.push_back(compare_sums("measure", cpu.sums, cuda.sums));
  const Buffer<SourceSums, Cpu>&fluxes = cpu.fluxes.of_source, &other_fluxes = cuda.fluxes.of_source;
  if (!fluxes.empty() || !other_fluxes.empty()) rows.push_back(compare_sums("flux", fluxes, other_fluxes));
  if (!cpu.picture.grey.pixels.empty() || !cuda.picture.grey.pixels.empty())
    rows.push_back(compare_pictures(cpu.picture, cuda.picture));
  rows.push_back(compare_sources(cpu.sources, cuda.sources));
  return rows;
}

bool all_equal(const std::vector<StageComparison>& comparison) {
  return std::all_of(comparison.begin(), comparison.end(), [](const auto& row) { return row.mismatches == 0; });
}

std::string format_comparison(const std::string& image, const std::vector<StageComparison>& comparison) {
  std::string text = fmt::format("{:<10}  {:>14}  {:>10}  {}\n", "stage", "elements", "mismatches", "worst");
  for (const StageComparison& row : comparison)
    text += fmt::format("{:<10}  {:>14}  {:>10}  {}\n", row.stage, row.elements, row.mismatches,
                        row.worst.empty() ? "-" : row.worst);
  const auto first = std::find_if(comparison.begin(), comparison.end(), [](const auto& row) { return row.mismatches; });
  if (first == comparison.end()) return text + image + ": CPU and CUDA agree in every stage\n";
  return text + image + ": CPU and CUDA DIFFER, first in '" + first->stage + "'\n";
}

}  // namespace srcextract
