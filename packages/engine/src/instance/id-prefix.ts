const LEAST = 8
const NIL = '00000000-0000-0000-0000-000000000000'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The beginning of an instance's id that a text may be, with or without `wfi_`; shorter ones would mean anything. */
export function idPrefix(text: string): string | undefined {
  const id = text.toLowerCase().replace(/^wfi_/, '')
  return id.length >= LEAST && UUID.test(id + NIL.slice(id.length)) ? id : undefined
}
