#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# includes.pl FILE...: prints "file:line: what" for each file that names a type of one of our headers, or calls a
# function of one, and includes, directly or through others, no header that declares it. Unity builds would hide that:
# sources before it lend it theirs.
use strict;
use warnings;

my (%folders, %text_of, %included, %declared_in, %defined, %functions, %other);
for my $file (@ARGV) {
  open(my $in, '<', $file) or die "$file: $!\n";
  local $/;
  my $text = <$in>;
  my ($folder) = $file =~ m{(.*)/};
  my $header = $file =~ /\.hpp$/;
  $folders{$folder =~ s{.*/}{}r} = 1;
  while ($text =~ /^\s*#\s*include\s*(?:<(tesserec\/[^>]+)>|"([^"]+)")/mg) {
    push @{$included{$file}}, defined $1 ? "include/$1" : "$folder/$2";
  }
  # Comments and texts keep their line breaks.
  $text =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(//[^\n]*|/\*.*?\*/|^\s*#[^\n]*)}{defined $1 ? '""' : $2 =~ tr/\n//cdr}gems;
  $text_of{$file} = $text;
  $defined{$1} ||= $header
    while $text =~ /^(?:struct|class|enum class|enum|union|using)\s+(?:alignas\([\w ]+\)\s*)?([A-Z]\w*)\b\s*(?:final\b\s*)?[:{=]/mg;
  # A name that a file declares in any scope, such as a parameter of a template, is taken to be that one.
  $declared_in{$1}{$file} = 1
    while $text =~ /\b(?:struct|class|enum|union|typename|auto|using)(?:\.\.\.)?\s+(?:alignas\([\w ]+\)\s*)?([A-Z]\w*)\b/g;
  # A function of a namespace begins its line; a member, a variable or a parameter of the same name may be meant instead.
  if ($header) {
    $functions{$1}{$file} = 1 while $text =~ /^(?!\s|return\b|else\b|#)[\w:<>,*& \[\]]*[\w>*&]\s+[*&]?([a-z]\w*)\(/mg;
  }
  while ($text =~ /(?:([\w>*&]+)\s+|[*&])([a-z]\w*)\s*(?:[({=;,)]|\[)/g) {
    $other{$file}{$2} = 1 if ($1 // '') !~ /^(?:return|else|case)$/;
  }
  $other{''}{$1} = 1 while $header && $text =~ /^[ \t]+(?:[\w:<>,*& \[\]]*[\w>*&]\s+)[*&]?([a-z]\w*)\(/mg;
}

# Returns the headers that a file reaches, and itself.
sub reached {
  my %seen = ($_[0] => 1);
  my @next = ($_[0]);
  while (defined(my $file = pop @next)) {
    push @next, grep { !$seen{$_}++ } @{$included{$file} // []};
  }
  return \%seen;
}

for my $file (@ARGV) {
  my ($reached, %told);
  my $line = 0;
  for (split /\n/, $text_of{$file}) {
    ++$line;
    while (/(?<![\w.>])(?:(\w+)::)?([A-Z]\w*)\b(?!\s*\()/g) {
      my ($scope, $type) = ($1, $2);
      next if !$defined{$type} || defined $scope && !$folders{$scope} || $told{$type}++;
      $reached //= reached($file);
      print "$file:$line: uses $type without a header that declares it: include ",
        join(' or ', map { s{^include/}{}r } sort grep { /\.hpp$/ } keys %{$declared_in{$type}}), "\n"
        unless grep { $reached->{$_} } keys %{$declared_in{$type}};
    }
    while (/(?<![\w.>])(?:(\w+)::)?([a-z]\w*)\(/g) {
      my ($scope, $name) = ($1, $2);
      next if !$functions{$name} || $other{''}{$name} || (defined $scope ? !$folders{$scope} : $other{$file}{$name});
      next if $told{$name}++;
      $reached //= reached($file);
      print "$file:$line: calls $name() without a header that declares it: include ",
        join(' or ', map { s{^include/}{}r } sort keys %{$functions{$name}}), "\n"
        unless grep { $reached->{$_} } keys %{$functions{$name}};
    }
  }
}
