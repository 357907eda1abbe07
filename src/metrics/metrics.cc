#include "metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <cstddef>
#include <map>

#include "base/guarded.h"
#include "base/utf8.h"

namespace landfall::metrics {
namespace {

prometheus::Labels named(const LabelNames& names, const Metrics::Labels& values) {
  prometheus::Labels labels;
  for (std::size_t i = 0; i < names.size() && !names[i].empty(); ++i) {
    labels.emplace(names[i], i < values.size() ? to_valid_utf8(values[i]) : std::string());
  }
  return labels;
}

template <class Metric>
using Families = std::map<std::string_view, prometheus::Family<Metric>*>;

}  // namespace

struct Metrics::Impl {
  struct Known {
    Families<prometheus::Counter> counters;
    Families<prometheus::Gauge> gauges;
    Families<prometheus::Histogram> histograms;
  };

  template <class Metric, class Descriptor>
  prometheus::Family<Metric>& family(Families<Metric>& families, const Descriptor& descriptor) {
    auto& family = families[descriptor.name];
    if (family == nullptr) {
      family = &prometheus::detail::Builder<Metric>()
                    .Name(std::string(descriptor.name))
                    .Help(std::string(descriptor.help))
                    .Register(registry);
    }
    return *family;
  }

  // Add() returns the metric that is there already, if any; it must be what Remove() gets.
  template <class Metric, class Descriptor, class... Arguments>
  void forget(Families<Metric>& families, const Descriptor& descriptor, const Labels& values,
              const Arguments&... arguments) {
    auto& of = family(families, descriptor);
    const prometheus::Labels labels = named(descriptor.labels, values);
    if (of.Has(labels)) of.Remove(&of.Add(labels, arguments...));
  }

  prometheus::Registry registry;
  // The lock is held while a metric is used too: forget() ends the life of what Add() returned.
  Guarded<Known> known;
};

namespace {

prometheus::Histogram::BucketBoundaries boundaries(const Histogram& histogram) {
  return {histogram.buckets.begin(), histogram.buckets.end()};
}

}  // namespace

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::count(const Counter& counter, const Labels& labels, double by) {
  impl_->known.with([&](Impl::Known& known) {
    impl_->family(known.counters, counter).Add(named(counter.labels, labels)).Increment(by);
  });
}

void Metrics::set(const Gauge& gauge, const Labels& labels, double value) {
  impl_->known.with(
      [&](Impl::Known& known) { impl_->family(known.gauges, gauge).Add(named(gauge.labels, labels)).Set(value); });
}

void Metrics::show(const Gauge& gauge, const Labels& labels, double value) {
  impl_->known.with([&](Impl::Known& known) {
    auto& family = impl_->family(known.gauges, gauge);
    const prometheus::Labels named_labels = named(gauge.labels, labels);
    if (!family.Has(named_labels)) family.Add(named_labels).Set(value);
  });
}

void Metrics::observe(const Histogram& histogram, const Labels& labels, double value) {
  impl_->known.with([&](Impl::Known& known) {
    impl_->family(known.histograms, histogram)
        .Add(named(histogram.labels, labels), boundaries(histogram))
        .Observe(value);
  });
}

void Metrics::forget(const Counter& counter, const Labels& labels) {
  impl_->known.with([&](Impl::Known& known) { impl_->forget(known.counters, counter, labels); });
}

void Metrics::forget(const Gauge& gauge, const Labels& labels) {
  impl_->known.with([&](Impl::Known& known) { impl_->forget(known.gauges, gauge, labels); });
}

void Metrics::forget(const Histogram& histogram, const Labels& labels) {
  impl_->known.with(
      [&](Impl::Known& known) { impl_->forget(known.histograms, histogram, labels, boundaries(histogram)); });
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(impl_->registry.Collect()); }

}  // namespace landfall::metrics
