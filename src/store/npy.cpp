// SPDX-License-Identifier: Apache-2.0
// Heads of NumPy arrays: 0x93 "NUMPY", version (major, minor), the length of the text that follows (2 bytes; 4 from
// version 2), the text, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, and then the numbers.
#include <cstdint>
#include <cstring>
#include <limits>

#include "tensor_heads.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::store {
namespace {

/// Reader of the head's text, a Python dictionary of three members.
class HeadText {
 public:
  explicit HeadText(std::string_view text) : text_(text) {}

  /// Skips spaces, and takes the word if it comes next.
  bool takes(std::string_view word) {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void require(std::string_view word) {
    if (!takes(word)) fail("its head lacks ", word, " at byte ", at_, " of the text");
  }
  /// Takes a text in single quotes.
  std::string quoted() {
    require("'");
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) fail("its head has a text without an end");
    const std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }
  /// Takes "(3, 4)", "(3,)" or "()".
  std::vector<Index> shape() {
    std::vector<Index> extents;
    require("(");
    while (!takes(")")) {
      std::size_t end = at_;
      while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
      const auto extent = parse_number<Index>(text_.substr(at_, end - at_));
      if (!extent) fail("its head has a shape that is no list of numbers");
      extents.push_back(*extent);
      at_ = end;
      if (!takes(",")) {
        require(")");
        break;
      }
    }
    return extents;
  }
  bool at_end() { return takes("") && at_ == text_.size(); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

TensorType type_of(const std::string& descr) {
  if (descr == "<f4") return TensorType::fp32;
  if (descr == "<i8") return TensorType::int64;
  return descr == "<f2" ? TensorType::fp16 : TensorType::other;
}

/// Fills type and shape from the text. Throws Error without the path.
void read_text(std::string_view text, StoredTensor& tensor) {
  HeadText head(text);
  bool has_descr = false, has_order = false, has_shape = false;
  head.require("{");
  while (!head.takes("}")) {
    const std::string key = head.quoted();
    head.require(":");
    if (key == "descr" && !has_descr) {
      tensor.type_text = head.quoted();
      has_descr = true;
    } else if (key == "fortran_order" && !has_order) {
      if (!head.takes("False"))
        fail("it is in Fortran order, or its head is damaged; save numpy.ascontiguousarray(x) instead");
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      tensor.shape = head.shape();
      has_shape = true;
    } else {
      fail("its head has the key ", key, ", which is unknown or there twice");
    }
    if (!head.takes(",")) {
      head.require("}");
      break;
    }
  }
  if (!has_descr || !has_order || !has_shape) fail("its head lacks descr, fortran_order or shape");
  if (!head.at_end()) fail("its head has something behind the }");
}

}  // namespace

StoredTensor read_npy_head(const std::string& path, const std::string& name) {
  constexpr std::size_t longest = 1 << 20;  // bytes; heads of plain arrays have 118 or less
  const Index size = file_bytes(path);
  const std::string bytes = read_file(path, "the head", longest);
  StoredTensor tensor{.name = name, .path = path};
  try {
    if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) fail("it is no NumPy array");
    const int version = bytes[6];
    if (version < 1 || version > 3) fail("its format has version ", version, ", not 1, 2 or 3");
    std::uint32_t length = 0;
    const std::size_t begin = version == 1 ? 10 : 12;
    std::memcpy(&length, bytes.data() + 8, begin - 8);
    if (length > bytes.size() - begin) fail("its head would have ", length, " bytes; the file is truncated");
    read_text(std::string_view(bytes).substr(begin, length), tensor);
    tensor.type = type_of(tensor.type_text);
    tensor.offset = Index(begin + length);
    tensor.bytes = size - tensor.offset;
    if (tensor.type == TensorType::other) return tensor;
    const Index each = tensor.type_text.back() - '0';  // as in "<f4"
    if (bytes_of_shape(tensor.shape, each) != tensor.bytes)
      fail("shape ", shape_text(tensor.shape), " of ", tensor.type_text, " does not have the ", tensor.bytes,
           " bytes behind the head; the file is truncated, or was replaced");
  } catch (const Error& error) {
    fail(path, ": ", error.what());
  }
  return tensor;
}

}  // namespace tesserec::store
