#pragma once

#include <map>
#include <optional>
#include <string>

namespace landfall {

// Environment variables, as a value that a test can make. Read once in main and handed down; nothing else calls getenv.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {}

  // Those of this process.
  static Environment of_process();

  std::optional<std::string> get(const std::string& name) const;
  // Empty and missing are the same to most readers.
  std::string get_or(const std::string& name, const std::string& fallback) const;
  const std::map<std::string, std::string>& all() const { return variables_; }

 private:
  std::map<std::string, std::string> variables_;
};

}  // namespace landfall
