#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::metrics {

// The names of a metric's labels, in the order in which their values are given; empty ones are no labels.
using LabelNames = std::array<std::string_view, 2>;

// What a metric is called and which labels it has. The tables are in server_metrics.h.
struct Counter {
  std::string_view name;
  std::string_view help;
  LabelNames labels;
};
struct Gauge {
  std::string_view name;
  std::string_view help;
  LabelNames labels;
};
struct Histogram {
  std::string_view name;
  std::string_view help;
  LabelNames labels;
  std::span<const double> buckets;  // upper bounds, ascending
};

// Values for Prometheus. Label values are given in the order of the metric's labels: what is missing is empty, what is
// too much is ignored, and bytes that are not UTF-8 become U+FFFD. Thread-safe; every call is short.
//
// Every set of label values is kept until forget(): values that come from objects are to be forgotten with them.
class Metrics {
 public:
  using Labels = std::vector<std::string>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Adds to it; 0 makes it appear. Counters never go down: a negative number changes nothing.
  void count(const Counter& counter, const Labels& labels = {}, double by = 1);
  void set(const Gauge& gauge, const Labels& labels, double value);
  // Sets it unless it has been set already.
  void show(const Gauge& gauge, const Labels& labels, double value);
  void observe(const Histogram& histogram, const Labels& labels, double value);

  // Takes a series away, of a location that is gone say; nothing when it is not there.
  void forget(const Counter& counter, const Labels& labels);
  void forget(const Gauge& gauge, const Labels& labels);
  void forget(const Histogram& histogram, const Labels& labels);

  // In Prometheus' text format, version 0.0.4.
  std::string text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::metrics
