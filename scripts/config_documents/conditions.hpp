#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "scripts/config_documents/schema_types.hpp"
#include "stages/settings/field.hpp"

namespace srcextract::documents {

// The allowed values of a key may depend on the word of another key in the same section. The functions here find these
// dependencies by setting every word in turn and reading the limits that for_each_field() then declares.

/// The demands of the declaration on a key while other keys of the section have certain values.
struct Demand {
  bool is_useless = false;  ///< true: the key may not be set
  /// JSON schema limits of a number; `enum`: the allowed words, if not all words of an enumeration are allowed
  Json limits;
};

/// A word of a key, and the demands on the other keys of the section while the key has this word.
struct State {
  Json word;
  std::map<std::string, Demand> demands;
};

/// A key with words, on which demands on other keys may depend, and one state for each word. `is_default` is the index
/// of the default word, or the number of words if the key has no default.
struct Decider {
  std::string key;
  std::vector<State> states;
  std::size_t is_default;
};

/// The schema's conditions, one for each word with demands of its own: `if` the key has the word, `then` the demands
/// hold.
Json conditions_of(const Decider& decider);

/// Removes from the limits of `key` the limits that hold only for some words of another key.
void remove_conditional(Json& limits, const std::string& key, const std::vector<Decider>& deciders);

template <class T>
void set_word(T& t, const std::string& path, std::size_t index) {
  for_each_field(t, [&](const config::Field& field, auto& member) {
    using Member = std::decay_t<decltype(member)>;
    if constexpr (std::is_enum_v<Member>) {
      if (field.path() == path) member = static_cast<Member>(index);
    }
  });
}

template <class T>
std::string problem_of(const T& t, const std::string& path) {
  std::string problem;
  for_each_field(t, [&](const config::Field& field, const auto&) {
    if (field.path() == path) problem = field.unused + field.problem;
  });
  return problem;
}

/// The words that the key at `path` may have while all other keys are as in `t`.
template <class T>
Json words_left(const T& t, const std::string& path, const Json& words) {
  Json left = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i) {
    T with_word = t;
    set_word(with_word, path, i);
    if (problem_of(with_word, path).empty()) left.push_back(words[i]);
  }
  return left;
}

/// The demands on every key of the section while the keys have the values in `t`.
template <class T>
std::map<std::string, Demand> demands_in(const T& t, const std::string& section) {
  std::map<std::string, Demand> demands;
  for_each_field(t, [&](const config::Field& field, const auto& member) {
    if (field.section.name != section) return;
    Demand demand{!field.no_use.empty(), limits_of(field)};
    if constexpr (std::is_enum_v<std::decay_t<decltype(member)>>) {
      const Json words = words_of(member);
      const Json left = words_left(t, field.path(), words);
      if (left != words) demand.limits["enum"] = left;
    }
    demands[field.key] = demand;
  });
  return demands;
}

/// A Decider for every key of the section whose values are words. If `has_defaults` is true, `t` contains the defaults.
template <class T>
std::vector<Decider> deciders_of(const T& t, const std::string& section, bool has_defaults) {
  std::vector<Decider> deciders;
  for_each_field(t, [&](const config::Field& field, const auto& member) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(member)>>) {
      if (field.section.name != section) return;
      const Json words = words_of(member);
      Decider decider{field.key, {}, has_defaults ? static_cast<std::size_t>(member) : words.size()};
      for (std::size_t i = 0; i < words.size(); ++i) {
        T with_word = t;
        set_word(with_word, field.path(), i);
        decider.states.push_back({words[i], demands_in(with_word, section)});
        decider.states.back().demands.erase(field.key);
      }
      deciders.push_back(decider);
    }
  });
  return deciders;
}

}  // namespace srcextract::documents
