#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "s3/credentials.h"
#include "s3/ini.h"
#include "s3/sts.h"

namespace landfall::s3 {

// A profile of a shared credentials file: keys of a user, a role taken with the keys of another profile, or a role
// taken with a web identity. The file is looked at again all the time, because Secrets that are mounted change under
// us; what is in it while it is being replaced does not count.
class ProfileCredentials final : public CredentialsSource {
 public:
  // Fails when the file cannot be read or the profile is of no use; the message names both.
  static Result<std::shared_ptr<ProfileCredentials>> open(std::string path, std::string profile,
                                                          std::shared_ptr<Sts> sts, Clock& clock);

  // Nothing is read yet: use open().
  ProfileCredentials(std::string path, std::string profile, std::shared_ptr<Sts> sts, Clock& clock);

  Result<Credentials> get(const std::stop_token& stop) override;
  void refused(const Credentials& credentials) override;

 private:
  struct State {
    std::string text;  // of the file, as it was when `source` was made from it
    std::shared_ptr<CredentialsSource> source;
    SteadyTime look_again = SteadyTime::min();
  };
  Status reload();
  Result<std::shared_ptr<CredentialsSource>> source_from(const std::string& text) const;

  const std::string path_;
  const std::string profile_;
  const std::shared_ptr<Sts> sts_;
  Clock& clock_;
  Guarded<State> state_;
};

}  // namespace landfall::s3
