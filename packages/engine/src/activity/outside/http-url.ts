import type { Json } from '@lockstep/base'
import type { Secrets } from '../../outbound/secrets.ts'
import { badInput } from './outside-step.ts'
import { textOrSecret } from './secret-input.ts'

export interface TargetUrl {
  readonly url: URL
  /** For messages: without query, and without the path when the URL is a secret. */
  readonly shown: string
  readonly secret: string | undefined
}

export async function targetUrl(value: Json | undefined, secrets: Secrets): Promise<TargetUrl> {
  const { text, secret } = await textOrSecret(value, secrets)
  if (!URL.canParse(text)) {
    const shown = secret === undefined ? `, not ${JSON.stringify(text.slice(0, 200))}` : ''
    throw badInput(`input "url" must be a whole URL such as https://example.org/orders${shown}`)
  }
  const url = new URL(text)
  return { url, shown: secret === undefined ? `${url.origin}${url.pathname}` : url.origin, secret }
}
