#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# prose.pl [--list KIND] FILE...: counts how comments of headers and sources, and pages, are written. KIND: verb, hanging, sentence
# or line; then each is printed as "file:line: text".
#   verb      comments of public functions that do not begin with a verb in the third person
#   hanging   comments whose first word hangs on what stands above: Of, Those, What, That, How, Whether, With, Where, And ...
#   sentence  sentences of comments and pages with more than 35 words
#   line      lines of pages over 110 characters, but for tables and code
use strict;
use warnings;

my $list = '';
if (@ARGV && $ARGV[0] eq '--list') { shift; $list = shift; }
my %count = map { $_ => 0 } qw(functions verb comments hanging sentences sentence line);
my @words;  # of each sentence
# Nouns in the plural that a comment of a function may begin with. Every other first word that ends in s counts as a verb.
my %noun = map { $_ => 1 } qw(Bytes Samples Rows Ids Numbers Names Lanes Gradients Features Tables Columns Ranks Vectors Bags
  Values Shards Weights Options Settings Errors Levels Positions Labels Files Lines Keys Points Logits Scores Losses
  Seconds Units Places Parts Pieces Chunks Layers Inputs Slots States Steps Offsets Lengths Messages Buffers Batches Products
  Parameters Predictions Candidates Queries Items Metrics Nodes Owners Routes Segments Sequences This Its Always Less Plus Across);

sub note {
  my ($kind, $where, $text) = @_;
  ++$count{$kind};
  print "$where: $text\n" if $list eq $kind;
}
sub sentences {
  my ($where, $text) = @_;
  $text =~ s/`[^`]*`/x/g;
  $text =~ s/\([^()]*\)//g;
  for my $one (split /(?<=[.!?:;])\s+/, $text) {
    my $n = () = $one =~ /[A-Za-z0-9'_-]+/g;
    next unless $n > 2;
    ++$count{sentences};
    push @words, $n;
    note('sentence', $where, $one) if $n > 35;
  }
}
sub comment {
  my ($where, $text, $follows, $public) = @_;
  $text =~ s/^\s+|\s+$//g;
  return if $text eq '';
  ++$count{comments};
  note('hanging', $where, $text)
    if $text =~ /^(Of|Those|What|That|How|Whether|With|Where|And|Who|Whose|Which|Behind|By|For|To)\b/;
  sentences($where, $text);
  return unless $public && $follows =~ /^\s*(?:template\s*<.*>\s*)?(?:\[\[\w+\]\]\s*)?(?:[\w:]+(?:<.*>)?[\s&*]+)+[~\w]+\(/ && $follows !~ /^\s*(?:return|struct|class|enum|using)\b/;
  ++$count{functions};
  my ($first) = $text =~ /^(?:\([^)]*\)\s*)?([A-Za-z_]+)/;
  note('verb', $where, $text) unless defined $first && $first =~ /^[A-Z][a-z]+s$/ && !$noun{$first};
}

for my $file (@ARGV) {
  open my $in, '<', $file or die "prose.pl: $file: $!\n";
  my @lines = <$in>;
  close $in;
  chomp @lines;
  if ($file =~ /\.md$/) {
    my ($code, $text, $begin) = (0, '', 0);
    for my $i (0 .. $#lines) {
      my $line = $lines[$i];
      if ($line =~ /^\s*```/) { $code = !$code; }
      my $prose = !$code && $line !~ /^\s*(```|\||<|#|\s{4})/;
      note('line', "$file:" . ($i + 1), length($line) . ' characters') if $prose && length($line) > 110 && $line !~ /^\S+$/;
      if (!$prose || $line =~ /^\s*$/ || $line =~ /^\s*([-*]|\d+\.)\s/) { sentences("$file:" . ($begin + 1), $text); $text = ''; $begin = $i; }
      $line =~ s/^\s*([-*]|\d+\.)\s+//;
      $text .= " $line" if $prose;
    }
    sentences("$file:" . ($begin + 1), $text);
    next;
  }
  my ($text, $begin, $private) = ('', 0, 0);
  for my $i (0 .. $#lines) {
    my $line = $lines[$i];
    next if $line =~ /SPDX-License-Identifier/;
    $private = 1 if $line =~ /^ private:/;
    $private = 0 if $line =~ /^(\};| public:)/;
    if ($line =~ m{^\s*///?\s?(.*)}) {
      $begin = $i if $text eq '';
      $text .= " $1";
      next;
    }
    comment("$file:" . ($begin + 1), $text, $line, $file =~ /\.hpp$/ && $file =~ m{include/} && !$private) if $text ne '';
    $text = '';
  }
  comment("$file:" . ($begin + 1), $text, '', 0) if $text ne '';
}
if ($list eq '') {
  @words = sort { $a <=> $b } @words;
  my $at = sub { @words ? $words[int($_[0] * $#words)] : 0 };
  my $share = $count{functions} ? 100 * (1 - $count{verb} / $count{functions}) : 100;
  printf "public functions with a comment %d, beginning with a verb %.1f %%\n", $count{functions}, $share;
  printf "comments %d, hanging %d\n", $count{comments}, $count{hanging};
  printf "sentences %d, words median %d, p95 %d, over 35 words %d\n", $count{sentences}, $at->(0.5), $at->(0.95), $count{sentence};
  printf "lines of pages over 110 characters %d\n", $count{line};
}
