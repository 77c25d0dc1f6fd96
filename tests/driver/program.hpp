// SPDX-License-Identifier: Apache-2.0
/// A program as its user sees it: exit code, stdout and stderr, on one rank or several.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tesserec::test {

/// An empty folder that the destructor removes.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file, makes its folders, and replaces each '@' by this folder's path. Returns the file's path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string text_of_file(const std::string& path);

/// Exit code and output of a program that has ended.
struct Outcome {
  int code = 0;  ///< of the launcher if there are several ranks; 124: the program ran for more than a minute
  std::string out = {}, err = {};

  /// Returns the number or text of the first key of this name in the JSON on stdout; "" if there is none.
  std::string value(const std::string& key) const;
};

using Arguments = std::vector<std::string>;

class Program {
 public:
  /// Selects the program in an environment variable and the number of ranks. Several ranks use the launcher $LAUNCH.
  explicit Program(const char* variable, int ranks = 1);
  /// Sets an environment variable of the program's processes.
  Program with(const std::string& name, const std::string& value) const;
  /// Appends arguments to those of every call.
  Program with(const Arguments& arguments) const;

  /// Runs the program without input and ends it after a minute.
  Outcome run(const Arguments& arguments) const;
  /// Checks that the program exits with 0, prints `part` on stdout and prints no error.
  Outcome must_succeed(const std::string& part, const Arguments& arguments) const;
  /// Checks that the program exits with 2 and one error, which contains `part`, and prints nothing on stdout.
  Outcome must_fail(const std::string& part, const Arguments& arguments) const;

 private:
  std::string path_;
  int ranks_;
  std::map<std::string, std::string> environment_;
  Arguments more_;
};

/// Returns the number of ranks that ctest sets in $RANKS.
int ranks_of_test();

}  // namespace tesserec::test
