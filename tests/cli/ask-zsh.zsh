# Types $3 and a Tab in a shell of its own after it has run $1; the words that are then offered go to the file $2, one on each line.
zmodload zsh/zpty
zpty shell zsh -f -i
{
  zpty -w shell "PROMPT=; caught_in=${(q)2}"
  zpty -w shell "$1"
  zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -A hits "$@"; print -rl -- $hits >> $caught_in; builtin compadd "$@"
  }'
  zpty -w shell 'comppostfuncs=(exit); bindkey "^I" complete-word'
  zpty -w -n shell "$3"$'\t'
  while zpty -r shell _; do :; done
} always { zpty -d shell }
