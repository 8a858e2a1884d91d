#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "scripts/config_documents/schema_types.hpp"
#include "stages/settings/field.hpp"

namespace srcextract::documents {

// The limits of a key may depend on the word that another key of its section has. The functions here find that out:
// they try every word and compare what the declaration then says.

/// What is demanded of a key in one state of the others.
struct Demand {
  bool is_useless = false;  ///< it may not be set
  Json limits;              ///< of a number; and `enum`, the words that are left of an enumeration, if not all are
};

/// One word of a key, and what is demanded of the other keys of the section with it.
struct State {
  Json word;
  std::map<std::string, Demand> demands;
};

/// The key with the words that decide, in the order of its enumeration. `is_default` is the index of the word that
/// holds if the key is not set, or beyond the last if none does.
struct Decider {
  std::string key;
  std::vector<State> states;
  std::size_t is_default;
};

/// The schema's conditions, one for each word that makes demands of its own: `if` the key has the word, `then` these.
Json conditions_of(const Decider& decider);

/// Removes from the limits of `key` those that hold only for some words of a decider.
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

/// The words of the key at `path` that are no problem where the other keys are as in `t`.
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

/// What `t` demands of the keys of a section.
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

/// Every key of a section that has words. In `t` all keys have their defaults, if there are any.
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
