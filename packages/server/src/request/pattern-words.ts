/** What a pattern asks for, for people: nobody who sent a wrong name wants to read a regular expression. A test finds words for every pattern of the API. */
const shapes: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^\^(\w+_)\[0-9a-fA-F-\]\{36\}\$$/, ([, prefix]) => `be ${prefix} followed by a uuid`],
  [
    /^\^\[\^\\u0000-\\u001f\\u007f\]\{1,(\d+)\}\$$/,
    ([, most]) => `have 1 to ${most} characters, none of them a control character`,
  ],
  [
    /^\^\[a-z0-9\]\[a-z0-9([._@-]+)\]\{0,(\d+)\}\$$/,
    ([, signs, more]) =>
      `begin with a lower-case letter or a digit and go on with these and ${[...signs!].join(' ')} only, ${Number(more) + 1} characters at most`,
  ],
  [/^\^\(\?:([\w|]+)\)\(\?:,\(\?:\1\)\)\*\$$/, ([, names]) => `be one or more of ${listed(names!)}, with commas`],
  [/^\^\(user\|token\):/, () => 'be user: or token: with a name behind it, as the audit log names callers'],
  [/^\^\[1-9\]\[0-9\]\{0,\d+\}\$$/, () => 'be a whole number from 1'],
  [/^\^\[0-9\]\{1,\d+\}\$$/, () => 'be a whole number from 0'],
  [/^\^\[A-(\w)\]\$$/, ([, last]) => `be a letter from A to ${last}`],
  [/^\^\[\\x21-\\x7e\]\{1,(\d+)\}\$$/, ([, most]) => `have 1 to ${most} visible ASCII characters`],
  [/^\^\(draft\|published\|/, () => 'be draft, published, or the number of a version'],
  [/^\\S$/, () => 'not be blank'],
]

/** `be wfi_ followed by a uuid`, behind "must"; `undefined` of a pattern that has no words. */
export function patternWords(pattern: string): string | undefined {
  for (const [shape, words] of shapes) {
    const found = shape.exec(pattern)
    if (found !== null) return words(found)
  }
  return undefined
}

const listed = (names: string): string => names.split('|').join(', ')
