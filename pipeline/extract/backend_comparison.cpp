#include "pipeline/extract/backend_comparison.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "pipeline/log/log.hpp"
#include "stages/core/error.hpp"

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

/// Absolute difference of two values; infinite if it is NaN, as between NaN and a number.
template <class T>
double distance(T a, T b) {
  const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return std::isnan(difference) ? infinitely_far : difference;
}

template <class T>
bool agree(T cpu, T cuda, double tolerance) {
  return same(cpu, cuda) || (tolerance > 0 && distance(cpu, cuda) <= tolerance);
}

/// Counts the elements and mismatches of one stage and keeps the largest difference.
class Tally {
 public:
  explicit Tally(std::string stage) { row_.stage = std::move(stage); }

  /// Compares a field of both back ends' results. A null pointer means that the result lacks the field.
  void compare(const StageField* cpu, const StageField* cuda) {
    const StageField& known = cpu != nullptr ? *cpu : *cuda;
    compare_sizes(known, cpu != nullptr ? cpu->size() : 0, cuda != nullptr ? cuda->size() : 0);
    if (cpu == nullptr || cuda == nullptr) return;
    std::visit(
        [&](const auto& ours) {
          const auto* theirs = std::get_if<std::remove_cvref_t<decltype(ours)>>(&cuda->values);
          if (theirs == nullptr) throw Error(ErrorKind::internal, known.name + " has another type on CUDA");
          for (std::size_t i = 0; i < std::min(ours.size(), theirs->size()); ++i)
            compare_values(*cpu, static_cast<std::int64_t>(i), ours[i], (*theirs)[i]);
        },
        cpu->values);
  }

  StageComparison row() const { return row_; }

 private:
  template <class T>
  void compare_values(const StageField& field, std::int64_t i, T cpu, T cuda) {
    ++row_.elements;
    if (agree(cpu, cuda, field.tolerance)) return;
    mismatch(distance(cpu, cuda),
             [&] { return fmt::format("{}: {} on CPU, {} on CUDA", element_name(field, i), cpu, cuda); });
  }

  /// Counts the elements by which the two results differ in size as mismatches.
  void compare_sizes(const StageField& field, std::int64_t cpu, std::int64_t cuda) {
    const std::int64_t extra = std::max(cpu, cuda) - std::min(cpu, cuda);
    row_.elements += extra;
    if (extra == 0) return;
    mismatch(infinitely_far, [&] { return fmt::format("values of {}: {} on CPU, {} on CUDA", field.name, cpu, cuda); });
    row_.mismatches += extra - 1;
  }

  static std::string element_name(const StageField& field, std::int64_t i) {
    switch (field.element) {
      case Element::whole:
        return field.name;
      case Element::pixel:
        return fmt::format("{} x={} y={}", field.name, i % field.width, i / field.width);
      case Element::run:
        return fmt::format("{} of run {}", field.name, i);
      case Element::row:
        return fmt::format("{} of row {}", field.name, i);
      case Element::source:
        return fmt::format("{} of source {}", field.name, i + 1);
    }
    return field.name;
  }

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

const StageField* find_field(const StageResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.fields, name, &StageField::name);
  return found == result.fields.end() ? nullptr : &*found;
}

/// Compares both back ends' results of a stage. A null pointer means that the back end has no such result.
StageComparison compare_results(const std::string& name, const StageResult* cpu, const StageResult* cuda) {
  static const StageResult nothing;
  const StageResult &ours = cpu != nullptr ? *cpu : nothing, &theirs = cuda != nullptr ? *cuda : nothing;
  Tally tally(name);
  for (const StageField& field : ours.fields) tally.compare(&field, find_field(theirs, field.name));
  for (const StageField& field : theirs.fields)
    if (find_field(ours, field.name) == nullptr) tally.compare(nullptr, &field);
  return tally.row();
}

/// Finds the result of a stage's n-th run, counted from 0; null if the stage ran fewer times.
const StageResult* find_result(const StageRecord& record, const std::string& stage, int n) {
  for (const StageResult& result : record)
    if (result.stage == stage && n-- == 0) return &result;
  return nullptr;
}

/// Number of earlier results in the record that belong to the same stage as record[i].
int repetition(const StageRecord& record, std::size_t i) {
  return static_cast<int>(std::count_if(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const StageResult& other) { return other.stage == record[i].stage; }));
}

std::string numbered(const std::string& stage, int before) {
  return before == 0 ? stage : fmt::format("{} ({})", stage, before + 1);
}

}  // namespace

bool values_agree(double cpu, double cuda, double tolerance) {
  return agree(cpu, cuda, tolerance);
}

std::vector<StageComparison> compare_records(const StageRecord& cpu, const StageRecord& cuda) {
  std::vector<StageComparison> rows;
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    const int before = repetition(cpu, i);
    rows.push_back(compare_results(numbered(cpu[i].stage, before), &cpu[i], find_result(cuda, cpu[i].stage, before)));
  }
  for (std::size_t i = 0; i < cuda.size(); ++i) {
    const int before = repetition(cuda, i);
    if (find_result(cpu, cuda[i].stage, before) == nullptr)
      rows.push_back(compare_results(numbered(cuda[i].stage, before), nullptr, &cuda[i]));
  }
  return rows;
}

bool all_equal(const std::vector<StageComparison>& comparison) {
  return std::all_of(comparison.begin(), comparison.end(), [](const auto& row) { return row.mismatches == 0; });
}

std::string format_comparison(const std::string& image, const std::vector<StageComparison>& comparison) {
  std::string text = fmt::format("{:<16}  {:>14}  {:>10}  {}\n", "stage", "elements", "mismatches", "worst");
  for (const StageComparison& row : comparison)
    text += fmt::format("{:<16}  {:>14}  {:>10}  {}\n", row.stage, row.elements, row.mismatches,
                        row.worst.empty() ? "-" : row.worst);
  const auto first = std::find_if(comparison.begin(), comparison.end(), [](const auto& row) { return row.mismatches; });
  if (first == comparison.end()) return text + image + ": CPU and CUDA agree in every stage\n";
  return text + image + ": CPU and CUDA DIFFER, first in '" + first->stage + "'\n";
}

double seconds_resident(const BackendTimes& times) {
  double seconds = 0;
  for (const StepTime& time : times.steps)
    if (time.step != "ingest") seconds += time.seconds;
  return seconds;
}

std::string format_times(const BackendTimes& cpu, const BackendTimes& cuda) {
  std::string text = fmt::format("{:<16}  {:>10}  {:>10}  {:>10}\n", "step", "CPU ms", "CUDA ms", "speed-up");
  const auto add = [&](const std::string& step, double ours, double theirs) {
    text += fmt::format("{:<16}  {:>10.3f}  {:>10.3f}  {:>10}\n", step, 1e3 * ours, 1e3 * theirs,
                        theirs > 0 ? fmt::format("{:.1f}", ours / theirs) : "-");
  };
  auto next = cuda.steps.begin();
  for (const StepTime& time : cpu.steps) {
    const auto same =
        std::find_if(next, cuda.steps.end(), [&](const StepTime& other) { return other.step == time.step; });
    if (same == cuda.steps.end()) continue;
    add(time.step, time.seconds, same->seconds);
    next = same + 1;
  }
  add("after ingest", seconds_resident(cpu), seconds_resident(cuda));
  add("with transfers", cpu.seconds, cuda.seconds);
  return text;
}

void require_agreement(const std::string& name, const BackendComparison& comparison, const Progress& progress) {
  if (comparison.stages.empty()) return;
  progress.clear();
  const std::string times = comparison.cuda.steps.empty() ? "" : format_times(comparison.cpu, comparison.cuda);
  print_result(times + format_comparison(name, comparison.stages));
  if (!all_equal(comparison.stages))
    throw Error(ErrorKind::mismatch, "CPU and CUDA disagree; please report it with the table and the image");
}

}  // namespace srcextract
