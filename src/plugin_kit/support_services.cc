#include "go_plugin/health.grpc.pb.h"
#include "go_plugin/support.grpc.pb.h"
#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"

namespace landfall::plugin_kit {
namespace {

class Health final : public grpc::health::v1::Health::Service {
 public:
  grpc::Status Check(grpc::ServerContext* /*context*/, const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override {
    if (!request->service().empty() && request->service() != "plugin") {
      return {grpc::StatusCode::NOT_FOUND, "unknown service"};
    }
    response->set_status(grpc::health::v1::HealthCheckResponse::SERVING);
    return grpc::Status::OK;
  }
};

class Controller final : public plugin::GRPCController::Service {
 public:
  explicit Controller(std::function<void()> on_shutdown) : on_shutdown_(std::move(on_shutdown)) {}

  grpc::Status Shutdown(grpc::ServerContext* /*context*/, const plugin::Empty* /*request*/,
                        plugin::Empty* /*response*/) override {
    on_shutdown_();
    return grpc::Status::OK;
  }

 private:
  const std::function<void()> on_shutdown_;
};

// Standard output goes to the log, so nothing ever comes here; but a host that listens wants the stream to stay open.
class Stdio final : public plugin::GRPCStdio::Service {
 public:
  explicit Stdio(Registry& registry) : registry_(registry) {}

  grpc::Status StreamStdio(grpc::ServerContext* context, const google::protobuf::Empty* /*request*/,
                           grpc::ServerWriter<plugin::StdioData>* /*writer*/) override {
    return answer(registry_, context, [this](const std::stop_token& stop) -> Status {
      Monitor<bool> never;
      never.wait_until(registry_.context.clock, stop, kNever, [](bool) { return false; });
      return {};
    });
  }

 private:
  Registry& registry_;
};

}  // namespace

void add_support_services(Registry& registry, std::function<void()> on_shutdown, Services& services) {
  services.push_back(std::make_unique<Health>());
  services.push_back(std::make_unique<Controller>(std::move(on_shutdown)));
  services.push_back(std::make_unique<Stdio>(registry));
}

}  // namespace landfall::plugin_kit
