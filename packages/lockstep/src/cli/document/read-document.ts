import { isJsonObject } from '@lockstep/base'
import { UsageError } from '../exit-codes.ts'

/** One JSON or YAML document. YAML reads JSON too. */
export async function readDocument(text: string, file: string): Promise<Record<string, unknown>> {
  const { parseDocument } = await import('yaml')
  const parsed = parseDocument(text, { uniqueKeys: true })
  const [error] = parsed.errors
  if (error !== undefined) throw new UsageError({ text: `${file}: ${error.message.split('\n')[0]}` })
  const value: unknown = parsed.toJS({ maxAliasCount: 100 })
  if (!isJsonObject(value)) throw new UsageError({ text: `${file} is no document: it must be an object` })
  return value as Record<string, unknown>
}
