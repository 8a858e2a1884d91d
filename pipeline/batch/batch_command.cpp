#include "pipeline/batch/commands.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "pipeline/batch/batch.hpp"
#include "pipeline/batch/run_summary.hpp"
#include "pipeline/batch/trials.hpp"
#include "pipeline/batch/watchdog.hpp"
#include "pipeline/log/held_messages.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/stop_signal.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "pipeline/outputs/run_record.hpp"
#include "stages/core/counted.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/image_config.hpp"
#include "survey/inputs/inputs.hpp"
#include "survey/inputs/merged_table.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/inputs/output_names.hpp"
#include "survey/journal/directory_lock.hpp"
#include "survey/journal/failures.hpp"
#include "survey/journal/journal.hpp"
#include "survey/journal/journal_files.hpp"

namespace srcextract {
namespace {

/// Exit codes that only `srcextract batch` uses.
constexpr int some_failed = 6, stopped = 7, too_many_failed = 8;

/// Files that the run writes or removes besides the outputs of its images. The failure lists of single shards (parts of
/// a survey) are included, since a run without shards replaces them.
std::vector<std::string> own_files(const std::string& directory, const Shard& shard) {
  std::vector<std::string> files = {journal_path(directory, shard), lock_path(directory),
                                    underway_path(directory, shard), failures_path(directory, shard)};
  std::error_code unknown;
  if (shard.count > 1 || !std::filesystem::is_directory(directory, unknown)) return files;
  for (const JournalFile& journal : find_journals(directory)) {
    if (journal.shard.count > 1) files.push_back(failures_path(directory, journal.shard));
  }
  return files;
}

void require_separate_log(const BatchOptions& options, const Shard& shard, const ImageFiles& files,
                          const KeptFiles& kept) {
  kept.require_kept({options.log_file});
  const std::string& directory = options.output_dir;
  const LogFile log(options.log_file);
  log.require_none_of(own_files(directory, shard));
  for (const ImageFile& file : files)
    log.require_none_of(output_paths(directory, file.name, std::nullopt, file.config->config.output).all());
}

/// Starts the log. Returns the set of files that no output may replace: the log, and the files that the run reads. Sets
/// `links` to a warning if several inputs are links to one file, else to an empty text.
KeptFiles start_log(const BatchOptions& options, const Shard& shard, const ImageFiles& files, bool on_terminal,
                    std::string& links) {
  KeptFiles kept;
  const ImageConfig* last = nullptr;
  const FilesBeside* last_beside = nullptr;
  kept.add_images(files);
  links = kept.describe_links();
  kept.add(options.inputs);
  for (const ImageFile& file : files) {
    const bool as_before = file.beside.get() == std::exchange(last_beside, file.beside.get());
    if (file.beside && !as_before) kept.add_files_of(*file.beside);
    if (file.config.get() == last && as_before) continue;
    last = file.config.get();
    if (!file.has_reference()) require_outputs_of_images(last->given);
    kept.add_files_of(last->given);
  }
  kept.add(options.config);
  kept.require_kept(own_files(options.output_dir, shard));
  if (!options.log_file.empty()) require_separate_log(options, shard, files, kept);
  prepare_directory_of_log(options.log_file, options.output_dir);
  configure_log(options.verbosity, options.log_file, on_terminal);
  kept.add(options.log_file);
  return kept;
}

/// Logs, for example, "5 files to do (4 new, 1 changed), 95 done already".
void describe(const SurveyPlan& plan, const Shard& shard) {
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
  spdlog::info("{}{} to do{}, {} done already", part, counted(static_cast<std::int64_t>(plan.files.size()), "file"),
               kinds, plan.done);
}

/// Warns of inputs that cannot be accessed now. Their existing outputs are kept.
void warn_of_unseen(const SurveyPlan& plan) {
  if (plan.unseen + plan.undone == 0) return;
  log_warning(
      fmt::format("{}: {} cannot be looked at, so finished outputs stay as they are; mount or bring back the inputs",
                  plan.why_unseen, counted(plan.unseen + plan.undone, "file")));
}

void warn_of_replaced(const SurveyPlan& plan) {
  if (plan.replaced == 0) return;
  log_warning(fmt::format("{}, whose outputs are replaced{}; give each directory an output directory of its own",
                          plan.why_replaced,
                          plan.replaced == 1 ? "" : fmt::format(", and so are those of {} more", plan.replaced - 1)));
}

/// Prints the path of every planned file on stdout, one per line. printable() replaces control characters, since a file
/// name may contain newlines and terminal commands.
void print_plan(const SurveyPlan& plan) {
  constexpr std::size_t at_a_time = std::size_t{1} << 20;
  std::string text;
  for (const PlannedFile& planned : plan.files) {
    text += printable(planned.file.path) + "\n";
    if (text.size() >= at_a_time) print_result(std::exchange(text, {}));
  }
  print_result(text);
}

Progress make_progress(const SurveyPlan& plan, bool on_terminal) {
  const auto show = on_terminal ? Progress::Show::on_terminal : Progress::Show::in_log;
  return {show, plan.files.size(), total_bytes(plan.files)};
}

/// How a run ended. If `complete` is false and no other member is true, a signal ended the run.
struct Ending {
  bool complete = false, too_many_failures = false, too_slow = false, inputs_away = false;
};

/// Logs the last lines of the run and returns its exit code.
int conclude(const SurveyPlan& plan, const RunSummary& summary, const Ending& ending) {
  for (const std::string& line : summary.describe()) spdlog::info("{}", line);
  if (ending.complete && plan.undone > 0) {
    spdlog::error(
        "{}: {} that changed, or lack outputs, could not be done again; bring their inputs back, and start the "
        "same command again",
        plan.why_unseen, counted(plan.undone, "file"));
    return exit_code(ErrorKind::input);
  }
  if (ending.inputs_away && !ending.too_many_failures) {
    spdlog::error(
        "the inputs did not come back within --wait; bring them back, and start the same command again to go on");
    return exit_code(ErrorKind::input);
  }
  if (!ending.complete && !ending.too_many_failures) {
    spdlog::warn("stopped {}; what was under way is done, start the same command again to go on",
                 ending.too_slow ? "because an image took longer than --image-timeout allows" : "by a signal");
    return stopped;
  }
  if (ending.too_many_failures) {
    spdlog::error("stopped: {} failed, more than --max-failures allows; see failures.csv",
                  counted(summary.failed(), "image"));
    return too_many_failed;
  }
  if (plan.failed > 0)
    spdlog::warn("not tried again: {} that failed before; --retry-failed does", counted(plan.failed, "file"));
  return summary.failed() + plan.failed > 0 ? some_failed : 0;
}

/// The records of earlier runs in an output directory; empty if the directory does not exist.
Ledger known_before(const std::string& directory) {
  std::error_code unknown;
  return std::filesystem::exists(directory, unknown) ? join_ledgers(read_journals(directory, log_warning)) : Ledger{};
}

/// Removes from the plan, and returns, the files that were being extracted when an earlier process died. If such a file
/// is not in the plan, the journal's note about it is dropped.
std::vector<PlannedFile> take_interrupted(SurveyPlan& plan, Journal& journal) {
  std::vector<PlannedFile> interrupted;
  std::vector<std::size_t> others;
  std::set<std::uint64_t> in_plan;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const std::uint64_t hash = name_hash(plan.files.files().name(i));
    if (journal.interrupted().contains(hash)) {
      interrupted.push_back(plan.files[i]);
      in_plan.insert(hash);
    } else {
      others.push_back(i);
    }
  }
  if (!interrupted.empty()) plan.files.select(others);
  for (const auto& [hash, note] : journal.interrupted()) {
    if (!in_plan.contains(hash)) journal.forget(hash);
  }
  return interrupted;
}

TrialRequest trial_request(const BatchOptions& options, const Shard& shard) {
  TrialRequest request;
  request.directory = options.output_dir;
  request.arguments = arguments_but_inputs(options);
  request.compare = options.backend == Backend::compare;
  request.devices = options.devices;
  request.threads = options.threads;
  request.memory = options.memory;
  request.verbosity = options.verbosity;
  request.log_file = options.log_file;
  request.temporaries = temporary_tag(shard);
  return request;
}

/// One run of `srcextract batch`: extracts the planned images and closes the journal's session.
class BatchRun {
 public:
  BatchRun(const BatchOptions& options, const Shard& shard, const KeptFiles& kept, Journal& journal,
           const Progress& progress)
      : options_(options),
        shard_(shard),
        kept_(kept),
        journal_(journal),
        progress_(progress),
        messages_(options.verbosity != Verbosity::verbose),
        watchdog_(options.image_timeout, [this](const auto& names) { give_up(names); }) {
    control_.on_image = [this](const ImageOutcome& outcome) { note(outcome); };
    control_.should_stop = [this] {
      return too_many_failures_ || watchdog_.has_barked() || StopSignal::received() != 0;
    };
    control_.is_left_out = is_merged_table;
    control_.on_file = [this](const ImageFile& file) { return under_way(file.name); };
    control_.on_gone = [this](const std::string& directory) { journal_.note_gone(directory); };
    control_.on_back = [this](const std::string& directory) { journal_.note_back(directory); };
    control_.watch = [this](const std::string& name) { return watchdog_.watch(name); };
  }

  int run(SurveyPlan plan) {
    Trials trials(trial_request(options_, shard_), options_.image_timeout, kept_, journal_, control_, progress_);
    const bool tried = trials.run(take_interrupted(plan, journal_));
    const bool complete = extract(plan) && tried;
    messages_.tell_all(summary_.images());
    const std::lock_guard ending(ending_);
    journal_.finish(complete && plan.undone == 0);
    return conclude(plan, summary_,
                    {.complete = complete,
                     .too_many_failures = too_many_failures_,
                     .too_slow = watchdog_.has_barked(),
                     .inputs_away = inputs_away_});
  }

 private:
  /// Extracts the files of the plan. Returns whether every image was tried. With an empty plan, returns at once, so
  /// that no GPU is started.
  bool extract(const SurveyPlan& plan) {
    if (plan.files.empty()) return true;
    const Machine machine = choose_machine(
        {options_.backend, options_.devices, options_.threads, options_.device_memory}, workload_of(plan.files));
    MemoryBudget budget = memory_budget(options_.memory);
    control_.wait = options_.wait;
    const Job job{.output_dir = options_.output_dir,
                  .arguments = arguments_but_inputs(options_),
                  .kept = kept_,
                  .flush = Flush::later,
                  .describe = options_.verbosity == Verbosity::verbose,
                  .positions = std::make_shared<PositionTables>(budget.bytes())};
    const RunResult result = process_files(job, plan.files, machine, budget, progress_, control_);
    inputs_away_ = result.inputs_away;
    return result.complete;
  }

  void note(const ImageOutcome& outcome) {
    journal_.add(outcome.record);
    summary_.add(outcome);
    messages_.tell_new(summary_.images());
    if (options_.max_failures && summary_.failed() > *options_.max_failures) too_many_failures_ = true;
  }

  std::shared_ptr<void> under_way(const std::string& name) {
    journal_.begin(name);
    return {&journal_, [this, name](void*) {
              try {
                journal_.end(name);
              } catch (const std::exception&) {
                // If the disk fails, the journal keeps the note that this file is being extracted. The next run then
                // extracts the file in a separate process (Trials).
              }
            }};
  }

  /// Ends the journal's session and the whole process, since a single thread that hangs cannot be ended. Logs an error
  /// for each image in `names`, which took too long.
  [[noreturn]] void give_up(const std::vector<std::string>& names) {
    const std::lock_guard ending(ending_);
    int code = stopped;
    messages_.tell_all(summary_.images());
    try {
      journal_.finish(false);
    } catch (...) {
      const Failure failure = current_failure();
      log_failure("", failure);
      code = exit_code(failure.kind);
    }
    for (const std::string& name : names)
      spdlog::error(
          "{}: takes longer than the {:g} s that --image-timeout allows, and cannot be stopped but with the "
          "run; start the same command again: it is then tried by itself, and the others go on",
          name, options_.image_timeout);
    std::_Exit(code);
  }

  const BatchOptions& options_;
  const Shard& shard_;
  const KeptFiles& kept_;
  Journal& journal_;
  Progress progress_;
  RunControl control_;
  bool inputs_away_ = false;
  RunSummary summary_;
  HeldMessages messages_;
  std::atomic<bool> too_many_failures_ = false;
  std::mutex ending_;
  Watchdog watchdog_;  // declared last: its thread uses the other members, so the watchdog must be destroyed first
};

}  // namespace

int run_batch(const BatchOptions& options) {
  const StopSignal stop_signal;
  const bool on_terminal = stderr_is_terminal() && options.verbosity != Verbosity::quiet;
  const Shard shard = options.shard.value_or(Shard{});
  const GivenConfig given = load_given(options.config, set_overrides(options.settings));
  std::vector<std::string> notes;
  ImageFiles all_files = find_inputs(options.inputs, given, &notes);
  std::string links;
  KeptFiles kept = start_log(options, shard, all_files, on_terminal, links);
  if (!given.note.empty()) log_warning(given.note);
  for (const std::string& note : notes) spdlog::info("{}", note);
  // Links may be intended, and with -q only errors are logged.
  if (!links.empty() && options.verbosity != Verbosity::quiet) log_warning(links);
  if (const std::string kinds = describe_kinds(all_files); !kinds.empty()) log_warning(kinds);
  const auto found = static_cast<std::int64_t>(all_files.size());
  ImageFiles files = with_references(share_of(shard, std::move(all_files)), options.memory, kept);

  if (options.dry_run) {
    const SurveyPlan plan = make_plan(std::move(files), known_before(options.output_dir), options.output_dir,
                                      program_version(), options.plan);
    describe(plan, shard);
    warn_of_unseen(plan);
    warn_of_replaced(plan);
    print_plan(plan);
    return 0;
  }
  prepare_output_directory(options.output_dir);
  Journal journal(options.output_dir, shard, describe_session(options.arguments, shard, make_image_config(given)->yaml),
                  log_warning);
  SurveyPlan plan =
      make_plan(std::move(files), journal.take_before(), options.output_dir, program_version(), options.plan);
  journal.plan(static_cast<std::int64_t>(plan.files.size()), total_bytes(plan.files), found);
  describe(plan, shard);
  warn_of_unseen(plan);
  warn_of_replaced(plan);
  const Progress progress = make_progress(plan, on_terminal);
  return BatchRun(options, shard, kept, journal, progress).run(std::move(plan));
}

}  // namespace srcextract
