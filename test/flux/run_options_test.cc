#include "flux/run_options.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <vector>

using fluxhook::flux::check_run_options;

namespace {

using namespace std::string_literals;
using OptionNames = std::vector<std::string>;

// The options of flux-core 0.88's src/bindings/python/flux/cli/{base,run}.py, by what they take.
const OptionNames kValued{"--add-file", "--begin-time", "--cwd",    "--dependency", "--env",
                          "--env-file", "--env-remove", "--error",  "--flags",      "--input",
                          "--job-name", "--output",     "--queue",  "--requires",   "--rlimit",
                          "--setattr",  "--setopt",     "--signal", "--taskmap",    "--time-limit",
                          "--urgency",  "--wait-event", "-o",       "-q",           "-t"};
const OptionNames kNumbered{
    "--cores-per-task", "--gpus-per-task", "--nodes", "--ntasks", "-N", "-c", "-g", "-n"};
const OptionNames kAlone{"--debug-emulate", "--exclusive", "--label-io", "--quiet", "--unbuffered",
                         "--verbose",       "-l",          "-u",         "-v",      "-x"};
const OptionNames kRunsNothing{"--dry-run", "--help", "-h"};
const OptionNames kPerResource{"--cores", "--gpus-per-node", "--tasks-per-core", "--tasks-per-node"};

std::string said(const std::string& word, std::string_view what) {
  return "\"" + word + "\" " + std::string(what);
}

} // namespace

TEST_CASE("an option of flux run that has a value takes the next word, or what stands at it", "[flux]") {
  for (const OptionNames* options : {&kValued, &kNumbered}) {
    for (const auto& option : *options) {
      CAPTURE(option);
      CHECK(check_run_options({option}) == said(option, "needs a value"));
      CHECK(check_run_options({option, "1"}).empty());
      CHECK(check_run_options({option + "=1"}).empty());
      CHECK(check_run_options({option, "a"}) == (options == &kValued ? ""s : said(option, "needs a number")));
    }
  }
}

TEST_CASE("an option of flux run that has no value leaves the next word alone", "[flux]") {
  for (const auto& option : kAlone) {
    CAPTURE(option);
    CHECK(check_run_options({option}).empty());
    CHECK(check_run_options({option, "a"}) == said("a", "is no option: flux run would run it"));
  }
}

TEST_CASE("options of flux run that run nothing, or that exclude -n", "[flux]") {
  for (const auto& option : kRunsNothing)
    CHECK(check_run_options({option}) == said(option, "does not run the job"));
  for (const auto* option : {"--dry-run", "--help", "--quiet"})
    CHECK(check_run_options({option + "=1"s}) == said(option, "takes no value"));
  for (const auto& option : kPerResource)
    CHECK(check_run_options({option, "1"}) ==
          said(option, "can't be used with the -n that fluxhook gives flux run"));
}

// As argparse of Python 3.11 has it, which flux run reads its words with.
TEST_CASE("a value of an option of flux run may begin with - where it is a number or has a blank", "[flux]") {
  for (const auto* value : {"-1", "-1.5", "-.5", "-", "-a b", "-5 x", "--later=a b", "--env b", "a -v"}) {
    CAPTURE(value);
    CHECK(check_run_options({"-o", value}).empty());
  }
  for (const auto* option : {"-v", "-1.", "-1.5.2", "-v b", "--env=a b", "--verb=a b", "--later", "-1a"}) {
    CAPTURE(option);
    CHECK(check_run_options({"-o", option}) == said("-o", "needs a value"));
  }
}
