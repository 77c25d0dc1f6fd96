// SPDX-License-Identifier: Apache-2.0
// A strict reader of pages: a test fails unless a page is well-formed XML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catch.hpp"

struct Element {
  std::string name, text;  ///< text directly inside
  std::map<std::string, std::string> attributes;
  std::vector<std::string> inside;  ///< names of the enclosing elements, outermost first
  bool has_class(const std::string& css) const {
    const auto found = attributes.find("class");
    return found != attributes.end() && (" " + found->second + " ").find(" " + css + " ") != std::string::npos;
  }
};

/// Returns text with its entities replaced. An & that begins none of XML's entities fails the test.
inline std::string plain(const std::string& text) {
  static const std::map<std::string, std::string> entities = {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}};
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '&') {
      result += text[i];
      continue;
    }
    const std::size_t end = text.find(';', i);
    REQUIRE(end != std::string::npos);
    REQUIRE(entities.count(text.substr(i + 1, end - i - 1)) == 1);
    result += entities.at(text.substr(i + 1, end - i - 1));
    i = end;
  }
  return result;
}

/// Returns all elements of a page in the order of their ends.
inline std::vector<Element> elements_of(const std::string& page) {
  const std::string head = "<!DOCTYPE html>\n";
  REQUIRE(page.compare(0, head.size(), head) == 0);
  std::vector<Element> done, open;
  std::size_t at = head.size();
  while (at < page.size()) {
    const std::size_t tag = page.find('<', at);
    const std::string text = page.substr(at, tag == std::string::npos ? tag : tag - at);
    if (open.empty() || tag == std::string::npos) REQUIRE(text.find_first_not_of("\n") == std::string::npos);
    if (tag == std::string::npos) break;
    if (!open.empty()) open.back().text += open.back().name == "style" ? text : plain(text);
    std::size_t end = page.find('>', tag);
    REQUIRE(end != std::string::npos);
    if (page[tag + 1] == '/') {
      REQUIRE(!open.empty());
      REQUIRE(page.substr(tag + 2, end - tag - 2) == open.back().name);
      done.push_back(open.back());
      open.pop_back();
    } else {
      const bool empty = page[end - 1] == '/';
      std::size_t i = page.find_first_of(" />", tag + 1);
      Element element{page.substr(tag + 1, i - tag - 1), "", {}, {}};
      for (const Element& around : open) element.inside.push_back(around.name);
      while (page[i] == ' ') {
        const std::size_t equals = page.find("=\"", i), quote = page.find('"', equals + 2);
        REQUIRE(quote < end);
        const std::string name = page.substr(i + 1, equals - i - 1);
        REQUIRE(element.attributes.emplace(name, plain(page.substr(equals + 2, quote - equals - 2))).second);
        i = quote + 1;
      }
      REQUIRE((page[i] == '>' || page.compare(i, 2, "/>") == 0));
      (empty ? done : open).push_back(element);
    }
    at = end + 1;
  }
  REQUIRE(open.empty());
  return done;
}
