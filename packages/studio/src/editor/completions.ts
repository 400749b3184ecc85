/** What may follow in an expression. Pure: the editor only draws it. */
import { functions, listMethods, numberMethods, textMethods } from './expression-functions.ts'
import type { Shape } from './shape.ts'

export interface Offer {
  readonly label: string
  /** What is written instead of `label`. */
  readonly apply?: string
  /** Where what is written begins; absent: with the word. */
  readonly from?: number
  readonly kind: 'variable' | 'property' | 'function' | 'method'
  readonly detail: string
  readonly note?: string | undefined
}

export interface Offers {
  /** Where the word begins that is completed. */
  readonly from: number
  readonly offers: readonly Offer[]
}

const PATH = /([A-Za-z_$][\w$]*(?:\??\.[\w$]+|\[(?:\d+|"[^"]*"|'[^']*')\])*)(\??\.)([\w$]*)$/
const WORD = /(?:^|[^\w$.])([A-Za-z_$][\w$]*)$/
const NAME = /^[A-Za-z_$][\w$]*$/

/** `before`: the text up to the cursor. `asked`: somebody wants to see what there is. */
export function offersAt(before: string, scope: Shape, asked: boolean): Offers | undefined {
  const path = PATH.exec(before)
  if (path !== null) return membersAt(before, path, scope)
  const word = WORD.exec(before)?.[1] ?? ''
  if (word === '' && !asked) return undefined
  if (word === '' && /[\w$)\]"'`]$/.test(before)) return undefined
  const names = Object.entries(scope.members ?? {}).map(([name, shape]) => offerOf(name, shape, 'variable'))
  const calls = functions.map(
    ({ name, call, note }): Offer => ({ label: name, apply: `${name}(`, kind: 'function', detail: call, note }),
  )
  return { from: before.length - word.length, offers: [...names, ...calls] }
}

function membersAt(
  before: string,
  [, path = '', dot = '', word = '']: RegExpExecArray,
  scope: Shape,
): Offers | undefined {
  const from = before.length - word.length
  if (/^(Math|Number|Object|Array|JSON)$/.test(path)) {
    const offers = functions
      .filter(({ name }) => name.startsWith(`${path}.`))
      .map(({ name, call, note }): Offer => {
        const label = name.slice(path.length + 1)
        return { label, apply: `${label}(`, kind: 'function', detail: call, note }
      })
    return { from, offers }
  }
  const shape = shapeAt(scope, path)
  if (shape === undefined) return undefined
  const members = Object.entries(shape.members ?? {}).map(([name, each]): Offer => {
    const offer = offerOf(name, each, 'property')
    // A name that is none in the language stands in brackets, in the place of the point.
    return NAME.test(name) ? offer : { ...offer, apply: `[${JSON.stringify(name)}]`, from: from - dot.length }
  })
  return { from, offers: [...members, ...methodsOf(shape)] }
}

function methodsOf({ type }: Shape): readonly Offer[] {
  const methods = { string: textMethods, array: listMethods, number: numberMethods, integer: numberMethods }[type] ?? []
  return methods.map(({ name, call, note }) => ({
    ...(call === '' ? {} : { apply: `${name}(` }),
    ...{ label: name, kind: 'method', detail: call, note },
  }))
}

const offerOf = (label: string, { type, note }: Shape, kind: Offer['kind']): Offer => ({
  label,
  kind,
  detail: type,
  note,
})

export function shapeAt(scope: Shape, path: string): Shape | undefined {
  let shape: Shape | undefined = scope
  for (const [, name, index, double, single] of path.matchAll(
    /([A-Za-z_$][\w$]*)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g,
  )) {
    const member: string | undefined = name ?? double ?? single
    shape = member === undefined && index !== undefined ? shape?.items : shape?.members?.[member ?? '']
    if (shape === undefined) return undefined
  }
  return shape
}
