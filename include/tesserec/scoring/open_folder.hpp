// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <tesserec/scoring/model_folder.hpp>

namespace tesserec::scoring {

/// Files of a model folder that is open. Its rows, ids and vocabularies are mapped, so the files must stay as they are.
class OpenFolder {
 public:
  /// Notes the sizes and times of the files, before the model is opened. Throws Error if the manifest is damaged or a
  /// file is missing.
  explicit OpenFolder(std::string folder);

  /// Looks at the files again. Throws Error that names a file whose content was changed. Warns once if a file was
  /// replaced by another or removed, since the model then keeps the one that it has mapped.
  void look();
  /// Compares the tables' rows with their checksums. Returns false if ends() returned true before the end, or a file
  /// was replaced. Throws Error that names a damaged file.
  bool verify_rows(const std::function<bool()>& ends) const;

 private:
  struct NotedFile {
    std::string path;
    struct stat status;
  };
  void note(const std::string& name);

  std::string folder_;
  ModelManifest manifest_;
  std::vector<NotedFile> files_;
  bool warned_ = false;
};

}  // namespace tesserec::scoring
