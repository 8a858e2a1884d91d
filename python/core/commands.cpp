#include "python/core/bindings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare.hpp"
#include "pipeline/compare/compare_machine.hpp"
#include "pipeline/compare/compare_text.hpp"
#include "pipeline/machine/versions.hpp"
#include "python/core/gil.hpp"
#include "python/core/words.hpp"
#include "stages/core/parallel.hpp"
#include "survey/merge/merge.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Compares two catalogues or directories. Returns whether all differences are within the rules, the report as JSON,
/// and the text that the command `compare` would print.
std::tuple<bool, std::string, std::string> compare(const std::string& reference, const std::string& other,
                                                   const std::string& rules_path, const std::string& matched,
                                                   int threads) {
  const WithoutGil others;
  CompareOptions options;
  options.reference = reference;
  options.other = other;
  options.matched = matched;
  options.threads = threads > 0 ? threads : available_threads();
  const CompareRules rules = rules_path.empty() ? default_rules() : load_rules(rules_path);
  const std::vector<FileComparison> files = compare_paths(options, rules);
  const bool one = files.size() == 1 && files.front().name == reference;
  return {std::ranges::all_of(files, &FileComparison::within), format_json(files, rules),
          in_words_of_python(one ? format_tables(files.front()) + format_verdict(files.front()) : format_files(files))};
}

/// Merges the catalogues of a survey. Returns the numbers of images, of failed images and of sources.
std::tuple<std::int64_t, std::int64_t, std::int64_t> merge(const std::vector<std::string>& directories,
                                                           const std::string& output, bool partial) {
  const WithoutGil others;
  require_format(output);
  const Merged merged = merge_surveys({directories, output, partial, program_version()},
                                      [](const std::string& text) { spdlog::warn("{}", text); });
  return {merged.images, merged.failures, merged.sources};
}

}  // namespace

void bind_commands(nb::module_& module) {
  module.def("compare", &compare, nb::arg("reference"), nb::arg("other"), nb::arg("rules"), nb::arg("matched"),
             nb::arg("threads"));
  module.def("merge", &merge, nb::arg("directories"), nb::arg("output"), nb::arg("partial"));
}

}  // namespace srcextract::python
