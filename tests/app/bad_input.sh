#!/usr/bin/env bash
# Bad decks on $RANKS ranks: exit code 2, one message that names file, line and key.
. "$(dirname "$0")/lib.sh"
deck="$folder/deck.toml"
good='[data.synthetic]\nkind = "planted"\nsamples = 10\nrows = [4, 3, 2]\n'

must_fail 'none.toml: cannot read the deck: No such file' check "$folder/none.toml"
must_fail 'is a directory' check "$folder"
: >"$deck"
must_fail 'deck.toml: the deck is empty' check "$deck"
printf '[train]\nbach_size = 3\n' >"$deck"
must_fail 'deck.toml:2: train.bach_size is unknown; did you mean train.batch_size?' check "$deck"
must_fail 'deck.toml:2: train.bach_size is unknown' check "$deck" --json
printf '\377\376[\0t\0' >"$deck"
must_fail 'deck.toml:1: the deck is UTF-16' check "$deck"
printf '[train]\nlanes = 3\n' >"$deck"
must_fail 'deck.toml:2: train.lanes must be a power of two or 0, but is 3' check "$deck"
printf "$good" >"$deck"
must_fail '--set 2: train.epohcs is unknown; did you mean train.epochs?' check "$deck" --set train.steps=3 --set train.epohcs=1
must_fail '--set 1: optimizer.dense.lr must be a finite number' check "$deck" --set optimizer.dense.lr=nan
must_fail 'optimizer.dense.eps must be a finite number, 0 to 1e+06' check "$deck" --set optimizer.dense.eps=1e30
must_fail 'model.loss_weights[1] must be a finite number, 0, or 1e-30 to 1e+30' check "$deck" --set model.loss=wbce --set 'model.loss_weights=[0, 1e-50]'
must_fail 'must be model.embedding_dim = 8' check "$deck" --set model.embedding_dim=8
finish
