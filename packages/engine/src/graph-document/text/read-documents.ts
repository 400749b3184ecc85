import { checkValue } from './check-value.ts'
import { readJson } from './read-json.ts'
import { type DocumentFormat, type TextEntry, textProblem } from './text-entry.ts'
import { MOST_DOCUMENT_BYTES, MOST_DOCUMENTS, MOST_TEXT_BYTES, MOST_YAML_BYTES } from './text-limits.ts'
import { outOfMemory, type YamlThread } from './yaml-thread.ts'

/** The documents of a text from outside, each of them safe to walk over; nothing is said yet about what they mean. */
export async function readDocuments(
  text: string,
  format: DocumentFormat,
  yaml: YamlThread,
): Promise<readonly TextEntry[]> {
  const most = format === 'yaml' ? MOST_YAML_BYTES : MOST_TEXT_BYTES
  if (Buffer.byteLength(text) > most)
    return [
      {
        problem: textProblem(
          'TOO_LARGE',
          `A text of ${format.toUpperCase()} has at most ${most / 1_048_576} MiB: split it`,
        ),
      },
    ]
  const entries = format === 'json' ? readJson(text) : ((await yaml.run({ read: text })) ?? [{ problem: outOfMemory }])
  if (entries.length > MOST_DOCUMENTS)
    return [
      { problem: textProblem('TOO_MANY_DOCUMENTS', `A text holds at most ${MOST_DOCUMENTS} documents: split it`) },
    ]
  return entries.map(checkEntry)
}

function checkEntry(entry: TextEntry): TextEntry {
  if ('problem' in entry) return entry
  const problem = checkValue(entry.document)
  if (problem !== undefined) return { problem }
  if (Buffer.byteLength(JSON.stringify(entry.document)) <= MOST_DOCUMENT_BYTES) return entry
  const most = MOST_DOCUMENT_BYTES / 1_048_576
  return {
    problem: textProblem('TOO_LARGE', `A document has at most ${most} MiB: move parts into workflows of their own`),
  }
}
