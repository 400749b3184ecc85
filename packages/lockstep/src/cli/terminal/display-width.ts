/** How many places of a terminal a text takes: letters of East Asia and pictures take two, marks that go onto the letter before them none. */

/** First and last of what takes two places, in order: East Asian Wide and Fullwidth, and emoji. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x2753, 0x2757],
  [0x2795, 0x2797],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f004, 0x1f004],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f200, 0x1f2ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]
/** Combining marks, joiners, selectors of a variant. */
const NO_PLACE = /^[\p{Mn}\p{Me}\p{Cf}]$/u
/** Asks for the picture where there is a letter too. */
const AS_PICTURE = '\ufe0f'

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

export function widthOf(text: string): number {
  // Nearly all of what is printed.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of letters.segment(text)) width += widthOfLetter(segment)
  return width
}

/** As much of a text, from its beginning, as has room. */
export function cutTo(text: string, room: number): string {
  let cut = ''
  let left = room
  for (const { segment } of letters.segment(text)) {
    left -= widthOfLetter(segment)
    if (left < 0) break
    cut += segment
  }
  return cut
}

/** One letter as a reader sees it, which may be several signs joined. */
function widthOfLetter(letter: string): number {
  if (letter.includes(AS_PICTURE)) return 2
  let width = 0
  for (const sign of letter) if (!NO_PLACE.test(sign)) width = Math.max(width, isWide(sign.codePointAt(0)!) ? 2 : 1)
  // A flag is two letters that each take one place.
  return /^\p{RI}{2}$/u.test(letter) ? 2 : width
}

const isWide = (code: number): boolean => WIDE.some(([first, last]) => code >= first && code <= last)
