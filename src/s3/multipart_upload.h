#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "extension/object_store.h"
#include "s3/client.h"
#include "s3/part_reader.h"
#include "s3/upload.h"

namespace landfall::s3 {

// One object in parts: the caller's thread reads them, threads of its own send several at a time, each tried again by
// itself. The object appears with the last step, so a failure shows nothing; what has been sent until then is aborted.
// Used once, by one thread.
class MultipartUpload {
 public:
  MultipartUpload(Client& client, std::string key, const extension::PutOptions& options);
  // `first` has been read already.
  Status run(std::string first, PartReader& rest, const std::stop_token& stop);

 private:
  struct Part {
    int number = 0;
    std::string bytes;
  };
  struct SentPart {
    int number = 0;
    std::string etag;
    std::string checksum;
  };
  struct State {
    std::deque<Part> waiting;
    std::size_t held = 0;      // parts in memory, waiting or being sent
    bool is_complete = false;  // no more will come
    std::optional<Error> failure;
    std::vector<SentPart> sent;
  };

  Status begin(const std::stop_token& stop);
  Status send_parts(std::string first, PartReader& rest, const std::stop_token& stop);
  Status feed(std::string first, PartReader& rest, const std::stop_token& stop);
  Status wait_for_room(std::size_t next_size, const std::stop_token& stop);
  void push(std::string bytes);
  void work(std::stop_source& failed);
  Result<SentPart> send(const Part& part, const std::stop_token& stop) const;
  Status finish(const std::stop_token& stop);
  std::string manifest() const;
  void abort(bool is_stopped);

  Client& client_;
  const std::string key_;
  const extension::PutOptions options_;
  const UploadMark mark_;
  std::string upload_id_;
  int last_number_ = 0;
  Monitor<State> state_;
};

// Takes back an upload that was begun; one that is gone is no error.
Status abort_upload(Client& client, const std::string& key, const std::string& upload_id, SteadyTime deadline,
                    const std::stop_token& stop);

}  // namespace landfall::s3
