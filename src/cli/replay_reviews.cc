#include "cli/replay_reviews.h"

#include <filesystem>
#include <format>
#include <iterator>
#include <map>
#include <utility>

#include "cli/input.h"
#include "fluxhook/manifest/reader.h"
#include "fluxhook/manifest/writer.h"

namespace fluxhook::cli {

namespace {

using manifest::Node;

constexpr std::string_view kApiVersion = "admission.k8s.io/v1";

/// The AdmissionReviews of one PATH.
class ReviewReader : public InputHandler {
public:
  ReviewReader(std::vector<Recorded>& reviews, Context& context) : reviews_(reviews), context_(context) {}

  void take(const std::string& file, manifest::Document& document) override {
    for (const Node* object : manifest::objects(document.root))
      take_object(file, *object);
  }

private:
  void take_object(const std::string& file, const Node& object) {
    const std::string place = manifest::place(file, object.at);
    if (object.get("kind") != "AdmissionReview" || object.get("apiVersion") != kApiVersion)
      return context_.report({place, std::format("is no AdmissionReview of {}", kApiVersion)});
    const Node* const request = object.find("request");
    if (request == nullptr || request->get("uid").empty())
      return context_.report({place, "has no request with a uid: an answer is no review"});
    reviews_.push_back({file, object.at, std::string(request->get("uid")), manifest::to_json(object), {}});
  }

  std::vector<Recorded>& reviews_;
  Context& context_;
};

/// The answers of a file.
class AnswerReader : public InputHandler {
public:
  explicit AnswerReader(Context& context) : context_(context) {}

  void take(const std::string& file, manifest::Document& document) override {
    const Node& root = document.root;
    if (root.get("kind") != "AdmissionReview" || root.find("response") == nullptr)
      return context_.report({manifest::place(file, root.at), "is no AdmissionReview with a response"});
    answers.push_back(manifest::to_json(root));
  }

  std::vector<std::string> answers;

private:
  Context& context_;
};

/// How a file is called below the folder that it was found in.
std::string name_below(const std::string& path, const std::string& file) {
  const std::filesystem::path whole(file);
  std::error_code fault;
  if (!std::filesystem::is_directory(path, fault)) return whole.filename();
  return whole.lexically_relative(path);
}

/// Gives each of the reviews, all of one file, its answer.
void add_answers(std::span<Recorded> reviews, const std::string& answer_file, Context& context) {
  AnswerReader reader(context);
  read_input({answer_file}, {}, context, reader);
  if (context.exit != kDone) return;
  if (reader.answers.size() != reviews.size())
    return context.report(
        {answer_file, std::format("has {} answers, and {} has {} reviews", reader.answers.size(),
                                  reviews.front().file, reviews.size())});
  for (std::size_t i = 0; i < reviews.size(); ++i)
    reviews[i].expected = std::move(reader.answers[i]);
}

} // namespace

std::optional<std::vector<Recorded>> read_reviews(const std::vector<std::string>& paths,
                                                  const std::string& expect, Context& context) {
  std::vector<Recorded> reviews;
  std::map<std::string, std::string> answered; // answers' file: the reviews' file
  for (const std::string& path : paths) {
    ReviewReader reader(reviews, context);
    std::size_t first = reviews.size();
    read_input({path}, {}, context, reader);
    while (!expect.empty() && context.exit == kDone && first < reviews.size()) {
      const std::string& file = reviews[first].file;
      std::size_t end = first;
      while (end < reviews.size() && reviews[end].file == file)
        ++end;
      const std::string answers = std::filesystem::path(expect) / name_below(path, file);
      const auto [other, is_new] = answered.try_emplace(answers, file);
      if (!is_new) {
        context.report(
            {answers, std::format("would have the answers of {} and of {}: give the folder above them",
                                  other->second, file)});
        break;
      }
      add_answers(std::span(reviews).subspan(first, end - first), answers, context);
      first = end;
    }
  }
  if (context.exit != kDone) return std::nullopt;
  return reviews;
}

} // namespace fluxhook::cli
