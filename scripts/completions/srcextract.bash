# Completion of srcextract for bash, and by _srcextract for zsh: commands, options, keys and files. It asks the program, so
# that it knows what the program knows. `source` this file, or install it as share/bash-completion/completions/srcextract.

_srcextract_words() {
  local program=$1 previous=$2 current=$3 command=$4 commands
  commands=$("$program" help | sed -n '/^Commands:/,$s/^  \([a-z-]*\) .*/\1/p')
  case $previous in
    --set | --detect-set | --reference-set)
      "$program" --dump-config | awk '/^[a-z]/ { section = $1 } /^  [a-z]/ { print section $1 "=" }' | sed 's/:/./; s/:=/=/'
      ;;
    --backend) echo auto cpu cuda compare ;;
    help) echo "$commands" ;;
    keys) "$program" keys | sed -n 's/^  \([a-z]*\) .*/\1/p' ;;
    columns) "$program" columns | sed -n 's/^\([a-z]*\)$/\1/p' ;;
    *)
      if [[ $current == -* ]]; then
        grep -qxF -- "$command" <<<"$commands" || command=
        "$program" ${command:+"$command"} --help | grep -oE '^  (-[a-zA-Z],)?--[a-z-]+' | tr ',' '\n' | tr -d ' '
      elif [[ $command == "$current" ]]; then
        echo "$commands"
      fi
      ;;
  esac
}

_srcextract() {
  local current=${COMP_WORDS[COMP_CWORD]}
  # shellcheck disable=SC2207  # no word has a blank, and zsh knows no mapfile
  COMPREPLY=($(compgen -W "$(_srcextract_words "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD - 1]}" "$current" \
    "${COMP_WORDS[1]}" 2>/dev/null)" -- "$current"))
  [[ ${COMPREPLY[0]} != *= ]] || ! type compopt &>/dev/null || compopt -o nospace
}
complete -o bashdefault -o default -F _srcextract srcextract
