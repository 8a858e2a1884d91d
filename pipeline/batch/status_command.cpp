#include "pipeline/batch/commands.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/files/utf8.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/utc.hpp"
#include "stages/core/counted.hpp"
#include "survey/journal/survey_status.hpp"

namespace srcextract {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* name_of(ShardState state) {
  constexpr std::array names = {"planning", "running", "finished", "stopped", "killed", "unknown"};
  return names[static_cast<std::size_t>(state)];
}

std::string utc_text(std::int64_t seconds) {
  return utc(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)));
}

// --- text ------------------------------------------------------------------------------------------------------------

constexpr const char* dash = "-";

template <class Number, class Format>
std::string text_or_dash(const std::optional<Number>& value, const Format& format) {
  return value ? format(*value) : dash;
}

std::string number_text(const std::optional<std::int64_t>& value) {
  return text_or_dash(value, [](std::int64_t number) { return std::to_string(number); });
}

std::string rate_text(const std::optional<double>& value, double unit = 1) {
  return text_or_dash(value, [&](double rate) { return fmt::format("{:.2f}", rate / unit); });
}

using Rows = std::vector<std::vector<std::string>>;

/// Aligns the fields of `rows` in columns. Each column is as wide as its widest field, and two blanks separate columns.
std::string table_text(const Rows& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}", row[i], widths[i] + 2);
    text += row.back() + "\n";
  }
  return text;
}

std::string shard_table(const std::vector<ShardStatus>& shards) {
  Rows rows = {{"SHARD", "STATE", "DONE", "FAILED", "LEFT", "UNDERWAY", "FILES/S", "MB/S", "TIME_LEFT", "LAST_RECORD",
                "PID", "HOST"}};
  for (const ShardStatus& shard : shards)
    rows.push_back({shard_text(shard.shard), name_of(shard.state), std::to_string(shard.done),
                    std::to_string(shard.failed), number_text(shard.files_left), std::to_string(shard.under_way),
                    rate_text(shard.files_per_second), rate_text(shard.bytes_per_second, 1e6),
                    text_or_dash(shard.seconds_left, format_duration), text_or_dash(shard.last_record, utc_text),
                    shard.process > 0 ? std::to_string(shard.process) : dash,
                    shard.host.empty() ? dash : printable(shard.host)});
  return table_text(rows);
}

/// A line for each directory that a running shard waits for.
std::string gone_text(const std::vector<ShardStatus>& shards) {
  std::string text;
  for (const ShardStatus& shard : shards)
    for (const auto& [directory, since] : shard.gone)
      text += fmt::format("{} waits for {}, whose files are gone since {}; bring them back, or stop the run\n",
                          shard_text(shard.shard), directory.empty() ? "all of its inputs" : printable(directory),
                          utc_text(since));
  return text;
}

std::string failure_table(const SurveyStatus& survey) {
  Rows rows = {{"FAILED", "KIND", "FOR EXAMPLE"}};
  for (const FailureCount& failure : survey.failures)
    rows.push_back({std::to_string(failure.images), printable(failure.kind),
                    printable(failure.image) + ": " + printable(failure.reason)});
  std::string lists;
  for (const std::string& path : survey.failure_lists) lists += (lists.empty() ? "" : ", ") + printable(path);
  return "\n" + table_text(rows) + (lists.empty() ? "" : "all of them: " + lists + "\n");
}

// --- JSON ------------------------------------------------------------------------------------------------------------

template <class Number>
OrderedJson value_or_null(const std::optional<Number>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

/// Adds the work left and the rates of a shard or of the whole survey.
void add_progress(const auto& status, OrderedJson& json) {
  json["files_left"] = value_or_null(status.files_left);
  json["bytes_left"] = value_or_null(status.bytes_left);
  json["files_per_second"] = value_or_null(status.files_per_second);
  json["bytes_per_second"] = value_or_null(status.bytes_per_second);
  json["seconds_left"] = value_or_null(status.seconds_left);
}

OrderedJson shard_json(const ShardStatus& shard) {
  OrderedJson json = {
      {"shard", shard_text(shard.shard)},
      {"state", name_of(shard.state)},
      {"host", shard.host},
      {"process", shard.process},
      {"start", shard.start},
      {"last_record", shard.last_record ? OrderedJson(utc_text(*shard.last_record)) : OrderedJson(nullptr)},
      {"images", {{"done", shard.done}, {"failed", shard.failed}}},
      {"files_under_way", shard.under_way},
      {"gone", OrderedJson::array()}};
  for (const auto& [directory, since] : shard.gone)
    json["gone"].push_back({{"directory", directory}, {"since", utc_text(since)}});
  add_progress(shard, json);
  return json;
}

// --- Prometheus ------------------------------------------------------------------------------------------------------

/// A Prometheus label with its value, as in `name="value"`. The value is converted to UTF-8, and its quotes,
/// backslashes and newlines are escaped.
std::string label(const char* name, const std::string& value) {
  std::string text = std::string(name) + "=\"";
  for (const char c : as_utf8(value)) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

class Metrics {
 public:
  explicit Metrics(const std::string& directory)
      : survey_(label("survey", std::filesystem::absolute(directory).lexically_normal())) {}

  void begin(const std::string& name, const char* type, const char* help) {
    name_ = "srcextract_survey_" + name;
    head_ = fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, type);
  }

  void add(const std::string& labels, const std::optional<double>& value) {
    if (!value) return;
    text_ += std::exchange(head_, "");
    text_ += fmt::format("{}{{{}{}{}}} {:.17g}\n", name_, survey_, labels.empty() ? "" : ",", labels, *value);
  }

  const std::string& text() const { return text_; }

 private:
  std::string survey_, name_, head_, text_;
};

std::optional<double> as_double(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// The progress of a survey as text for people: a line of totals, a table of shards, and a table of failures.
std::string status_text(const std::string& directory, const SurveyStatus& survey) {
  std::string text =
      fmt::format("{}: {} done, {} failed, {}; {}", printable(directory), counted(survey.done, "image"), survey.failed,
                  survey.files_left ? counted(*survey.files_left, "file") + " left" : "files left not known",
                  counted(survey.sources, "source"));
  if (survey.files_per_second)
    text += fmt::format("; {} files/s, {} MB/s", rate_text(survey.files_per_second),
                        rate_text(survey.bytes_per_second, 1e6));
  if (survey.seconds_left.value_or(0) > 0) text += ", " + format_duration(*survey.seconds_left) + " left";
  text += "\n\n" + shard_table(survey.shards) + gone_text(survey.shards);
  if (survey.missing > 0) text += fmt::format("{} never started\n", counted(survey.missing, "more shard"));
  if (!survey.failures.empty()) text += failure_table(survey);
  return text;
}

/// The status as a JSON object. Unknown rates, times and amounts of work are null. An unknown host or start time is an
/// empty string, and an unknown process id is 0.
std::string status_json(const std::string& directory, const SurveyStatus& survey) {
  OrderedJson json = {{"directory", directory},
                      {"time", utc_text(survey.time)},
                      {"images", {{"done", survey.done}, {"failed", survey.failed}}},
                      {"sources", survey.sources}};
  add_progress(survey, json);
  json["failures"] = OrderedJson::array();
  for (const FailureCount& failure : survey.failures)
    json["failures"].push_back({{"kind", failure.kind},
                                {"images", failure.images},
                                {"example", {{"image", failure.image}, {"reason", failure.reason}}}});
  json["failure_lists"] = survey.failure_lists;
  json["shards"] = OrderedJson::array();
  for (const ShardStatus& shard : survey.shards) json["shards"].push_back(shard_json(shard));
  json["shards_missing"] = survey.missing;
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

/// The status in Prometheus' text exposition format. An unknown value is left out.
std::string status_metrics(const std::string& directory, const SurveyStatus& survey) {
  Metrics metrics(directory);
  metrics.begin("images", "gauge", "Images of the survey by their last result.");
  metrics.add(label("result", "done"), static_cast<double>(survey.done));
  metrics.add(label("result", "failed"), static_cast<double>(survey.failed));
  metrics.begin("failed_images", "gauge", "Images that failed, by kind.");
  for (const FailureCount& failure : survey.failures)
    metrics.add(label("kind", failure.kind), static_cast<double>(failure.images));
  metrics.begin("sources", "gauge", "Sources of the images that are done.");
  metrics.add("", static_cast<double>(survey.sources));
  metrics.begin("left_seconds", "gauge", "Time until all shards have finished, at their speed.");
  metrics.add("", survey.seconds_left);
  metrics.begin("missing_shards", "gauge", "Shards that never started.");
  metrics.add("", static_cast<double>(survey.missing));
  const auto of_shards = [&](const char* name, const char* type, const char* help, const auto& value) {
    metrics.begin(name, type, help);
    for (const ShardStatus& shard : survey.shards) metrics.add(label("shard", shard_text(shard.shard)), value(shard));
  };
  using S = const ShardStatus&;
  of_shards("running", "gauge", "1 while a process works on the shard.", [](S shard) {
    return shard.state == ShardState::running || shard.state == ShardState::planning ? 1.0 : 0.0;
  });
  of_shards("gone_directories", "gauge", "Directories of inputs that went away, and that the shard waits for.",
            [](S shard) { return static_cast<double>(shard.gone.size()); });
  of_shards("finished", "gauge", "1 if the shard has no work left.",
            [](S shard) { return shard.state == ShardState::finished ? 1.0 : 0.0; });
  of_shards("recorded_images_total", "counter", "Images in the shard's journal, done or failed, also again.",
            [](S shard) { return static_cast<double>(shard.recorded); });
  of_shards("recorded_bytes_total", "counter", "Size of the files of these images.",
            [](S shard) { return static_cast<double>(shard.recorded_bytes); });
  of_shards("left_files", "gauge", "Files that the shard has to do.",
            [](S shard) { return as_double(shard.files_left); });
  of_shards("left_bytes", "gauge", "Size of the files that the shard has to do.",
            [](S shard) { return as_double(shard.bytes_left); });
  of_shards("last_record_timestamp_seconds", "gauge", "When the shard last recorded an image.",
            [](S shard) { return as_double(shard.last_record); });
  return metrics.text();
}

}  // namespace

int run_status(const StatusCommand& command) {
  configure_log(Verbosity::normal, "", false);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const SurveyStatus survey =
      survey_status(command.directory, std::chrono::duration_cast<std::chrono::seconds>(now).count(), log_warning);
  switch (command.form) {
    case StatusCommand::Form::text:
      print_result(status_text(command.directory, survey));
      break;
    case StatusCommand::Form::json:
      print_result(status_json(command.directory, survey));
      break;
    case StatusCommand::Form::prometheus:
      print_result(status_metrics(command.directory, survey));
      break;
  }
  return 0;
}

}  // namespace srcextract
