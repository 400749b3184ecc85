import type { Json } from '@lockstep/base'
import { locate, type TextPlace, type WantedPlace } from './locate.ts'
import { readYaml } from './read-yaml.ts'
import type { TextEntry } from './text-entry.ts'
import { writeYaml } from './write-documents.ts'

export type YamlTask =
  | { readonly read: string }
  | { readonly write: Json }
  | { readonly locate: string; readonly wanted: readonly WantedPlace[] }
export type YamlResult<T extends YamlTask> = T extends { readonly read: string }
  ? readonly TextEntry[]
  : T extends { readonly write: Json }
    ? string
    : readonly (TextPlace | undefined)[]

export function runYamlTask<T extends YamlTask>(task: T): YamlResult<T>
export function runYamlTask(task: YamlTask): YamlResult<YamlTask> {
  if ('read' in task) return readYaml(task.read)
  return 'write' in task ? writeYaml(task.write) : locate(task.locate, task.wanted)
}
