// SPDX-License-Identifier: Apache-2.0
/// Options of the tables and owners of the pieces during a search, with the load of every rank.
#pragma once

#include "problem.hpp"

namespace tesserec::planning {

class Assignment {
 public:
  explicit Assignment(const Problem& problem);

  /// Piece of a table.
  struct At {
    std::size_t table = 0;
    std::size_t piece = 0;
  };

  const Problem& problem() const { return problem_; }
  int ranks() const { return problem_.ranks; }
  const Choice& choice(std::size_t table) const { return choices_[table]; }
  const std::vector<Choice>& choices() const { return choices_; }
  const Option& option(std::size_t table) const { return problem_.options[table][choices_[table].option]; }
  const Load& piece(const At& at) const { return option(at.table).pieces[at.piece]; }
  double load(int rank) const { return common_.seconds + own_[rank].seconds; }
  bool fits(int rank, double bytes) const;
  bool holds(std::size_t table, int rank) const;
  int slowest() const;
  int fullest() const;
  const std::vector<At>& pieces_on(int rank) const { return pieces_[rank]; }
  Score score() const;
  /// Returns the seconds that all ranks together have left below `worst`.
  double slack(double worst) const;

  /// Chooses the option for a table that has none. Puts each piece on the least loaded rank where it fits.
  void place(std::size_t table, std::size_t option);
  void put(std::size_t table, Choice choice);
  void remove(std::size_t table);
  void move(const At& at, int rank);

 private:
  void add_piece(const At& at);
  void remove_piece(const At& at);
  void place_anywhere(const Option& option, std::vector<int>& owners) const;
  void place_on_nodes(const Option& option, std::vector<int>& owners) const;

  const Problem& problem_;
  std::vector<Choice> choices_;
  std::vector<Load> own_;                            // [rank]
  std::vector<std::vector<At>> pieces_;              // [rank]
  std::vector<std::vector<std::size_t>> positions_;  // [table][piece] index in pieces_[owner]
  Load common_;
};

/// Improves an assignment by moves, swaps and changes of options that each relieve the worst rank. Stops if the worst
/// load is within close_enough of `bound`.
void lighten(Assignment& assignment, double bound, int max_rounds);

}  // namespace tesserec::planning
