#include "io/log_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "io/descriptor.h"
#include "io/file.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

TEST(LineLogSink, WritesTextOrJsonLinesToAWriter) {
  ManualClock clock;
  StringWriter text;
  StringWriter json;
  const Logger logger = Logger(clock, std::make_shared<LineLogSink>(text, LogFormat::kText))
                            .also_to(std::make_shared<LineLogSink>(json, LogFormat::kJson), LogLevel::kWarning);
  logger.info("begun", {{"backup", "velero/b1"}});
  logger.error("failed");
  EXPECT_EQ(text.str(),
            "time=\"2030-01-01T00:00:00Z\" level=info msg=begun backup=velero/b1\n"
            "time=\"2030-01-01T00:00:00Z\" level=error msg=failed\n");
  EXPECT_EQ(json.str(), "{\"level\":\"error\",\"msg\":\"failed\",\"time\":\"2030-01-01T00:00:00Z\"}\n");
}

TEST(LineLogSink, WritesToADescriptor) {
  const TempDir directory = make_temp_dir();
  const Descriptor file(::open(directory.path("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  LineLogSink sink(file.get(), LogFormat::kText);
  sink.write({.time = {}, .level = LogLevel::kInfo, .message = "one", .fields = {}});
  sink.write({.time = {}, .level = LogLevel::kInfo, .message = "two", .fields = {}});
  EXPECT_EQ(read_file(directory.path("log"), 1000),
            "time=\"1970-01-01T00:00:00Z\" level=info msg=one\ntime=\"1970-01-01T00:00:00Z\" level=info msg=two\n");
  EXPECT_EQ(sink.lost(), 0U);
}

TEST(LineLogSink, CountsWhatCouldNotBeWritten) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  LineLogSink sink(full.get(), LogFormat::kText);
  sink.write({.time = {}, .level = LogLevel::kInfo, .message = "one", .fields = {}});
  sink.write({.time = {}, .level = LogLevel::kInfo, .message = "two", .fields = {}});
  EXPECT_EQ(sink.lost(), 2U);
}

TEST(MemoryLogSink, KeepsEntriesInOrder) {
  ManualClock clock;
  const auto sink = std::make_shared<MemoryLogSink>();
  const Logger logger(clock, sink);
  logger.info("one", {{"n", 1}});
  logger.warning("two");
  ASSERT_EQ(sink->entries().size(), 2U);
  EXPECT_EQ(sink->entries()[1].message, "two");
  EXPECT_EQ(sink->text(),
            "time=\"2030-01-01T00:00:00Z\" level=info msg=one n=1\n"
            "time=\"2030-01-01T00:00:00Z\" level=warning msg=two\n");
}

}  // namespace
}  // namespace landfall::io
