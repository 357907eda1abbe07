#include "cli_restore/restore_plan_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "k8s/kinds.h"
#include "progress/format.h"
#include "terminal/table.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using progress::format_count;
using restore::NotSelected;
using restore::Plan;
using restore::PlannedGroup;
using restore::PlannedResource;
using restore::Prediction;

namespace {

constexpr std::array kPredictions{Prediction::kCreate,   Prediction::kUpdate, Prediction::kUnchanged,
                                  Prediction::kConflict, Prediction::kSkip,   Prediction::kFail};
// Without --details only so many of what would not go as wished are named.
constexpr std::size_t kMostNamed = 20;

std::string items(std::int64_t count) { return format_count(count) + (count == 1 ? " item" : " items"); }

std::string target_text(const PlannedGroup& group) {
  if (group.original_namespace.empty()) return "<cluster>";
  if (group.original_namespace == group.target_namespace) return group.original_namespace;
  return group.original_namespace + " → " + group.target_namespace;
}

using Counts = std::array<std::int64_t, kPredictions.size()>;

Counts count(const PlannedGroup& group) {
  Counts counts{};
  for (const PlannedGroup::Forecast& forecast : group.forecasts) {
    const auto place = static_cast<std::size_t>(forecast.prediction);
    if (place < counts.size()) ++counts.at(place);
  }
  return counts;
}

std::string heading(const Plan& plan) {
  std::string text =
      fmt::format("{} of backup {}: {} to restore; {} in the backup, {} of them not selected",
                  plan.is_preview ? "Preview" : "Restore", terminal::printable(plan.backup), items(plan.total()),
                  items(plan.items_in_backup), format_count(plan.not_selected_total()));
  if (plan.total_of_backup > plan.items_in_backup) {
    text +=
        fmt::format(" (the backup counts {}: the others failed when it was made)", format_count(plan.total_of_backup));
  }
  return text + "\n";
}

std::string namespaces_text(const Plan& plan) {
  if (plan.namespaces.empty()) return "";
  std::string text = "\nNamespaces that are made:\n";
  for (const restore::PlannedNamespace& one : plan.namespaces) {
    const std::string like = one.is_in_backup ? ", with the labels and annotations of " + one.original : "";
    text += "  " + terminal::printable(one.name + like) + "\n";
  }
  return text;
}

std::vector<std::string> headers(const Plan& plan) {
  std::vector<std::string> all = {"RESOURCE", "ITEMS", "NAMESPACE"};
  if (!plan.is_preview) return all;
  for (const Prediction prediction : kPredictions) {
    std::string word(to_string(prediction));
    for (char& c : word) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    all.push_back(word);
  }
  return all;
}

// A line for each resource, and below it one for each namespace where there are several.
std::string resources_text(const Plan& plan) {
  terminal::Table table(headers(plan));
  const auto add = [&](std::string first, std::int64_t total, std::string place, const Counts& counts) {
    std::vector<std::string> cells = {std::move(first), format_count(total), std::move(place)};
    if (plan.is_preview) {
      for (const std::int64_t one : counts) cells.push_back(one == 0 ? "-" : format_count(one));
    }
    table.add(std::move(cells));
  };
  for (const PlannedResource& resource : plan.resources) {
    Counts sum{};
    for (const PlannedGroup& group : resource.groups) {
      const Counts counts = count(group);
      for (std::size_t i = 0; i < sum.size(); ++i) sum.at(i) += counts.at(i);
    }
    const bool is_one = resource.groups.size() == 1;
    add(k8s::to_string(resource.resource), resource.total(), is_one ? target_text(resource.groups.front()) : "", sum);
    if (is_one) continue;
    for (const PlannedGroup& group : resource.groups) {
      add("", static_cast<std::int64_t>(group.names.size()), target_text(group), count(group));
    }
  }
  return table.empty() ? "" : "\n" + table.text();
}

std::string not_selected_text(const Plan& plan) {
  if (plan.not_selected.empty()) return "";
  std::map<std::pair<std::string, std::string>, std::int64_t> by_reason;
  for (const NotSelected& one : plan.not_selected) {
    by_reason[{one.reason, k8s::to_string(one.resource)}] += static_cast<std::int64_t>(one.names.size());
  }
  terminal::Table table({"REASON", "RESOURCE", "ITEMS"});
  std::string last;
  for (const auto& [key, number] : by_reason) {
    table.add({key.first == last ? "" : key.first, key.second, format_count(number)});
    last = key.first;
  }
  return fmt::format("\nNot selected: {}\n", items(plan.not_selected_total())) + table.text();
}

std::string full_name(const std::string& name_space, const std::string& name) {
  return name_space.empty() ? name : name_space + "/" + name;
}

std::string forecast_text(const PlannedGroup& group, std::size_t place) {
  if (place >= group.forecasts.size()) return "";
  const PlannedGroup::Forecast& forecast = group.forecasts[place];
  return fmt::format(": {}{}", to_string(forecast.prediction), forecast.reason.empty() ? "" : ": " + forecast.reason);
}

std::string item_line(const PlannedResource& resource, const PlannedGroup& group, std::size_t place) {
  return terminal::printable(fmt::format("  {} {}{}", k8s::to_string(resource.resource),
                                         full_name(group.target_namespace, group.names[place]),
                                         forecast_text(group, place))) +
         "\n";
}

bool is_trouble(const PlannedGroup& group, std::size_t place) {
  if (place >= group.forecasts.size()) return false;
  const Prediction prediction = group.forecasts[place].prediction;
  return prediction == Prediction::kConflict || prediction == Prediction::kSkip || prediction == Prediction::kFail;
}

// What would not be restored although it is wanted, with the reason.
std::string trouble_text(const Plan& plan) {
  std::string text;
  std::size_t found = 0;
  for (const PlannedResource& resource : plan.resources) {
    for (const PlannedGroup& group : resource.groups) {
      for (std::size_t i = 0; i < group.names.size(); ++i) {
        if (is_trouble(group, i) && ++found <= kMostNamed) text += item_line(resource, group, i);
      }
    }
  }
  if (found == 0) return "";
  if (found > kMostNamed) text += fmt::format("  and {} more: --details shows all\n", found - kMostNamed);
  return "\nWould not be restored as the backup has it:\n" + text;
}

std::string details_text(const Plan& plan) {
  std::string text = "\nItems, in order:\n";
  for (const PlannedResource& resource : plan.resources) {
    for (const PlannedGroup& group : resource.groups) {
      for (std::size_t i = 0; i < group.names.size(); ++i) text += item_line(resource, group, i);
    }
  }
  if (plan.not_selected.empty()) return text;
  text += "\nNot selected:\n";
  for (const NotSelected& one : plan.not_selected) {
    for (const std::string& name : one.names) {
      text += terminal::printable(fmt::format("  {} {}: {}", k8s::to_string(one.resource),
                                              full_name(one.original_namespace, name), one.reason)) +
              "\n";
    }
  }
  return text;
}

}  // namespace

std::string plan_text(const Plan& plan, const PlanTextOptions& options) {
  std::string text = heading(plan) + namespaces_text(plan) + resources_text(plan) + not_selected_text(plan);
  if (options.details) return text + details_text(plan);
  return text + trouble_text(plan);
}

}  // namespace landfall::cli
