#pragma once

#include <yaml.h>

#include <string>
#include <string_view>

#include "base/result.h"

// libyaml's parser, as values that free themselves. Only for the YAML reader.
namespace landfall::json {

// One event. Its views live as long as it does.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  // "line 3, column 5", counted from 1.
  std::string place() const;
  // The anchor of a node, or the one that an alias names; empty when there is none.
  std::string_view anchor() const;

  // Of a collection that starts: written as [a, b] or {a: b}.
  bool is_flow() const;

  // For scalars only.
  std::string_view text() const;
  std::string_view tag() const;
  bool is_plain() const { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }

 private:
  yaml_event_t event_{};
};

// A text as a stream of events. The text must outlive it.
class Events {
 public:
  explicit Events(std::string_view text);
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() { yaml_parser_delete(&parser_); }

  // Fills an empty event. kInvalid with the place when the text is not YAML.
  Status next(Event& event);

 private:
  yaml_parser_t parser_{};
};

}  // namespace landfall::json
