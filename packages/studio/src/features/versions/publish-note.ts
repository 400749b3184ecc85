/**
 * What whoever published a version said about it. It is kept in the document, under a name that the engine leaves alone, with the
 * number of the version it belongs to: a later version that took the document over does not claim it.
 */
const MEMBER = 'x-publish-note'

export const withPublishNote = (document: object, version: number, text: string): object => ({
  ...document,
  [MEMBER]: { version, text },
})

export function publishNoteOf(document: object | null | undefined, version: number): string | undefined {
  const note = (document as Readonly<Record<string, unknown>> | null | undefined)?.[MEMBER]
  if (typeof note !== 'object' || note === null) return undefined
  const { version: of, text } = note as { readonly version?: unknown; readonly text?: unknown }
  return of === version && typeof text === 'string' && text !== '' ? text : undefined
}
