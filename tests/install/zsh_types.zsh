# zsh_types.zsh FOLDER: types each line of FOLDER/typed and a tab into a zsh with the completion of FOLDER/functions.
# Writes the completed lines to FOLDER/zsh_completed.
zmodload zsh/zpty
folder=$1
out=$folder/zsh_completed
: >$out
cat >$folder/setup.zsh <<END
fpath=($folder/functions \$fpath)
autoload -Uz compinit && compinit -u -D
report() { print -r -- "\$BUFFER" >>$out; BUFFER= }
zle -N report
bindkey '^O' report
unsetopt beep
cd $folder/here
END
zpty shell "zsh -f -i"
zpty -w shell "source $folder/setup.zsh"
lines=("${(@f)$(<$folder/typed)}")
for line in $lines; do
  zpty -n -w shell "$line"$'\t\x0f'
done
for tenth in {1..300}; do
  (( $(wc -l <$out) >= $#lines )) && break
  sleep 0.1
done
zpty -d shell
(( $(wc -l <$out) == $#lines ))
