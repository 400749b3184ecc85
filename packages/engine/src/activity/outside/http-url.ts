import type { Json } from '@lockstep/base'
import { badInput } from './outside-step.ts'
import { namedByData } from './secret-input.ts'

export interface TargetUrl {
  readonly url: URL
  /** For messages: without query, and without the path when a secret is in the URL. */
  readonly shown: string
  readonly holdsSecret: boolean
}

export function targetUrl(value: Json | undefined, holdsSecret: (text: string) => boolean): TargetUrl {
  if (typeof value === 'object') throw namedByData('input "url"')
  const text = String(value)
  const isSecret = holdsSecret(text)
  if (!URL.canParse(text)) {
    const shown = isSecret ? '' : `, not ${JSON.stringify(text.slice(0, 200))}`
    throw badInput(`input "url" must be a whole URL such as https://example.org/orders${shown}`)
  }
  const url = new URL(text)
  return { url, shown: isSecret ? url.origin : `${url.origin}${url.pathname}`, holdsSecret: isSecret }
}
