import { errorMessage, isJsonObject } from '@lockstep/base'
import type { Document } from 'yaml'
import { UsageError } from '../exit-codes.ts'

/** One JSON or YAML document. YAML reads JSON too. */
export async function readDocument(text: string, file: string): Promise<Record<string, unknown>> {
  const { parseDocument } = await import('yaml')
  const parsed = parseDocument(text, { uniqueKeys: true })
  const [error] = parsed.errors
  if (error !== undefined) throw new UsageError({ text: `${file}: ${error.message.split('\n')[0]}` })
  const value = toValue(parsed, file)
  if (!isJsonObject(value)) throw new UsageError({ text: `${file} is no document: it must be an object` })
  return value as Record<string, unknown>
}

/** Aliases are only looked up here: one may name nothing, or there may be far too many. */
function toValue(parsed: Document, file: string): unknown {
  try {
    return parsed.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new UsageError({ text: `${file}: ${errorMessage(error)}` }, { cause: error })
  }
}
