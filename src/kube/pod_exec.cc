#include "kube/pod_exec.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/go_duration.h"
#include "base/guarded.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/rest_path.h"
#include "kube/api_status.h"
#include "kube/pod_exec_socket.h"

namespace landfall::kube {
namespace {

constexpr const char* kV5 = "v5.channel.k8s.io";
constexpr const char* kV4 = "v4.channel.k8s.io";

// The first byte of a message says which stream it belongs to.
constexpr char kStdin = '\0';
constexpr char kStdout = '\1';
constexpr char kStderr = '\2';
constexpr char kStatus = '\3';
constexpr char kCloseStream = '\xff';  // v5: the stream named by the next byte has ended

constexpr std::size_t kPiece = std::size_t{32} * 1024;
constexpr std::size_t kMaxStatus = std::size_t{256} * 1024;
// After the result the server closes. One that does not is left.
constexpr Duration kFarewell = std::chrono::seconds(2);

// Reads the input on a thread of its own, one piece ahead.
class Input {
 public:
  Input(io::Reader& reader, Clock& clock, std::function<void()> on_change)
      : reader_(reader), clock_(clock), on_change_(std::move(on_change)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { pump(stop); });
  }

  struct Piece {
    std::string bytes;
    bool is_end = false;
  };
  // Nothing when there is none at the moment, or never again.
  Result<std::optional<Piece>> take() {
    return next_.update([](std::optional<Result<Piece>>& next) -> Result<std::optional<Piece>> {
      auto taken = std::exchange(next, std::nullopt);
      if (!taken) {
        return std::nullopt;
      }
      TRY_ASSIGN(Piece piece, "read the input", *std::move(taken));
      return std::optional(std::move(piece));
    });
  }

 private:
  void pump(const std::stop_token& stop) {
    std::vector<char> buffer(kPiece);
    bool is_end = false;
    while (!is_end && next_.wait_until(clock_, stop, kNever, [](const auto& next) { return !next; })) {
      Result<Piece> piece = read(buffer);
      is_end = !piece || piece->is_end;
      next_.update([&](auto& next) { next = std::move(piece); });
      on_change_();
    }
  }

  Result<Piece> read(std::vector<char>& buffer) {
    TRY_ASSIGN(const std::size_t count, "", reader_.read(buffer));
    return Piece{.bytes = std::string(buffer.data(), count), .is_end = count == 0};
  }

  io::Reader& reader_;
  Clock& clock_;
  std::function<void()> on_change_;
  Monitor<std::optional<Result<Piece>>> next_;
  std::jthread thread_;  // last: ends before what it uses
};

// One command, from the open socket to its result.
class Session {
 public:
  Session(io::WebSocket& socket, const ExecRequest& request, const ExecOutput& output, Clock& clock)
      : socket_(socket), output_(output), clock_(clock) {
    if (request.input != nullptr) {
      input_.emplace(*request.input, clock, [this] { socket_.wake(); });
    }
  }

  Result<ExecOutcome> run(SteadyTime deadline, const std::stop_token& stop) {
    const io::WebSocket::Handlers handlers{.on_message = [this](std::string_view message) { return take(message); },
                                           .next_message = [this] { return give(); }};
    auto end = socket_.run(handlers, deadline, stop);
    if (!end) {
      socket_.say_goodbye();
      return tl::unexpected(std::move(end).error());
    }
    if (!result_) {
      const std::string& why = socket_.closing().reason;
      return fail(Code::kUnavailable,
                  "the connection was closed before the command's result came" + (why.empty() ? "" : ": " + why));
    }
    // Something may still be on its way; how the connection ends does not matter any more.
    if (*end == io::WebSocket::End::kHandler) {
      is_over_ = true;
      const auto rest =
          socket_.run({.on_message = handlers.on_message}, std::min(deadline, clock_.after(kFarewell)), stop);
      TRY("", failure_);
      socket_.say_goodbye();
    }
    return outcome();
  }

 private:
  Result<bool> take(std::string_view message) {
    if (message.empty()) {
      return true;
    }
    const char channel = message.front();
    message.remove_prefix(1);
    // At the start the server sends an empty message on every channel.
    if (message.empty()) {
      return true;
    }
    if (channel == kStdout && output_.on_stdout) {
      failure_ = output_.on_stdout(message);
    } else if (channel == kStderr && output_.on_stderr) {
      failure_ = output_.on_stderr(message);
    } else if (channel == kStatus && !result_) {
      failure_ = take_status(message);
    }
    TRY("", failure_);
    return is_over_ || !result_;
  }

  Status take_status(std::string_view bytes) {
    if (bytes.size() > kMaxStatus - status_.size()) {
      return fail(Code::kTooLarge, "the command's result is larger than " + std::to_string(kMaxStatus) + " bytes");
    }
    status_ += bytes;
    if (auto parsed = json::parse(status_)) {
      result_ = *std::move(parsed);
    }
    return {};
  }

  Result<std::optional<std::string>> give() {
    if (!input_) {
      return std::nullopt;
    }
    TRY_ASSIGN(const std::optional<Input::Piece> piece, "", input_->take());
    if (!piece) {
      return std::nullopt;
    }
    if (piece->is_end) {
      return socket_.protocol() == kV5 ? std::optional(std::string{kCloseStream, kStdin}) : std::nullopt;
    }
    return kStdin + piece->bytes;
  }

  Result<ExecOutcome> outcome() const {
    if (json::string_or(*result_, {"status"}, "") == "Success") {
      return ExecOutcome{};
    }
    Error error = error_from_status_json(status_);
    const auto* status = error.detail<ApiStatus>();
    if (status != nullptr && status->reason == "NonZeroExitCode") {
      for (const ApiStatus::Cause& cause : status->causes) {
        const auto code = parse_int64(cause.message);
        if (cause.reason == "ExitCode" && code && *code >= 0 && *code <= 255) {
          return ExecOutcome{.exit_code = static_cast<int>(*code)};
        }
      }
      return fail(Code::kDataLoss, "the command failed, but its exit code cannot be read: " + error.message());
    }
    return tl::unexpected(std::move(error));
  }

  io::WebSocket& socket_;
  const ExecOutput& output_;
  Clock& clock_;
  std::string status_;
  std::optional<json::Json> result_;
  Status failure_;  // of a callback
  bool is_over_ = false;
  std::optional<Input> input_;  // last: its thread wakes the socket
};

io::QueryParameters query_of(const ExecRequest& request) {
  io::QueryParameters query;
  if (!request.container.empty()) {
    query.emplace_back("container", request.container);
  }
  for (const std::string& word : request.command) {
    query.emplace_back("command", word);
  }
  if (request.input != nullptr) {
    query.emplace_back("stdin", "true");
  }
  query.emplace_back("stdout", "true");
  query.emplace_back("stderr", "true");
  return query;
}

Result<std::unique_ptr<io::WebSocket>> open(Client& client, const ExecRequest& request, SteadyTime deadline,
                                            const std::stop_token& stop) {
  if (request.command.empty()) {
    return fail(Code::kInvalid, "there is no command");
  }
  TRY_ASSIGN(
      const std::string path, "",
      k8s::object_path({.group = "", .version = "v1", .resource = "pods"}, request.name_space, request.pod, "exec"));
  const bool only_v5 = request.input != nullptr && request.needs_end_of_input;
  const std::vector<std::string> protocols =
      only_v5 ? std::vector<std::string>{kV5} : std::vector<std::string>{kV5, kV4};
  auto socket = open_socket(client, path, query_of(request), protocols, deadline, stop);
  // An old server's kubelet refuses with a sentence of its own, whatever the status.
  if (!socket && only_v5 &&
      (socket.error().code() == Code::kUnsupported || contains(socket.error().message(), "not supported"))) {
    return fail(Code::kUnsupported,
                "the server cannot end a command's input (that takes v5.channel.k8s.io, Kubernetes 1.30), and this "
                "command needs its end: " +
                    socket.error().message());
  }
  return socket;
}

}  // namespace

Result<ExecOutcome> exec_in_pod(Client& client, const ExecRequest& request, const ExecOutput& output,
                                const std::stop_token& stop) {
  const std::string context = "exec in pod " + request.name_space + "/" + request.pod;
  const SteadyTime deadline = client.clock().after(request.timeout);
  TRY_ASSIGN(const std::unique_ptr<io::WebSocket> socket, context, open(client, request, deadline, stop));
  Session session(*socket, request, output, client.clock());
  auto outcome = session.run(deadline, stop);
  if (!outcome && outcome.error().code() == Code::kTimeout && client.clock().now() >= deadline) {
    return fail(Code::kTimeout, context + ": no result within " + format_go_duration(request.timeout) +
                                    "; the command may still be running");
  }
  TRY(context, outcome);
  return outcome;
}

}  // namespace landfall::kube
