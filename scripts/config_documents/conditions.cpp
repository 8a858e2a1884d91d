#include "scripts/config_documents/conditions.hpp"

#include <algorithm>

namespace srcextract::documents {
namespace {

/// Whether `key` has this limit, with the same value, in every state in which `key` may be set.
bool is_everywhere(const Decider& decider, const std::string& key, const std::string& limit, const Json& value) {
  return std::ranges::all_of(decider.states, [&](const State& state) {
    const Demand& demand = state.demands.at(key);
    return demand.is_useless || (demand.limits.contains(limit) && demand.limits.at(limit) == value);
  });
}

/// The limits of `key` in one state that do not hold in all states. `false` if the key may not be set in the state; an
/// empty object if the state adds nothing.
Json more_than_others(const Decider& decider, const State& state, const std::string& key) {
  const Demand& demand = state.demands.at(key);
  if (demand.is_useless) return false;
  Json more = Json::object();
  for (const auto& [limit, value] : demand.limits.items()) {
    if (!is_everywhere(decider, key, limit, value)) more[limit] = value;
  }
  return more;
}

}  // namespace

Json conditions_of(const Decider& decider) {
  Json conditions = Json::array();
  for (std::size_t i = 0; i < decider.states.size(); ++i) {
    Json properties = Json::object();
    for (const auto& [key, ignored] : decider.states[i].demands) {
      const Json more = more_than_others(decider, decider.states[i], key);
      if (!more.is_object() || !more.empty()) properties[key] = more;
    }
    if (properties.empty()) continue;
    // The condition also applies if decider.key is not set but has this word by default; for other words, the key must
    // be set.
    Json has_word = {{"properties", {{decider.key, {{"const", decider.states[i].word}}}}}};
    if (i != decider.is_default) has_word["required"] = {decider.key};
    conditions.push_back({{"if", has_word}, {"then", {{"properties", properties}}}});
  }
  return conditions;
}

void remove_conditional(Json& limits, const std::string& key, const std::vector<Decider>& deciders) {
  for (const Decider& decider : deciders) {
    if (decider.key == key) continue;
    const Json before = limits;
    for (const auto& [limit, value] : before.items()) {
      if (!is_everywhere(decider, key, limit, value)) limits.erase(limit);
    }
  }
}

}  // namespace srcextract::documents
