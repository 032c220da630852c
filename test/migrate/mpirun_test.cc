// Command lines as the vendors' manuals have them: Open MPI's mpirun(1) of 3, 4 and 5, MPICH's "Using the
// Hydra Process Manager", Intel MPI's developer reference.
#include "fluxhook/base/shell_words.h"
#include "migrate/mpirun.h"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "fluxhook/base/text.h"

namespace {

using namespace fluxhook;
using migrate::Mpi;
using migrate::MpiLine;
using Words = std::vector<std::string>;
using Env = std::vector<std::pair<std::string, std::optional<std::string>>>;

MpiLine read(std::string_view text, Mpi mpi = Mpi::kOpenMpi) {
  const auto line = migrate::read_mpirun(*split_shell_words(text), mpi);
  INFO(text);
  REQUIRE(line);
  return *line;
}

std::string fault(std::string_view text, Mpi mpi = Mpi::kOpenMpi) {
  const auto line = migrate::read_mpirun(*split_shell_words(text), mpi);
  return line ? std::string() : line.error().what;
}

Env env_of(const MpiLine& line) {
  Env env;
  for (const MpiLine::Variable& variable : line.env)
    env.emplace_back(variable.name, variable.value);
  return env;
}

TEST_CASE("what starts MPI programs is known by its name, in any folder", "[migrate]") {
  for (const auto* word :
       {"mpirun", "mpiexec", "/usr/bin/mpiexec.hydra", "/opt/openmpi/bin/orterun", "prterun"})
    CHECK(migrate::is_mpirun(word));
  for (const auto* word : {"bash", "horovodrun", "mpirun.sh", "/mpirun/app", "", "srun"})
    CHECK_FALSE(migrate::is_mpirun(word));
}

TEST_CASE("the number of tasks is -np, -n or -c of Open MPI, with one dash or two", "[migrate]") {
  for (const auto* text : {"mpirun -np 8 app", "mpirun --np 8 app", "mpirun -n 8 app", "mpirun --n 8 app",
                           "mpirun -c 8 app", "mpirun --np=8 app"}) {
    const MpiLine line = read(text);
    CHECK(line.tasks == 8);
    CHECK(line.program == Words{"app"});
  }
  CHECK_FALSE(read("mpirun app").tasks);
}

TEST_CASE("options behind the program are the program's", "[migrate]") {
  const MpiLine line = read("mpirun -n 2 ./app -n 7 --map-by slot -x");
  CHECK(line.program == Words{"./app", "-n", "7", "--map-by", "slot", "-x"});
  CHECK(line.program_word == 3);
  CHECK(line.tasks == 2);
}

TEST_CASE("tasks a node are -N, -npernode, -pernode and ppr:N:node of Open MPI", "[migrate]") {
  CHECK(read("mpirun -N 4 app").tasks_per_node == 4);
  CHECK(read("mpirun --npernode 4 app").tasks_per_node == 4);
  CHECK(read("mpirun -pernode app").tasks_per_node == 1);
  CHECK(read("mpirun --map-by ppr:4:node app").tasks_per_node == 4);
  CHECK_FALSE(read("mpirun --map-by node app").tasks_per_node);
}

TEST_CASE("tasks on each socket are for somebody to decide", "[migrate]") {
  const MpiLine line = read("mpirun --map-by ppr:2:socket app");
  REQUIRE(line.remarks.size() == 1);
  CHECK(line.remarks[0].fate == migrate::Fate::kDecide);
  CHECK(line.remarks[0].word == 1);
}

TEST_CASE("cores of a task are the modifier PE and --cpus-per-rank", "[migrate]") {
  CHECK(read("mpirun --map-by slot:PE=4 app").cores_per_task == 4);
  const MpiLine line = read("mpirun --map-by ppr:2:node:PE=8:OVERSUBSCRIBE app");
  CHECK(line.cores_per_task == 8);
  CHECK(line.tasks_per_node == 2);
  CHECK(read("mpirun --cpus-per-rank 3 app").cores_per_task == 3);
}

TEST_CASE("a variable is exported, or set, by -x", "[migrate]") {
  CHECK(env_of(read("mpirun -x PATH -x A=1 -x B=x=y -x C= app")) ==
        Env{{"PATH", std::nullopt}, {"A", "1"}, {"B", "x=y"}, {"C", ""}});
  CHECK_FALSE(read("mpirun app").hands_on_env);
}

TEST_CASE("MPI's own MCA parameters become variables, and those of the launcher go", "[migrate]") {
  const MpiLine line =
      read("mpirun -mca pml ob1 --mca btl ^openib -gmca plm_rsh_agent ssh --prtemca ras x app");
  CHECK(env_of(line) == Env{{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "^openib"}});
  CHECK(std::ranges::count(line.remarks, migrate::Fate::kDropped, &MpiLine::Remark::fate) == 2);
}

TEST_CASE("host files and hosts are dropped with a word", "[migrate]") {
  for (const auto* text : {"mpirun --hostfile f app", "mpirun -machinefile f app", "mpirun -H a,b app",
                           "mpirun --host a:2 app", "mpirun --default-hostfile f app"}) {
    const MpiLine line = read(text);
    REQUIRE(line.remarks.size() == 1);
    CHECK(line.remarks[0].fate == migrate::Fate::kDropped);
    CHECK(line.program == Words{"app"});
  }
}

TEST_CASE("time limit, ranks before lines, binding off and directory have their like in flux run",
          "[migrate]") {
  const MpiLine line = read("mpirun --timeout 60 --tag-output --bind-to none -wdir /w app");
  CHECK(line.run_options == Words{"-t", "60s", "-l", "-o", "cpu-affinity=off"});
  CHECK(line.directory == "/w");
}

TEST_CASE("Hydra's tasks, tasks a node and variables, of MPICH and Intel MPI", "[migrate]") {
  CHECK(read("mpiexec -n 4 app", Mpi::kHydra).tasks == 4);
  CHECK(read("mpiexec -np 4 app", Mpi::kHydra).tasks == 4);
  for (const auto* text : {"mpirun -ppn 2 app", "mpirun -perhost 2 app", "mpirun -grr 2 app"})
    CHECK(read(text, Mpi::kHydra).tasks_per_node == 2);
  const MpiLine line = read("mpirun -genv A 1 -genv B=2 -env C 3 app", Mpi::kHydra);
  CHECK(env_of(line) == Env{{"A", "1"}, {"B", "2"}, {"C", "3"}});
  CHECK(line.program == Words{"app"});
}

TEST_CASE("Hydra hands on the whole environment, unless a list says which variables, or none", "[migrate]") {
  CHECK(read("mpirun app", Mpi::kHydra).hands_on_env);
  CHECK(read("mpirun -genvall app", Mpi::kHydra).hands_on_env);
  CHECK_FALSE(read("mpirun -genvnone app", Mpi::kHydra).hands_on_env);
  const MpiLine line = read("mpirun -genvlist A,B app", Mpi::kHydra);
  CHECK_FALSE(line.hands_on_env);
  CHECK(env_of(line) == Env{{"A", std::nullopt}, {"B", std::nullopt}});
}

TEST_CASE("the vendors' options are not each other's", "[migrate]") {
  CHECK(fault("mpirun -ppn 2 app").contains("\"-ppn\""));
  CHECK(fault("mpirun -x A=1 app", Mpi::kHydra).contains("\"-x\""));
}

TEST_CASE("what can't be read for certain is a fault that names the option", "[migrate]") {
  CHECK(fault("mpirun --no-such-thing app").contains("\"--no-such-thing\" is not known"));
  CHECK(fault("mpirun -np four app").contains("\"four\""));
  for (const auto* text : {"mpirun -np 0 app", "mpirun -np '$(TASKS)' app",
                           "mpirun -np 99999999999999999999 app", "mpirun -np 2147483648 app"})
    CHECK(fault(text).contains("no number from 1 to 2147483647"));
  CHECK(read("mpirun -np 2147483647 app").tasks == 2147483647);
  CHECK(fault("mpirun --timeout 1h app").contains(R"(of its option "--timeout" is no number from 1 to)"));
  CHECK(fault("mpirun -x '' app").contains(R"(its option "-x" names no variable: "")"));
  CHECK(fault("mpirun -x =1 app").contains("names no variable"));
  CHECK(fault("mpirun -genvlist A,,B app", Mpi::kHydra).contains("names no variable"));
  CHECK(fault("mpirun '' ./a").contains("the program's name is empty"));
  CHECK(fault("mpirun -np").contains("a value is missing"));
  CHECK(fault("mpirun -np 4").contains("starts no program"));
  CHECK(fault("mpirun").contains("starts no program"));
  CHECK(fault("mpirun -np 1 a : -np 2 b").contains("several programs"));
  CHECK(fault("mpirun --allow-run-as-root=yes app").contains("not known"));
}

} // namespace
