/** Bytes of UTF-8 that the JSON of an answer may take, where nobody says otherwise. */
export const OUTPUT_BYTES = 256 * 1024
/** Arrays and objects inside each other; a bare scalar has depth 0. */
export const OUTPUT_DEPTH = 64
/** UTF-16 units of source. It is read on the main thread: tens of milliseconds for as much as this. */
export const SOURCE_LENGTH = 64 * 1024
/** UTF-16 units of source in a preview, which whoever may look at an instance can ask for any number of times. */
export const PREVIEW_SOURCE_LENGTH = 8 * 1024

/** How deep arrays and objects nest in a JSON text. Reads characters only, so that no depth of nesting can hurt it. */
export function jsonDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at)
        break
      case 0x5b:
      case 0x7b:
        depth++
        if (depth > deepest) deepest = depth
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
    }
  }
  return deepest
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) break
    if (unit === 0x5c) at++
  }
  return at
}
