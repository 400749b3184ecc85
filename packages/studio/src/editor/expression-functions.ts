/** What expressions may call without leaving the fast evaluator, in words for people. Everything else of JavaScript runs in the sandbox. */
export interface Known {
  readonly name: string
  readonly call: string
  readonly note: string
}

const known = (rows: readonly (readonly [string, string, string])[]): readonly Known[] =>
  rows.map(([name, call, note]) => ({ name, call, note }))

export const functions = known([
  ['Math.abs', '(x)', 'Without its sign'],
  ['Math.ceil', '(x)', 'The next whole number above'],
  ['Math.floor', '(x)', 'The next whole number below'],
  ['Math.round', '(x)', 'The nearest whole number'],
  ['Math.trunc', '(x)', 'Without what follows the point'],
  ['Math.max', '(a, b, …)', 'The largest'],
  ['Math.min', '(a, b, …)', 'The smallest'],
  ['Math.sign', '(x)', '1, 0 or -1'],
  ['Math.sqrt', '(x)', 'Square root'],
  ['Number', '(x)', 'As a number; NaN becomes null'],
  ['String', '(x)', 'As text'],
  ['Boolean', '(x)', 'Whether it counts as true'],
  ['parseInt', '(text, 10)', 'The whole number a text begins with'],
  ['parseFloat', '(text)', 'The number a text begins with'],
  ['Number.isInteger', '(x)', 'Whether it is a whole number'],
  ['Number.isFinite', '(x)', 'Whether it is a number that can be written down'],
  ['Array.isArray', '(x)', 'Whether it is a list'],
  ['Object.keys', '(object)', 'Names of its members'],
  ['Object.values', '(object)', 'Values of its members'],
  ['Object.entries', '(object)', 'Its members as pairs'],
  ['Object.fromEntries', '(pairs)', 'An object of pairs'],
  ['JSON.parse', '(text)', 'The value that a JSON text holds'],
  ['JSON.stringify', '(value)', 'As JSON text'],
])

export const textMethods = known([
  ['length', '', 'Number of characters'],
  ['includes', '(text)', 'Whether it holds the text'],
  ['startsWith', '(text)', 'Whether it begins so'],
  ['endsWith', '(text)', 'Whether it ends so'],
  ['indexOf', '(text)', 'Where the text first stands, or -1'],
  ['slice', '(from, to)', 'A part of it'],
  ['split', '(by)', 'Its parts as a list'],
  ['replace', '(what, with)', 'The first one replaced'],
  ['replaceAll', '(what, with)', 'All of them replaced'],
  ['toUpperCase', '()', 'In capitals'],
  ['toLowerCase', '()', 'In small letters'],
  ['trim', '()', 'Without blanks at both ends'],
  ['padStart', '(length, with)', 'Filled up at its beginning'],
])

export const listMethods = known([
  ['length', '', 'Number of items'],
  ['map', '(x => …)', 'Each item turned into something'],
  ['filter', '(x => …)', 'The items that fit'],
  ['find', '(x => …)', 'The first item that fits'],
  ['some', '(x => …)', 'Whether one fits'],
  ['every', '(x => …)', 'Whether all fit'],
  ['reduce', '((sum, x) => …, 0)', 'All items folded into one value'],
  ['includes', '(item)', 'Whether it holds the item'],
  ['join', "(', ')", 'As one text'],
  ['at', '(-1)', 'An item, from the end when negative'],
  ['slice', '(from, to)', 'A part of it'],
  ['concat', '(list)', 'With another list behind it'],
  ['flat', '()', 'Lists in it unfolded'],
  ['toReversed', '()', 'The other way round'],
])

export const numberMethods = known([['toFixed', '(2)', 'As text with so many places behind the point']])
