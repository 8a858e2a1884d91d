#include "pipeline/batch/batch_command.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/batch/batch.hpp"
#include "pipeline/batch/run_summary.hpp"
#include "pipeline/image/outputs.hpp"
#include "pipeline/image/run_record.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/machine/stop_signal.hpp"
#include "pipeline/machine/versions.hpp"
#include "stages/core/counted.hpp"
#include "survey/directory_lock.hpp"
#include "survey/failures.hpp"
#include "survey/inputs.hpp"
#include "survey/journal.hpp"
#include "survey/output_names.hpp"

namespace srcextract {
namespace {

/// Exit codes.
constexpr int some_failed = 6, stopped = 7, too_many_failed = 8;

void warn(const std::string& message) {
  spdlog::warn("{}", message);
}

void require_separate_log(const BatchOptions& options, const Shard& shard, const std::vector<ImageFile>& files,
                          const KeptFiles& kept) {
  kept.require_kept({options.log_file});
  const std::string& directory = options.output_dir;
  const LogFile log(options.log_file);
  log.require_none_of({journal_path(directory, shard), lock_path(directory), failures_path(directory, shard)});
  for (const ImageFile& file : files)
    log.require_none_of(output_paths(directory, file.name, std::nullopt, file.config->config.output).all());
}

/// Starts the log. Returns what no output may replace: what the run reads, and what it logs to.
KeptFiles start_log(const BatchOptions& options, const Shard& shard, const std::vector<ImageFile>& files,
                    bool on_terminal) {
  KeptFiles kept(options.inputs);
  const ImageConfig* last = nullptr;
  for (const ImageFile& file : files) {
    kept.add(file.path);
    if (file.config.get() != last) kept.add_files_of(file.config->given);
    last = file.config.get();
  }
  kept.add(options.config);
  if (!options.log_file.empty()) require_separate_log(options, shard, files, kept);
  configure_log(options.verbosity, options.log_file, on_terminal);
  kept.add(options.log_file);
  return kept;
}

/// "5 files to do (4 new, 1 changed), 95 done already".
void describe(const Plan& plan, const Shard& shard) {
  std::string kinds;
  const auto count = [&](std::int64_t files, const char* kind) {
    if (files > 0) kinds += fmt::format("{}{} {}", kinds.empty() ? " (" : ", ", files, kind);
  };
  count(plan.added, "new");
  count(plan.changed, "changed");
  count(plan.retried, "failed before");
  count(plan.forced, "forced");
  if (!kinds.empty()) kinds += ")";
  const std::string part = shard.count > 1 ? "shard " + shard_text(shard) + ": " : "";
  spdlog::info("{}{} to do{}, {} done already", part, counted(std::ssize(plan.files), "file"), kinds, plan.done);
}

/// One line a file on stdout.
void print_plan(const Plan& plan) {
  std::string text;
  for (const PlannedFile& planned : plan.files) text += planned.file.path + "\n";
  print_result(text);
}

Progress make_progress(const Plan& plan, bool on_terminal) {
  const auto show = on_terminal ? Progress::Show::on_terminal : Progress::Show::in_log;
  return {show, plan.files.size(), total_bytes(plan.files)};
}

/// The last lines of the log.
int conclude(const Plan& plan, const RunSummary& summary, bool complete, bool too_many_failures) {
  for (const std::string& line : summary.describe()) spdlog::info("{}", line);
  if (!complete && !too_many_failures) {
    spdlog::warn("stopped by a signal; what was under way is done, start the same command again to go on");
    return stopped;
  }
  if (too_many_failures) {
    spdlog::error("stopped: {} failed, more than --max-failures allows; see failures.csv",
                  counted(summary.failed(), "image"));
    return too_many_failed;
  }
  if (plan.failed > 0)
    spdlog::warn("not tried again: {} that failed before; --retry-failed does", counted(plan.failed, "file"));
  return summary.failed() + plan.failed > 0 ? some_failed : 0;
}

/// What a first run finds is nothing.
Ledger known_before(const std::string& directory) {
  return std::filesystem::exists(directory) ? join_ledgers(read_journals(directory, warn)) : Ledger{};
}

int run_plan(const BatchOptions& options, const Plan& plan, const KeptFiles& kept, Journal& journal, bool on_terminal) {
  // Where there is nothing to do no GPU is woken.
  const Machine machine = plan.files.empty() ? Machine{}
                                             : choose_machine({options.backend, options.devices, options.threads},
                                                              workload_of(plan.files, ""));
  MemoryBudget budget = memory_budget(options);
  RunSummary summary;
  std::atomic<bool> too_many_failures = false;
  const RunControl control{[&](const ImageOutcome& outcome) {
                             journal.add(outcome.record);
                             summary.add(outcome);
                             if (options.max_failures && summary.failed() > *options.max_failures)
                               too_many_failures = true;
                           },
                           [&] { return too_many_failures || StopSignal::received() != 0; }};
  const Job job{options.output_dir, arguments_but_inputs(options),          kept, {},
                Flush::later,       options.verbosity == Verbosity::verbose};
  const RunResult result = process_files(job, plan.files, machine, budget, make_progress(plan, on_terminal), control);
  journal.finish(result.complete);
  return conclude(plan, summary, result.complete, too_many_failures);
}

}  // namespace

int run_batch(const BatchOptions& options) {
  if (!options.answer.empty()) {
    print_result(options.answer);
    return 0;
  }
  const StopSignal stop_signal;
  const bool on_terminal = stderr_is_terminal() && options.verbosity != Verbosity::quiet;
  const Shard shard = options.shard.value_or(Shard{});
  std::vector<ImageFile> all_files = find_inputs(options.inputs, load_config(options.config, options.settings));
  const KeptFiles kept = start_log(options, shard, all_files, on_terminal);
  std::vector<ImageFile> files = share_of(shard, std::move(all_files));

  if (options.dry_run) {
    const Plan plan = make_plan(std::move(files), known_before(options.output_dir), options.output_dir,
                                program_version(), options.plan);
    describe(plan, shard);
    print_plan(plan);
    return 0;
  }
  prepare_output_directory(options.output_dir);
  Journal journal(options.output_dir, shard, describe_session(options.arguments, shard), warn);
  const Plan plan =
      make_plan(std::move(files), journal.take_before(), options.output_dir, program_version(), options.plan);
  describe(plan, shard);
  return run_plan(options, plan, kept, journal, on_terminal);
}

}  // namespace srcextract
