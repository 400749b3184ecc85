import type { Json } from '@lockstep/base'
import { readYaml } from './read-yaml.ts'
import type { TextEntry } from './text-entry.ts'
import { writeYaml } from './write-documents.ts'

export type YamlTask = { readonly read: string } | { readonly write: Json }
export type YamlResult<T extends YamlTask> = T extends { readonly read: string } ? readonly TextEntry[] : string

export function runYamlTask<T extends YamlTask>(task: T): YamlResult<T>
export function runYamlTask(task: YamlTask): readonly TextEntry[] | string {
  return 'read' in task ? readYaml(task.read) : writeYaml(task.write)
}
