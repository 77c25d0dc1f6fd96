// SPDX-License-Identifier: Apache-2.0
#include "driver/program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"

namespace tesserec::test {
namespace {

namespace fs = std::filesystem;

std::string variable_of(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: start the test by ctest");
  return value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

void redirect(int to, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(127);
}

/// Returns Open MPI's settings for many jobs on one machine (tests/mpi.sh).
const std::map<std::string, std::string>& one_machine() {
  static const std::map<std::string, std::string> all = {{"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                                         {"OMPI_MCA_ess_singleton_isolated", "1"},
                                                         {"OMPI_MCA_pml", "ob1"},
                                                         {"OMPI_MCA_btl", "self,vader"},
                                                         {"OMPI_MCA_odls_base_sigkill_timeout", "0"}};
  return all;
}

int messages(const std::string& err) {
  static const std::regex message("(^|\n)tesserec: ");
  return int(std::distance(std::sregex_iterator(err.begin(), err.end(), message), {}));
}

std::string line_of(const Arguments& arguments) {
  std::string line;
  for (const std::string& argument : arguments) line += " " + argument;
  return line;
}

}  // namespace

TestFolder::TestFolder() {
  std::string form = (fs::temp_directory_path() / "tesserec_program_XXXXXX").string();
  if (::mkdtemp(form.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + form);
  path_ = form;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TestFolder::write(const std::string& name, const std::string& text) const {
  const std::string path = *this / name;
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << std::regex_replace(text, std::regex("@"), path_);
  return path;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Outcome::value(const std::string& key) const {
  std::smatch found;
  const std::regex form("\"" + key + "\": (\"([^\"]*)\"|[^,}]*)");
  if (!std::regex_search(out, found, form)) return "";
  return found[2].matched ? found[2].str() : found[1].str();
}

Program::Program(const char* variable, int ranks) : path_(variable_of(variable)), ranks_(ranks) {}

Program Program::with(const std::string& name, const std::string& value) const {
  Program other = *this;
  other.environment_[name] = value;
  return other;
}

Program Program::with(const Arguments& arguments) const {
  Program other = *this;
  other.more_.insert(other.more_.end(), arguments.begin(), arguments.end());
  return other;
}

Outcome Program::run(const Arguments& arguments) const {
  const TestFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  Arguments words = {"timeout", "60"};
  if (ranks_ > 1) {
    for (const std::string& word : words_of(variable_of("LAUNCH"))) words.push_back(word);
    words.push_back(std::to_string(ranks_));
  }
  words.push_back(path_);
  for (const Arguments* some : {&arguments, &more_}) words.insert(words.end(), some->begin(), some->end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    for (const auto* some : {&one_machine(), &environment_})
      for (const auto& [name, value] : *some) ::setenv(name.c_str(), value.c_str(), 1);
    redirect(0, "/dev/null", O_RDONLY);
    redirect(1, out, O_WRONLY | O_CREAT);
    redirect(2, err, O_WRONLY | O_CREAT);
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of_file(out), text_of_file(err)};
}

Outcome Program::must_succeed(const std::string& part, const Arguments& arguments) const {
  const Outcome outcome = run(arguments);
  INFO(path_ << line_of(arguments) << "\n--- stdout:\n" << outcome.out << "\n--- stderr:\n" << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find(part) != std::string::npos);
  CHECK(messages(outcome.err) == 0);
  return outcome;
}

Outcome Program::must_fail(const std::string& part, const Arguments& arguments) const {
  const Outcome outcome = run(arguments);
  INFO(path_ << line_of(arguments) << "\n--- stdout:\n" << outcome.out << "\n--- stderr:\n" << outcome.err);
  CHECK(outcome.code == 2);
  CHECK(messages(outcome.err) == 1);
  CHECK(outcome.err.find(part) != std::string::npos);
  CHECK(outcome.out.empty());
  return outcome;
}

int ranks_of_test() { return std::stoi(variable_of("RANKS")); }

}  // namespace tesserec::test
