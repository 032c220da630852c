#include "fluxhook/certs/keeper.h"

#include <algorithm>
#include <format>

#include "fluxhook/kube/backoff.h"
#include "fluxhook/kube/object.h"

namespace fluxhook::certs {

namespace {

using kube::ApiError;
using kube::ErrorKind;

constexpr int kTries = 5; ///< of a look that others come between
/// Between two looks when something is wrong. Meanwhile the server isn't ready, and labelled JobSets are
/// refused.
constexpr std::chrono::seconds kMostWait{10};

} // namespace

Keeper::Keeper(kube::Client& client, KeeperOptions options) : client_(client), options_(std::move(options)) {}

void Keeper::run(const std::stop_token& stop) {
  kube::Backoff backoff(std::chrono::milliseconds(800), kMostWait);
  while (!stop.stop_requested()) {
    const bool well = look(stop);
    if (well) backoff.reset();
    const auto wait = well ? options_.period : std::min(backoff.next(), options_.period);
    if (!options_.sleep(wait, stop)) return;
  }
}

bool Keeper::look(const std::stop_token& stop) {
  for (int tries = 0; tries < kTries; ++tries) {
    const Done done = look_once(stop);
    if (stop.stop_requested()) return false;
    if (done == Done::kAgain) continue;
    troubles_.erase("race");
    return done == Done::kWell;
  }
  trouble("race", "others keep changing the Secret or the webhook configurations: looking again soon", {});
  return false;
}

// The configurations are read before the Secret, and written only as they were read: so nobody can take back,
// by an older Secret that it still has in mind, what another replica has just let them trust.
Keeper::Done Keeper::look_once(const std::stop_token& stop) {
  for (const WebhookKind kind : kBothKinds)
    configurations_.insert_or_assign(kind, read_configuration(client_, kind, options_.name, stop));
  const Agreed agreed = agree(stop);
  if (agreed.done == Done::kAgain) return agreed.done;
  Done done = agreed.done;
  for (const WebhookKind kind : kBothKinds) {
    if (!agreed.known) break; // what is remembered may be older than what others have written
    const Done right = put_right(kind, stop);
    if (right == Done::kAgain) return right;
    done = std::max(done, right);
  }
  if (stop.stop_requested()) return Done::kTrouble;
  hand_over();
  judge();
  return done;
}

/// Makes record_ what the Secret has, once that is in order.
Keeper::Agreed Keeper::agree(const std::stop_token& stop) {
  const auto text =
      client_.get(kube::path_of({"", "v1", "secrets"}, options_.name_space, secret_name()), stop);
  if (!text && text.error().kind != ErrorKind::kNotFound)
    return {trouble("secret", "the Secret of the certificate can't be read", text.error())};
  std::optional<StoredSecret> stored;
  if (text) {
    auto read = read_secret(*text);
    if (!read) return {trouble("secret", secret_name() + ": " + read.error().what, {})};
    if (!read->manager.empty())
      return {trouble("secret",
                      std::format("the Secret {} belongs to {}: mount it, and serve with --tls-cert and "
                                  "--tls-key, or choose another --name",
                                  secret_name(), read->manager),
                      {})};
    stored = std::move(*read);
  }
  const auto names = service_names(options_.name, options_.name_space, options_.cluster_domain);
  const Decision decision = decide(stored ? stored->record : Record(), names, options_.now());
  const bool usable = stored && !decision.broken && !stored->record.authorities.empty();
  if (decision.step != Step::kNothing) {
    const Done written = write(stored, decision, stop);
    if (written == Done::kTrouble && usable) record_ = stored->record; // it will do for now
    return {written, written == Done::kWell || usable};
  }
  if (stored) record_ = stored->record;
  troubles_.erase("secret");
  return {Done::kWell, true};
}

Keeper::Done Keeper::write(const std::optional<StoredSecret>& stored, const Decision& decision,
                           const std::stop_token& stop) {
  const Time now = options_.now();
  Record base = stored ? stored->record : Record();
  // Other replicas may serve what the lost CA has signed for a while.
  if (trusted(base, now).empty()) base.authorities = record_.authorities;
  const auto names = service_names(options_.name, options_.name_space, options_.cluster_domain);
  const auto renewed = renew(base, decision.step, names, now);
  if (!renewed) return trouble("secret", "no certificate can be made", {.message = renewed.error().text()});
  const kube::Resource secrets{"", "v1", "secrets"};
  const auto written =
      stored ? client_.update(kube::path_of(secrets, options_.name_space, secret_name()),
                              with_record(*stored, *renewed), {}, stop)
             : client_.create(kube::path_of(secrets, options_.name_space),
                              new_secret(secret_name(), options_.name_space, *renewed), {}, stop);
  if (!written) {
    const ErrorKind kind = written.error().kind;
    const bool other = kind == ErrorKind::kConflict || kind == ErrorKind::kAlreadyExists ||
                       (stored && kind == ErrorKind::kNotFound);
    if (other) return Done::kAgain;
    return trouble("secret", "the Secret of the certificate can't be written", written.error());
  }
  record_ = *renewed;
  troubles_.erase("secret");
  const std::string_view what =
      decision.step == Step::kAuthority ? "a new CA and a certificate of it" : "a new certificate";
  options_.log({decision.broken ? Note::Level::kWarn : Note::Level::kInfo,
                std::format("{} written to the Secret", what),
                {{"secret", secret_name()},
                 {"reason", stored || decision.broken ? decision.reason : "there is no Secret"},
                 {"not_after", utc(describe(record_.serving.certificate)->validity.to)}}});
  return Done::kWell;
}

/// Makes one configuration trust record_'s authorities.
Keeper::Done Keeper::put_right(WebhookKind kind, const std::stop_token& stop) {
  const std::string about = call_it(kind, options_.name);
  auto& read = configurations_.at(kind);
  if (!read && read.error().kind == ErrorKind::kNotFound)
    return trouble(about, about + " is not there yet: looking for it", {});
  if (!read) return trouble(about, about + " can't be read", read.error());
  for (const Webhook& webhook : read->webhooks)
    if (!calls(webhook, options_.name, options_.name_space))
      return trouble(about,
                     std::format("{}: its webhook {} calls the Service {} and not {}/{}: left alone", about,
                                 webhook.name, webhook.service_namespace + "/" + webhook.service,
                                 options_.name_space, options_.name),
                     {});
  const std::string authorities = trusted(record_, options_.now());
  const bool trusted_before = trusted_[kind] == authorities;
  trusted_[kind] = authorities;
  if (!trusts(*read, authorities)) {
    if (const auto set = set_ca_bundle(client_, *read, authorities, stop); !set) {
      trusted_[kind].clear();
      if (set.error().kind == ErrorKind::kConflict || set.error().kind == ErrorKind::kNotFound)
        return Done::kAgain;
      return trouble(about, about + ": its caBundle can't be written", set.error());
    }
    options_.log(
        {trusted_before ? Note::Level::kWarn : Note::Level::kInfo,
         trusted_before ? "the caBundle was changed by somebody else: put right" : "caBundle written",
         {{"configuration", about}}});
  }
  troubles_.erase(about);
  return Done::kWell;
}

/// Serves what the Secret has, unless callers would trust it less than what is served.
void Keeper::hand_over() {
  const Pair& next = record_.serving;
  if (next.certificate.empty() || served_ == next) return;
  const bool vouched = std::ranges::all_of(kBothKinds, [&](WebhookKind kind) {
    const auto& read = configurations_.at(kind);
    return read && vouches_for(*read, next.certificate);
  });
  const bool same_authority = served_ && has_signed(record_.authorities, served_->certificate);
  const bool nothing_to_lose = !served_ || describe(served_->certificate)->validity.to < options_.now();
  if (!vouched && !same_authority && !nothing_to_lose) return;
  if (options_.serve(next)) served_ = next;
}

/// Why a configuration may not vouch for what is served; "" when it does.
std::string Keeper::doubt_about(WebhookKind kind) {
  const auto& read = configurations_.at(kind);
  if (read) seen_.insert_or_assign(kind, *read);
  else if (read.error().kind == ErrorKind::kNotFound) seen_.erase(kind);
  // One that can't be read now is taken to be as it was.
  const auto seen = seen_.find(kind);
  if (served_ && seen != seen_.end() && vouches_for(seen->second, served_->certificate)) return {};
  const std::string about = call_it(kind, options_.name);
  if (const auto found = troubles_.find(about); found != troubles_.end()) return found->second;
  if (!read) return about + " can't be read: " + read.error().text();
  return about + " does not trust the certificate that is served";
}

void Keeper::judge() {
  std::string doubt;
  if (!served_) {
    doubt = "there is no certificate yet";
    if (const auto found = troubles_.find("secret"); found != troubles_.end()) doubt += ": " + found->second;
  }
  for (const WebhookKind kind : kBothKinds)
    if (doubt.empty()) doubt = doubt_about(kind);
  if (doubt_ == doubt) return;
  doubt_ = doubt;
  options_.doubt(doubt);
}

/// Logs it, once as long as it stays the same.
Keeper::Done Keeper::trouble(const std::string& about, const std::string& message, const ApiError& error) {
  if (error.kind == ErrorKind::kStopped) return Done::kTrouble;
  const std::string reason = error.text();
  const std::string text = reason.empty() ? message : message + ": " + reason;
  if (troubles_[about] == text) return Done::kTrouble;
  troubles_[about] = text;
  Note note{Note::Level::kWarn, message, {}};
  if (!reason.empty()) note.fields.emplace_back("reason", reason);
  options_.log(note);
  return Done::kTrouble;
}

} // namespace fluxhook::certs
