const HIGHEST = 0x10ffff
/** Above every name: names have at most 512 characters. */
const ABOVE_ALL = String.fromCodePoint(HIGHEST).repeat(513)

/** The first text that is above everything that begins with `prefix`, in the byte order of the index (that of code points). */
export function above(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.at(-1) === HIGHEST) points.pop()
  const last = points.pop()
  if (last === undefined) return ABOVE_ALL
  // The halves of surrogate pairs are no characters.
  const next = last + 1 === 0xd800 ? 0xe000 : last + 1
  return String.fromCodePoint(...points, next)
}
