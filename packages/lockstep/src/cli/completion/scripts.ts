/**
 * Completion for three shells. Commands and options are in the script. What only a node knows, such as ids, is asked for when Tab is pressed
 * where it may stand: with the list command of its noun, as the profile on the line says. A line with `--url` asks nobody: shells cut
 * addresses in pieces. What a node answers is text that others chose: no shell may expand it.
 */
import { bash } from './bash-script.ts'
import type { Place, Word } from './command-tree.ts'
import { asked, offered, quoted, steps, waysOf } from './script-parts.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export const completionScript = (shell: Shell, places: readonly Place[]): string => scripts[shell](places)

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish }

function zsh(places: readonly Place[]): string {
  const entry = ({ word, about }: Word): string => quoted(`${word}:${about.replaceAll(':', '\\:')}`)
  const words = (place: Place): string =>
    `    ${quoted(place.said)}) offered=(${offered(place).map(entry).join(' ')})${asked(place)} ;;`
  return `#compdef lockstep
# Completion of lockstep for zsh: source <(lockstep completion zsh)
_lockstep() {
  local at='' list='' many='' given='' i
  local -a offered as ids
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
${steps(places)}
      *' --profile') as=(--profile "\${words[++i]}") ;;
      *' -'*) ;;
      *) given=yes ;;
    esac
  done
  case "$at" in
${places.map(words).join('\n')}
  esac
  if [[ -n $list && \${words[CURRENT]} != -* && ( -z $given || -n $many ) && \${words[(I)--url]} == 0 ]]; then
    ids=(\${(f)"$(\${words[1]} \${=list} --output id --quiet $as 2>/dev/null </dev/null)"})
    if (( $#ids )); then compadd -a ids; return; fi
  fi
  _describe 'lockstep' offered || _files
}
# In a folder of fpath this file is the body of the function, and is run when it is first asked.
if [[ "\${funcstack[1]}" == _lockstep ]]; then _lockstep "$@"; else compdef _lockstep lockstep; fi
`
}

function fish(places: readonly Place[]): string {
  const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const cases = places
    .filter(({ said }) => said !== '')
    .map((place) => `      case ${waysOf(place).map(text).join(' ')}\n        set at ${text(place.said)}`)
  const lines = places.flatMap((place) => {
    const here = `complete -c lockstep -n ${text(`test (__lockstep_at) = "${place.said}"`)}`
    return [
      ...place.commands.map(({ word, about }) => `${here} -f -a ${text(word)} -d ${text(about)}`),
      ...(place.ids === undefined
        ? []
        : [`${here} -f -a ${text(`(__lockstep_ids ${place.ids.many ? 'many' : 'one'} ${place.ids.list})`)}`]),
      ...place.options.map(({ word, about }) => `${here} -l ${text(word.replace(/^--/, ''))} -d ${text(about)}`),
    ]
  })
  return `# Completion of lockstep for fish: lockstep completion fish | source
function __lockstep_said
  set -l at ''
  set -l given no
  set -l before ''
  for word in (commandline -opc)[2..]
    switch (string trim -- "$at $word")
${cases.join('\n')}
      case '* -*'
      case '*'
        test "$before" = --profile; or set given yes
    end
    set before "$word"
  end
  echo "$at"
  echo $given
end
function __lockstep_at
  set -l said (__lockstep_said)
  echo "$said[1]"
end
function __lockstep_ids
  set -l said (__lockstep_said)
  set -l line (commandline -opc)
  contains -- --url $line; and return
  test $said[2] = no -o $argv[1] = many; or return
  set -l as
  if set -l at (contains -i -- --profile $line)
    set as $line[$at..(math $at + 1)]
  end
  $line[1] $argv[2..] --output id --quiet $as 2>/dev/null </dev/null
end
${lines.join('\n')}
`
}
