#include "scripts/config_documents/conditions.hpp"

#include <algorithm>
#include <utility>

namespace srcextract::documents {
namespace {

/// Whether every state in which a key may be set has this limit of it, of the same value.
bool is_everywhere(const Decider& decider, const std::string& key, const std::string& limit, const Json& value) {
  return std::ranges::all_of(decider.states, [&](const State& state) {
    const Demand& demand = state.demands.at(key);
    return demand.is_useless || (demand.limits.contains(limit) && demand.limits.at(limit) == value);
  });
}

/// What a state demands of a key beyond what all do: `false` if it may not be set; empty if that is nothing.
Json more_than_others(const Decider& decider, const State& state, const std::string& key) {
  const Demand& demand = state.demands.at(key);
  if (demand.is_useless) return false;
  Json more = Json::object();
  for (const auto& [limit, value] : demand.limits.items()) {
    if (!is_everywhere(decider, key, limit, value)) more[limit] = value;
  }
  return more;
}

using Words = std::vector<std::size_t>;

/// What is demanded of a key, each time with the indices of the words with which it is.
std::vector<std::pair<Json, Words>> demanded(const Decider& decider, const std::string& key) {
  std::vector<std::pair<Json, Words>> result;
  for (std::size_t i = 0; i < decider.states.size(); ++i) {
    const Json more = more_than_others(decider, decider.states[i], key);
    if (more.is_object() && more.empty()) continue;
    const auto same = std::ranges::find(result, more, &std::pair<Json, Words>::first);
    if (same == result.end()) {
      result.push_back({more, {i}});
    } else {
      same->second.push_back(i);
    }
  }
  return result;
}

/// "the key is set, and to one of these words".
Json is_one_of(const Decider& decider, const Words& indices) {
  Json words = Json::array();
  for (const std::size_t i : indices) words.push_back(decider.states[i].word);
  const Json value = words.size() == 1 ? Json{{"const", words[0]}} : Json{{"enum", words}};
  return {{"required", {decider.key}}, {"properties", {{decider.key, value}}}};
}

/// A key that is not set has its default. If the default is one of the words, the condition is that the key has none of
/// the others.
Json condition(const Decider& decider, const Words& indices, const Json& properties) {
  const auto has = [&](std::size_t i) { return std::ranges::find(indices, i) != indices.end(); };
  if (!has(decider.is_default)) {
    return {{"if", is_one_of(decider, indices)}, {"then", {{"properties", properties}}}};
  }
  Words others;
  for (std::size_t i = 0; i < decider.states.size(); ++i) {
    if (!has(i)) others.push_back(i);
  }
  return {{"if", is_one_of(decider, others)}, {"else", {{"properties", properties}}}};
}

}  // namespace

Json conditions_of(const Decider& decider) {
  std::vector<std::pair<Words, Json>> groups;
  for (const auto& [key, ignored] : decider.states.front().demands) {
    for (const auto& [more, words] : demanded(decider, key)) {
      auto group = std::ranges::find(groups, words, &std::pair<Words, Json>::first);
      if (group == groups.end()) group = groups.insert(groups.end(), {words, Json::object()});
      group->second[key] = more;
    }
  }
  Json conditions = Json::array();
  for (const auto& [words, properties] : groups) conditions.push_back(condition(decider, words, properties));
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
