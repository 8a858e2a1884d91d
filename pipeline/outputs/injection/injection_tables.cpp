#include "pipeline/outputs/injection/injection_tables.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

constexpr std::array<const char*, injected_values> names = {"PEAK", "TOTAL", "X", "Y"};

/// Adds a column to `table` with the value of(row) for each of `rows`.
template <class T, class Row>
void add(Table& table, const std::vector<Row>& rows, const std::string& name, const std::string& unit,
         const std::string& description, const std::function<T(const Row&)>& of) {
  std::vector<T> values;
  for (const Row& row : rows) values.push_back(of(row));
  table.rows = std::ssize(rows);
  table.columns.push_back({name, unit, "", description, std::move(values)});
}

}  // namespace

Table injection_table(const Injection& injection) {
  Table table;
  const auto real = [&](const std::string& name, const std::string& description,
                        const std::function<double(const InjectionBin&)>& of) {
    add<double, InjectionBin>(table, injection.bins, name, "", description, of);
  };
  const auto whole = [&](const char* name, const char* description, std::int64_t FoundShare::*of) {
    add<std::int64_t, InjectionBin>(table, injection.bins, name, "", description,
                                    [of](const InjectionBin& bin) { return bin.*of; });
  };
  real("SNR_LOW", "least peak over the noise of a pixel", [](const InjectionBin& bin) { return bin.low; });
  real("SNR_HIGH", "end of the range", [](const InjectionBin& bin) { return bin.high; });
  whole("INJECTED", "Gaussians that were put into the map", &FoundShare::copies);
  whole("FOUND", "Gaussians of them that were found", &FoundShare::found);
  real("COMPLETENESS", "share that was found", [](const InjectionBin& bin) { return bin.share; });
  real("COMPLETENESS_LOW", "lower end of its 68 % interval", [](const InjectionBin& bin) { return bin.least; });
  real("COMPLETENESS_HIGH", "upper end of its 68 % interval", [](const InjectionBin& bin) { return bin.most; });
  real("PEAK_BIAS", "median of measured / true peak, less 1",
       [](const InjectionBin& bin) { return bin.peak_ratio.median - 1; });
  real("TOTAL_BIAS", "median of measured / true total, less 1",
       [](const InjectionBin& bin) { return bin.total_ratio.median - 1; });
  for (std::size_t i = 0; i < injected_values; ++i) {
    const std::string pull = std::string("PULL_") + names[i];
    real(pull, "median of (measured - true) / error", [i](const InjectionBin& bin) { return bin.pulls[i].median; });
    real(pull + "_WIDTH", "its width; 1: errors are as large as they say",
         [i](const InjectionBin& bin) { return bin.pulls[i].width; });
  }
  return table;
}

Table injected_rows_table(const Injection& injection, double jansky, const std::string& pixel_unit) {
  Table table;
  const double factor = jansky > 0 ? jansky : 1;
  const std::array<std::string, injected_values> units = {jansky > 0 ? "Jy/beam" : pixel_unit, jansky > 0 ? "Jy" : "",
                                                          "pixel", "pixel"};
  const auto real = [&](const std::string& name, const std::string& unit, const std::string& description,
                        const std::function<double(const InjectedRow&)>& of) {
    add<double, InjectedRow>(table, injection.rows, name, unit, description, of);
  };
  const auto whole = [&](const char* name, const char* description,
                         const std::function<std::int32_t(const InjectedRow&)>& of) {
    add<std::int32_t, InjectedRow>(table, injection.rows, name, "", description, of);
  };
  whole("ROUND", "extraction, from 0", [](const InjectedRow& row) { return static_cast<std::int32_t>(row.round); });
  whole("FOUND", "1: a source was found there", [](const InjectedRow& row) { return std::int32_t{row.found}; });
  real("SNR", "", "peak over the noise of a pixel", [](const InjectedRow& row) { return row.snr; });
  for (std::size_t i = 0; i < injected_values; ++i) {
    const double unit = i <= injected_total ? factor : 1;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string name = names[i];
    real("TRUE_" + name, units[i], i <= injected_total ? "true value" : "true place, the first pixel is 0",
         [=](const InjectedRow& row) { return unit * row.truth[i]; });
    real(name, units[i], "measured value; NaN: not found",
         [=](const InjectedRow& row) { return row.found ? unit * row.measured[i] : nan; });
    real("E_" + name, units[i], "its standard error",
         [=](const InjectedRow& row) { return row.found ? unit * row.error[i] : nan; });
  }
  return table;
}

nlohmann::ordered_json injection_json(const Injection& injection) {
  using Json = nlohmann::ordered_json;
  const InjectionPlan& plan = injection.plan;
  Json json = {{"snr", {plan.least_snr, plan.most_snr}},
               {"shapes", plan.shapes == InjectedShapes::points ? "points" : "catalogue"}};
  if (!injection.problem.empty()) {
    json["problem"] = injection.problem;
    return json;
  }
  const auto known = [](double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); };
  json["injected"] = injection.rows.size();
  json["rounds"] = injection.rounds;
  json["bins"] = Json::array();
  for (const InjectionBin& bin : injection.bins) {
    Json one = {{"snr", {bin.low, bin.high}},
                {"injected", bin.copies},
                {"found", bin.found},
                {"completeness", bin.share},
                {"interval", {bin.least, bin.most}},
                {"peak_bias", known(bin.peak_ratio.median - 1)},
                {"total_bias", known(bin.total_ratio.median - 1)}};
    for (std::size_t i = 0; i < injected_values; ++i)
      one["pulls"][in_small_letters(names[i])] = {known(bin.pulls[i].median), known(bin.pulls[i].width)};
    json["bins"].push_back(one);
  }
  return json;
}

std::string injection_text(const Injection& injection) {
  std::string text = fmt::format("{:>15} {:>9} {:>6} {:>12} {:>15} {:>7} {:>7}   {}\n", "S/N", "injected", "found",
                                 "completeness", "68 % interval", "peak", "total", "pulls: peak, total, x, y");
  const auto percent = [](double share) { return std::isfinite(share) ? fmt::format("{:+.1f}%", 100 * share) : "-"; };
  for (const InjectionBin& bin : injection.bins) {
    text += fmt::format("{:>15} {:>9} {:>6} {:>11.1f}% {:>15} {:>7} {:>7}  ",
                        fmt::format("{:g} to {:g}", bin.low, bin.high), bin.copies, bin.found, 100 * bin.share,
                        fmt::format("{:.1f} to {:.1f}", 100 * bin.least, 100 * bin.most),
                        percent(bin.peak_ratio.median - 1), percent(bin.total_ratio.median - 1));
    for (const MedianAndWidth& pull : bin.pulls)
      text += std::isfinite(pull.width) ? fmt::format(" {:+.2f}±{:.2f}", pull.median, pull.width) : " -";
    text += "\n";
  }
  return text;
}

}  // namespace srcextract
