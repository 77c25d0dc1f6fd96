#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# links.pl ROOT PAGE...: each relative link of a page names an existing file and, after #, one of its headings; each path
# in code type that begins with a folder of the repository exists. Pages in docs/ link to pages in docs/ only, since
# the site has no others. Prints each dead link as "page:line: text" and ends with 1 if there is one.
use strict;
use warnings;
use File::Basename;

my $root = shift;
my $dead = 0;
my $links = 0;
sub slurp { open my $in, '<', $_[0] or die "links.pl: $_[0]: $!\n"; local $/; return <$in>; }
my %anchors;
# Returns the anchors of a page: its headings in lower case, without punctuation, spaces as hyphens.
sub anchors {
  my $page = shift;
  return $anchors{$page} //= do {
    my %found;
    my $code = 0;
    for (split /\n/, slurp($page)) {
      $code = !$code if /^\s*```/;
      next if $code || !/^#+\s+(.*?)\s*$/;
      my $name = lc $1;
      $name =~ s/[^a-z0-9 _-]//g;
      $name =~ s/[ -]+/-/g;
      $found{$name} = 1;
    }
    \%found;
  };
}
for my $page (@ARGV) {
  my ($code, $line) = (0, 0);
  for (split /\n/, slurp("$root/$page")) {
    ++$line;
    $code = !$code if /^\s*```/;
    next if $code;
    while (/\]\(([^()\s]+)\)/g) {
      my $target = $1;
      next if $target =~ /^[a-z]+:/;
      ++$links;
      my ($file, $anchor) = $target =~ /^([^#]*)(?:#(.*))?$/;
      my $path = $file eq '' ? "$root/$page" : dirname("$root/$page") . "/$file";
      my $why = !-e $path ? 'no such file'
        : $page =~ m{^docs/} && $path =~ m{/\.\./} && $page !~ m{^docs/design/} ? 'leaves docs/, which the site lacks'
        : defined $anchor && !anchors($path)->{$anchor} ? 'no such heading' : '';
      if ($why) { print "$page:$line: $target: $why\n"; ++$dead; }
    }
    while (/`((?:src|include|tests|docs|inputs|runs|examples|cmake)\/[\w.\/-]+)`/g) {
      my $path = $1;
      ++$links;
      # Folders that runs write, and names with a placeholder, need not exist.
      next if -e "$root/$path" || $path =~ m{^runs/(?!compare|gpu|sites|container|spack)} && $path !~ /\.(sh|sbatch|md)$/;
      print "$page:$line: $path: no such file\n";
      ++$dead;
    }
  }
}
print "$links links, $dead dead\n";
exit($dead || $links < 50 ? 1 : 0);
