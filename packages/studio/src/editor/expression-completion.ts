import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { type Offer, offersAt } from './completions.ts'
import type { Shape } from './shape.ts'

/** `scope` is asked whenever it is needed: what can be named changes while somebody writes. */
export function expressionCompletion(scope: () => Shape): Extension {
  const source = (context: CompletionContext): CompletionResult | null => {
    const found = offersAt(context.state.sliceDoc(0, context.pos), scope(), context.explicit)
    if (found === undefined) return null
    return { from: found.from, options: found.offers.map((offer) => optionOf(offer, found.from)), validFor: /^[\w$]*$/ }
  }
  return autocompletion({ override: [source], icons: false, activateOnTyping: true, aboveCursor: false })
}

const types = { variable: 'variable', property: 'property', function: 'function', method: 'method' } as const

function optionOf({ label, apply = label, from, kind, detail, note }: Offer, word: number): Completion {
  return {
    label,
    detail,
    type: types[kind],
    boost: kind === 'variable' || kind === 'property' ? 10 : 0,
    ...(note === undefined ? {} : { info: note }),
    apply: (view, _completion, start, end) => {
      const at = from === undefined ? start : start - (word - from)
      view.dispatch({ changes: { from: at, to: end, insert: apply }, selection: { anchor: at + apply.length } })
    },
  }
}
