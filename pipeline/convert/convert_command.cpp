#include "pipeline/convert/convert_command.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

#include "config/config.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/log/print_result.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/write_yaml.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// The inputs, which no output may replace.
KeptFiles inputs_of(const sextractor::Request& request, const std::string& yaml) {
  KeptFiles kept({request.path});
  kept.add(request.parameters_path);
  kept.add(sextractor::find_file(request["FILTER_NAME"].word(), request.path));
  kept.add_files_of(parse_config(yaml, "config.yaml"));
  return kept;
}

void write(const std::string& path, const std::string& yaml) {
  OutputFile file(path);
  file.write(yaml);
  file.commit();
}

void tell(const sextractor::Unmet& unmet) {
  spdlog::warn("{}{}: {}", unmet.place.empty() ? "" : unmet.place + ": ", unmet.what, unmet.reason);
}

}  // namespace

int run_convert(const ConvertOptions& options) {
  if (!options.answer.empty()) {
    print_result(options.answer);
    return 0;
  }
  const sextractor::Request request = sextractor::read_request(options.configuration, options.parameters);
  const sextractor::Translation translation = sextractor::translate(request);
  const std::string yaml = sextractor::as_yaml(request, translation);
  const KeptFiles kept = inputs_of(request, yaml);
  if (!options.output.empty()) kept.require_kept({options.output});
  const auto lost = std::ranges::count_if(translation.unmet, [](const auto& unmet) { return unmet.counts; });
  if (!options.quiet)
    for (const sextractor::Unmet& unmet : sextractor::by_reason(translation.unmet, true)) tell(unmet);
  if (options.output.empty())
    print_result(yaml);
  else
    write(options.output, yaml);
  if (options.strict && lost > 0)
    throw Error(ErrorKind::mismatch, options.configuration + ": " + std::to_string(lost) +
                                         (lost == 1 ? " thing" : " things") +
                                         " that it asks for could not be honoured, which --strict does not allow; the "
                                         "output says which, and what comes nearest");
  return 0;
}

}  // namespace srcextract
