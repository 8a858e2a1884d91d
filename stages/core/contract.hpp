#pragma once

#include <atomic>
#include <string>

#include "stages/core/error.hpp"

/// Contracts of stages, checked in Debug builds and in builds with sanitizers (SRCEXTRACT_CONTRACTS). In Release the
/// conditions are not evaluated and cost no instruction.
///
/// SRCEXTRACT_EXPECT(condition): what a function expects of its arguments. SRCEXTRACT_ENSURE(condition): what it
/// leaves. A condition that does not hold throws Error{internal}, which names the function, the condition and the step.
#ifdef SRCEXTRACT_CONTRACTS
#define SRCEXTRACT_EXPECT(condition)  \
  ((condition) ? static_cast<void>(0) \
               : ::srcextract::break_contract(__func__, "expects", #condition, __FILE__, __LINE__))
#define SRCEXTRACT_ENSURE(condition)  \
  ((condition) ? static_cast<void>(0) \
               : ::srcextract::break_contract(__func__, "does not leave", #condition, __FILE__, __LINE__))
#else
#define SRCEXTRACT_EXPECT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#define SRCEXTRACT_ENSURE(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif

namespace srcextract {

#ifdef SRCEXTRACT_CONTRACTS
inline constexpr bool checks_contracts = true;
#else
inline constexpr bool checks_contracts = false;
#endif

/// The step that began last, for the messages of broken contracts; null: none yet. Where images are extracted side by
/// side, it may be a step of another image.
inline std::atomic<const char*> latest_step = nullptr;

[[noreturn]] inline void break_contract(const char* function, const char* what, const char* condition, const char* file,
                                        int line) {
  const char* const step = latest_step;
  throw Error(ErrorKind::internal, std::string("a broken contract") +
                                       (step != nullptr ? std::string(" in the step ") + step : "") + ": " + function +
                                       "() " + what + " " + condition + " (" + file + ":" + std::to_string(line) +
                                       "); please report this");
}

}  // namespace srcextract
