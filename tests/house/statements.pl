#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# statements.pl FILE...: prints "file:line: what" for each statement of C++ with two conditional operators, one inside the
# other or beside it, and for each that strings expressions together with commas.
use strict;
use warnings;

my $blank = sub { my $text = shift; $text =~ tr/\n/ /c; return $text };
my $not_code = qr{R"([^(]*)\(.*?\)\g{-1}" | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Za-z])'(?:\\.|[^'\\\n])+' | //[^\n]* | /\*.*?\*/ |
                  ^[ \t]*\#(?:\\\n|[^\n])*}xms;
my $control = qr/(?:(?:else|do|return)\b|(?:if|for|while|switch)\b\s*(?:constexpr\b)?\s*\(\)|case\b[^:]*:(?!:)|default:)\s*/;
my $declaration = qr/^(?:using|template|inline|class|struct|enum|union|static|constexpr|const|mutable|extern|friend|
                          virtual|explicit|unsigned|public|private|protected|namespace|typedef)\b
                     | ^TESSEREC_ | ^[~\w:() ]*\)\s*(?:const\s*|noexcept\s*)*:\s*\w
                     | ^[\w:]+[\s&*]+(?:const\b\s*)?[&*]*\w+\s*(?:[=,({\[]|$)/x;

# True for a list of expressions. The statement comes with empty brackets.
sub is_list {
  my ($statement) = @_;
  $statement =~ s/^\s+//;
  while ($statement =~ s/^$control//) { }
  return 0 if $statement !~ /,/;
  while ($statement =~ s/(?<=\w)<[^<>=&|]*>//) { }
  return 0 if $statement !~ /,/;
  return $statement !~ $declaration;
}

for my $file (@ARGV) {
  open(my $in, '<', $file) or die "$file: $!";
  my $text = do { local $/; <$in> };
  $text =~ s/($not_code)/$blank->($1)/ge;
  my $line = sub { 1 + (substr($text, 0, shift) =~ tr/\n//) };
  while ($text =~ /\?[^;{}]*?:[^;{}]*?\?[^;{}]*?:/g) {
    print "$file:", $line->($-[0]), ": two conditional operators in a statement; name the value of one\n";
  }
  # An entry for each open bracket: itself, the statement in it so far with empty brackets, the place of that statement's
  # last comma, and whether a statement ended in it.
  my @open = (['{', '', 0]);
  while ($text =~ /([^(){}\[\];,]+)|(.)/gs) {
    my ($words, $mark, $now) = ($1, $2, $open[-1]);
    if (defined $words) {
      $now->[1] .= $words;
    } elsif ($mark eq ',') {
      $now->[1] .= ',';
      $now->[2] = $-[0];
    } elsif ($mark eq ';') {
      print "$file:", $line->($now->[2]), ": commas between statements; semicolons end them\n"
        if $now->[0] eq '{' && $now->[2] && is_list($now->[1]);
      @$now[1, 2] = ('', 0);
      $now->[3] = 1;
    } elsif ($mark =~ /[(\[{]/) {
      push @open, [$mark, '', 0];
    } elsif (@open > 1) {
      pop @open;
      my $out = $open[-1];
      $out->[1] .= {'(' => '()', '[' => '[]', '{' => '{}'}->{$now->[0]};
      # A block ends a statement; an initialiser or a lambda's body goes on.
      @$out[1, 2] = ('', 0) if $now->[3] && $now->[0] eq '{' && $text !~ /\G(?=\s*[,;.)(\[?:+\-*\/<>=&|])/gc;
      $out->[3] ||= $now->[3] if $now->[0] eq '{' && $out->[0] eq '{';
    }
  }
}
