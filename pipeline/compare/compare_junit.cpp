#include <spdlog/fmt/fmt.h>

#include "io/files/xml_text.hpp"
#include "pipeline/compare/compare_machine.hpp"
#include "pipeline/log/printable.hpp"

namespace srcextract {
namespace {

std::string escaped(const std::string& text) {
  return xml_text(printable(text));
}

struct Case {
  std::string name;
  std::vector<std::string> failures;
  bool error = false;  ///< the file could not be compared
};

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
};

/// The test cases for a file: columns as a whole, positions, sources, each column, and each further subject of a
/// finding.
std::vector<Case> cases_of(const FileComparison& file) {
  if (!file.failure.empty()) return {{"catalogue", {file.failure}, file.code != 0}};
  std::vector<Case> cases = {{"columns", {}}, {"positions", {}}, {"sources", {}}};
  for (const ColumnComparison& column : file.comparison.columns) cases.push_back({column.name, {}});
  for (const Finding& finding : file.comparison.findings) {
    auto found = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.name == finding.subject; });
    if (found == cases.end()) found = cases.insert(cases.end(), {finding.subject, {}});
    found->failures.push_back(finding.words);
  }
  return cases;
}

std::string case_xml(const std::string& suite, const Case& test) {
  std::string xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(suite), escaped(test.name));
  if (test.failures.empty()) return xml + "/>\n";
  xml += ">\n";
  for (const std::string& words : test.failures)
    xml += fmt::format("      <{} message=\"{}\"/>\n", test.error ? "error" : "failure", escaped(words));
  return xml + "    </testcase>\n";
}

Counts count(const std::vector<Case>& cases) {
  Counts counts{cases.size()};
  for (const Case& test : cases) {
    if (!test.failures.empty()) ++(test.error ? counts.errors : counts.failures);
  }
  return counts;
}

}  // namespace

std::string format_junit(const std::vector<FileComparison>& files) {
  std::string suites;
  Counts all;
  for (const FileComparison& file : files) {
    const std::vector<Case> cases = cases_of(file);
    const Counts counts = count(cases);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">\n",
                          escaped(file.name), counts.tests, counts.failures, counts.errors);
    for (const Case& test : cases) suites += case_xml(file.name, test);
    suites += "  </testsuite>\n";
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"srcextract compare\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, suites);
}

}  // namespace srcextract
