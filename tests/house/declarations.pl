#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# declarations.pl EXCEPTIONS FILE...: prints "file:line: what" for each
#   members     class with more than 30 members, special ones, operators and types left out
#   parameters  function with more than 7 parameters
#   bodies      class whose functions stand in several .cpp files
#   types       type name that stands in several folders
#   comments    file or member that a comment names and that is not there: a bare name is a file of the same folder
# The file EXCEPTIONS lists breaches that stand: a line is one of these rules and names. A name that breaches its rule no
# more is a breach. With --members in place of EXCEPTIONS: prints all classes, the largest first.
use strict;
use warnings;

my ($most_members, $most_parameters) = (30, 7);
my $exceptions = shift;
my (%excepted, %met);
if (open(my $in, '<', $exceptions)) {
  while (<$in>) {
    next if /^#/;
    my ($rule, @names) = split;
    $excepted{"$rule $_"} = $. for @names;
  }
}
# breach(RULE, NAME, "file:line: what")
sub breach {
  my ($rule, $name, $text) = @_;
  print "$text\n" unless $excepted{"$rule $name"} || $exceptions eq '--members';
  $met{"$rule $name"} = 1;
}

sub folder_of { return $_[0] =~ m{^(?:include/tesserec|src)/(\w+)/} ? $1 : '' }

my %words_of;     # file -> the words of its code
my %comments_of;  # file -> [line, comment]...
my %files_of;     # name of a type or namespace -> the files that define or open it
my %places_of;    # type -> folder -> its first "file:line"
my %bodies_of;    # "folder/Class" -> file -> the line of its first function there
my @classes;      # {name, short, place, folder, members}

# Statements come with their brackets emptied: (N), {} and []; N counts the statement's parentheses, `inside` has what
# stood in them.

sub without_angles {
  my ($text) = @_;
  $text =~ s/->/ /g;
  $text =~ s/\boperator\s*[^\w\s(]+/operator_/g;
  while ($text =~ s/<[^<>;]*>/ /) { }
  $text =~ s/^(?:\s|template\b|(?:public|private|protected)\s*:)+//;
  return $text;
}

# Returns (qualified name, N of the parameters) where the statement declares a function.
my $no_name = qr/^(?:noexcept|alignas|decltype|requires|explicit|static_assert|__attribute__|TESSEREC_\w+)$/;
sub function_of {
  my ($text) = @_;
  $text =~ s/[^:=!<>]=(?!=).*//s;
  return ('operator()', $1) if $text =~ /\boperator\s*\(\d+\)\s*\((\d+)\)/;
  while ($text =~ /((?:\boperator\s+)?(?:\w+\s*::\s*)*~?\w+)\s*\((\d+)\)/g) {
    my ($name, $place) = ($1, $2);
    $name =~ s/\s//g;
    return ($name, $place) if $name !~ $no_name;
  }
  return;
}

# Returns the types and names of parameters, without defaults.
sub parameters_of {
  my ($list) = @_;
  $list =~ s/->/ /g;
  while ($list =~ s/<[^<>]*>//) { }
  $list =~ s/\s+|=.*?(?=,|$)//g;
  return $list eq 'void' ? '' : $list;
}

# Notes what a statement in the scope of a namespace or class declares.
sub declare {
  my ($file, $line, $scope) = @_;
  my $class = $scope->{class};
  my $text = without_angles($scope->{text});
  return if $text =~ /^(?:using|typedef|friend|static_assert|namespace)\b|^$/;
  if (my ($name, $place) = function_of($text)) {
    my $list = $scope->{inside}[$place];
    if ($list =~ /^\s*(?:\w+\s*::\s*)?[*&]/) {  # a pointer to a function
      $class->{members}{$1} = 1 if $class && $list =~ /(\w+)\s*$/;
      return;
    }
    my $parameters = parameters_of($list);
    my $number = $parameters eq '' ? 0 : 1 + ($parameters =~ tr/,//);
    my $full = $class ? "$class->{name}::$name" : $name;
    breach('parameters', $full, "$file:$line: $full has $number parameters; make a struct of some")
      if $number > $most_parameters;
    $class->{members}{"$name($parameters)"} = 1 if $class && $name !~ /^(?:~?\Q$class->{short}\E|operator.*)$/;
    $bodies_of{folder_of($file) . "/$1"}{$file} //= $line if !$class && $file =~ /\.cpp$/ && $name =~ /^(.*)::/;
    return;
  }
  return unless $class;
  $text =~ s/^(?:class|struct|union|enum)\b[^{]*(?:\{\}|$)//;
  for my $declarator (split /,/, $text) {
    $class->{members}{$1} = 1 if $declarator =~ /^((?:[^={\[:]|::)*)/ && $1 =~ /(\w+)\s*$/;
  }
}

sub define_type {
  my ($file, $line, $scope, $name) = @_;
  $places_of{$name}{folder_of($file)} //= "$file:$line" if $scope->{kind} =~ /namespace|class/;
  $files_of{$name}{$file} = 1;
}

# Returns the scope of the brace that opens behind a statement.
my $class_head = qr/^(?:(?:static|const|constexpr|inline|typedef)\s+)*(?:class|struct|union)\b\s*
                     (?:(?:alignas|\w+)\s*\(\d+\)\s*)?(?:\[\]\s*)*([\w:]*)\s*(?:final\s*)?(?::(?!:)[^()]*)?$/x;
sub scope_behind {
  my ($file, $line, $scope) = @_;
  my $text = without_angles($scope->{text});
  if ($scope->{kind} eq 'namespace' && $text =~ /^(?:inline\s+)?namespace\b([\w\s:]*)|^extern\b[\s0]*$/) {
    $files_of{$_}{$file} = 1 for split /\W+/, $1 // '';
    return {kind => 'namespace'};
  }
  if ($text =~ /^enum\b\s*(?:class\b|struct\b)?\s*(\w*)/) {
    define_type($file, $line, $scope, $1) if $1 ne '';
    return {kind => 'list'};
  }
  if ($text =~ $class_head) {
    my $name = $1;
    my ($short) = $name =~ /(\w*)$/;
    define_type($file, $line, $scope, $short) if $name ne '';
    $name ||= 'unnamed';
    $name = "$scope->{class}{name}::$name" if $scope->{class};
    push @classes, {name => $name, short => $short, place => "$file:$line", folder => folder_of($file), members => {}};
    return {kind => 'class', class => $classes[-1]};
  }
  if ($scope->{kind} =~ /namespace|class/ && (() = function_of($text))) {
    my $initializer = $text =~ /\)\s*(?:noexcept\s*)?:(?!:)/ && $text =~ /\w\s*$/;
    return {kind => $initializer ? 'list' : 'function'};
  }
  return {kind => $scope->{kind} =~ /function|code/ ? 'code' : 'list'};
}

my $not_code = qr{(?<text>R"([^(]*)\(.*?\)\g{-1}" | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Za-z])'(?:\\.|[^'\\\n])+') |
                  (?<comment>//[^\n]* | /\*.*?\*/) | ^[ \t]*\#(?:\\\n|[^\n])*}xms;
for my $file (@ARGV) {
  open(my $in, '<', $file) or die "$file: $!";
  my $text = do { local $/; <$in> };
  my ($lines, $counted) = (1, 0);
  my $line_of = sub {  # of ascending places
    my ($place) = @_;
    $lines += substr($text, $counted, $place - $counted) =~ tr/\n//;
    $counted = $place;
    return $lines;
  };
  my @comments;
  $text =~ s{$not_code}{
    my $out = $&;
    push @comments, [$-[0], $out] if defined $+{comment};
    $out =~ tr/\n/ /c;
    defined $+{text} ? '0' . substr($out, 1) : $out;
  }ge;
  $comments_of{$file} = [map { [$line_of->($_->[0]), $_->[1]] } @comments];
  $words_of{$file}{$&} = 1 while $text =~ /\w+/g;
  ($lines, $counted) = (1, 0);

  # An entry for each open bracket: its kind, and the statement in it so far.
  my @open = ({kind => 'namespace', mark => '{', text => '', inside => []});
  while ($text =~ /([^(){}\[\];]+)|(.)/gs) {
    my ($words, $mark, $scope, $at) = ($1, $2, $open[-1], $-[0]);
    if (defined $words) {
      $scope->{line} //= $line_of->($at + $-[0]) if $words =~ /\S/;
      $scope->{text} .= $words;
    } elsif ($mark eq ';') {
      declare($file, $scope->{line}, $scope) if $scope->{mark} eq '{' && $scope->{kind} =~ /namespace|class/;
      @$scope{qw(text inside line)} = ('', [], undef);
    } elsif ($mark =~ /[(\[{]/) {
      my $line = $scope->{line} //= $line_of->($at);
      my $inner = $mark eq '{' && $scope->{mark} eq '{' ? scope_behind($file, $line, $scope) : {kind => 'code'};
      declare($file, $line, $scope) if $inner->{kind} eq 'function';
      push @open, {%$inner, mark => $mark, text => '', inside => []};
    } elsif (@open > 1) {
      my $inner = pop @open;
      my $outer = $open[-1];
      if ($inner->{mark} eq '(') {
        $outer->{text} .= '(' . @{$outer->{inside}} . ')';
        push @{$outer->{inside}}, $inner->{text} =~ s/\(\d+\)/()/gr;
      } elsif ($inner->{mark} eq '{' && $inner->{kind} !~ /class|list/ && $outer->{mark} eq '{') {
        @$outer{qw(text inside line)} = ('', [], undef);
      } else {
        $outer->{text} .= $inner->{mark} eq '[' ? '[]' : '{}';
      }
    }
  }
}

@classes = sort { keys %{$b->{members}} <=> keys %{$a->{members}} || $a->{place} cmp $b->{place} } @classes;
for my $class (@classes) {
  my $number = keys %{$class->{members}};
  printf "%3d %s %s\n", $number, $class->{name}, $class->{place} if $exceptions eq '--members';
  breach('members', "$class->{folder}/$class->{name}",
    "$class->{place}: $class->{name} has $number members; make a class of what belongs together") if $number > $most_members;
}
exit if $exceptions eq '--members';

for my $class (sort keys %bodies_of) {
  my ($short) = $class =~ /(\w*)$/;
  next unless $files_of{$short};
  my @files = grep { !$files_of{$short}{$_} } sort keys %{$bodies_of{$class}};  # but where the class itself stands
  breach('bodies', $class, "$files[1]:$bodies_of{$class}{$files[1]}: functions of $class, as in $files[0]; keep them in one file")
    if @files > 1;
}

for my $name (sort keys %places_of) {
  my @folders = sort grep { $_ ne '' } keys %{$places_of{$name}};
  breach('types', "$name=" . join(',', @folders),
    "$places_of{$name}{$folders[-1]}: $name is a type of " . join(' and ', @folders) . '; give one of them another name')
    if @folders > 1;
}

my %there;  # files, by all ends of their paths
for my $path (split /\0/, `find . \\( -name .git -o -name build \\) -prune -o -name '*.[hc]pp' -print0`) {
  my @steps = split m{/}, $path;
  $there{join '/', @steps[$_ .. $#steps]} = 1 for 0 .. $#steps;
}
for my $file (sort keys %comments_of) {
  for (@{$comments_of{$file}}) {
    my ($line, $text) = @$_;
    while ($text =~ m{((?:[\w-]+/)*[a-z][\w-]*\.[hc]pp)\b}g) {
      my $named = $1;
      my @folders = $named =~ m{/} ? '' : map { "$_/" } folder_of($file), 'tesserec', 'tests';
      breach('comments', $named, "$file:$line: there is no $named" . ($named =~ m{/} ? '' : ' in this folder'))
        unless grep { $there{"$_$named"} } @folders;
    }
    while ($text =~ /((?:\w+::)+)(\w+)/g) {
      my ($named, $name, @scopes) = ("$1$2", $2, grep { $_ ne 'tesserec' } split /::/, $1);
      next if !@scopes || $scopes[0] =~ /^(?:std|Kokkos)$/;
      breach('comments', $named, "$file:$line: there is no $named")
        unless grep { $words_of{$_}{$name} } keys %{$files_of{$scopes[-1]} // {}};
    }
  }
}
print "$exceptions:$excepted{$_}: $_ breaches its rule no more; take it out\n" for sort grep { !$met{$_} } keys %excepted;
