// SPDX-License-Identifier: Apache-2.0
/// A program as a user meets it: exit code, stdout and stderr, on one rank or several. For tests that start programs.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tesserec::test {

/// An empty folder that goes with this.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file, in folders that are made, with this folder's path for each '@'. Returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string text_of_file(const std::string& path);

/// Exit code and output of a program that ended.
struct Outcome {
  int code = 0;  ///< of the launcher on several ranks; 124: it ran for more than a minute
  std::string out = {}, err = {};

  /// Returns the number or text of the first key of this name in the JSON on stdout; "" where there is none.
  std::string value(const std::string& key) const;
};

using Arguments = std::vector<std::string>;

class Program {
 public:
  /// The program that the environment variable names, on so many ranks. One rank needs no launcher; else $LAUNCH.
  explicit Program(const char* variable, int ranks = 1);
  /// Sets an environment variable of its processes.
  Program with(const std::string& name, const std::string& value) const;
  /// Adds arguments that every call has at its end.
  Program with(const Arguments& arguments) const;

  /// Runs it without input; ends it after a minute.
  Outcome run(const Arguments& arguments) const;
  /// Checks that it ends with 0, says `part` on stdout and has no message of an error.
  Outcome must_succeed(const std::string& part, const Arguments& arguments) const;
  /// Checks that it ends with 2, with one message, which has `part`, and nothing on stdout.
  Outcome must_fail(const std::string& part, const Arguments& arguments) const;

 private:
  std::string path_;
  int ranks_;
  std::map<std::string, std::string> environment_;
  Arguments more_;
};

/// Returns the number of ranks that ctest asks for, $RANKS.
int ranks_of_test();

}  // namespace tesserec::test
