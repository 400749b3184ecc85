/**
 * Bash hands over the line cut at `:` and `=` too (COMP_WORDBREAKS), and puts back only the last piece, which it tells as `$2`. So the pieces
 * are joined again where no blank stands between them, and of an answer only what is behind the joined part is handed back. Names come from
 * a node: they are read line by line, compared as text, and quoted before they reach the line. `compgen -W` would run what they hold.
 */
import type { Place } from './command-tree.ts'
import { asked, offered, quoted, steps } from './script-parts.ts'

export function bash(places: readonly Place[]): string {
  const words = (place: Place): string => {
    const all = offered(place).map(({ word }) => quoted(word))
    return `    ${quoted(place.said)}) words=(${all.join(' ')})${asked(place)} ;;`
  }
  return `# Completion of lockstep for bash: source <(lockstep completion bash)
_lockstep() {
  local at='' list='' many='' given='' rest=$COMP_LINE last=-1 cur word text i
  local -a said=() words=() ids=() as=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ $i == 0 || $rest == [[:blank:]]* || ! \${COMP_WORDS[i]} ]]; then last=$((last + 1)) said[last]=''; fi
    rest=\${rest#"\${rest%%[![:blank:]]*}"}
    said[last]+=\${COMP_WORDS[i]}
    rest=\${rest#"\${COMP_WORDS[i]}"}
  done
  cur=\${said[last]}
  for ((i = 1; i < last; i++)); do
    case "\${at:+$at }\${said[i]}" in
${steps(places)}
      *' --profile') as=(--profile "\${said[++i]}") ;;
      *' -'*) ;;
      *) given=yes ;;
    esac
  done
  case "$at" in
${places.map(words).join('\n')}
  esac
  if [[ $list && $cur != -* && ( ! $given || $many ) && " \${said[*]} " != *' --url '* ]]; then
    while IFS= read -r word; do
      [[ $word ]] && ids+=("$word")
    done < <("\${said[0]}" $list --output id --quiet "\${as[@]}" 2>/dev/null </dev/null)
    if ((\${#ids[@]})); then words=("\${ids[@]}"); fi
  fi
  COMPREPLY=()
  for word in "\${words[@]}"; do
    printf -v text %q "$word"
    if [[ $cur == [\\"\\']* ]]; then
      # Bash closes the quote that stands there: only what needs none may go behind it.
      [[ $text == "$word" && $word == "\${cur:1}"* ]] && COMPREPLY+=("$word")
    elif [[ $word == "$cur"* || $text == "$cur"* ]]; then
      COMPREPLY+=("\${text:\${#cur}-\${#2}}")
    fi
  done
}
complete -o default -F _lockstep lockstep
`
}
