/** Completion for three shells. Everything is in the script: nothing is asked while somebody types. */
import type { Place, Word } from './command-tree.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export const completionScript = (shell: Shell, places: readonly Place[]): string => scripts[shell](places)

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish }

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const offered = ({ commands, options }: Place): readonly Word[] => [...commands, ...options]
const waysOf = ({ said, aliases }: Place): readonly string[] => [said, ...aliases]

/** Words that lead from one place to the next; what else is said is a value. */
const steps = (places: readonly Place[]): string =>
  places
    .filter(({ said }) => said !== '')
    .map((place) => `      ${waysOf(place).map(quoted).join(' | ')}) at=${quoted(place.said)} ;;`)
    .join('\n')

function bash(places: readonly Place[]): string {
  const words = (place: Place): string =>
    `    ${quoted(place.said)}) words=${quoted(
      offered(place)
        .map(({ word }) => word)
        .join(' '),
    )} ;;`
  return `# Completion of lockstep for bash: source <(lockstep completion bash)
_lockstep() {
  local at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
${steps(places)}
    esac
  done
  case "$at" in
${places.map(words).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lockstep lockstep
`
}

function zsh(places: readonly Place[]): string {
  const entry = ({ word, about }: Word): string => quoted(`${word}:${about.replaceAll(':', '\\:')}`)
  const words = (place: Place): string =>
    `    ${quoted(place.said)}) offered=(${offered(place).map(entry).join(' ')}) ;;`
  return `#compdef lockstep
# Completion of lockstep for zsh: source <(lockstep completion zsh)
_lockstep() {
  local at='' i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
${steps(places)}
    esac
  done
  case "$at" in
${places.map(words).join('\n')}
  esac
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
      ...place.options.map(({ word, about }) => `${here} -l ${text(word.replace(/^--/, ''))} -d ${text(about)}`),
    ]
  })
  return `# Completion of lockstep for fish: lockstep completion fish | source
function __lockstep_at
  set -l at ''
  for word in (commandline -opc)[2..]
    switch (string trim -- "$at $word")
${cases.join('\n')}
    end
  end
  echo "$at"
end
${lines.join('\n')}
`
}
