/** Where a secret may be sent. Who names the hosts is not who writes the workflow, nor who sends the data that an address is made of. */
import { SecretUnusable } from '../outbound/errors.ts'

export const MOST_SECRET_HOSTS = 20
const ANY_BELOW = '*.'

/** `api.example.org`, `*.example.org` for all names below it, `api.example.org:8443` for one port alone. `undefined`: it is no host. */
export function secretHost(text: string): string | undefined {
  const wild = text.startsWith(ANY_BELOW) ? ANY_BELOW : ''
  const name = text.slice(wild.length)
  if (/[\s/\\@?#*]/.test(name) || !URL.canParse(`http://${name}`)) return undefined
  const { hostname } = new URL(`http://${name}`)
  const [, port] = /:(\d+)$/.exec(name.replace(/^\[[^\]]*\]/, '')) ?? []
  if (hostname === '' || (wild !== '' && /^[\d.]+$|^\[/.test(hostname))) return undefined
  return `${wild}${hostname}${port === undefined ? '' : `:${Number(port)}`}`
}

/**
 * Throws `SECRET_UNUSABLE` unless a secret for `hosts` may go to `to`. `to` absent: nobody says where it goes. `isHidden`: it is a secret itself,
 * and the error does not tell it.
 */
export function requireHost(
  name: string,
  hosts: readonly string[],
  to: string | URL | undefined,
  isHidden = false,
): void {
  if (hosts.length === 0) return
  const alone = `may be sent to ${hosts.join(', ')} alone`
  if (to === undefined)
    throw new SecretUnusable({
      name,
      why: `${alone}, and this step does not say where it sends it: use it in http-request or webhook, in code as secret(name, url), or take its hosts away`,
    })
  const url = URL.canParse(String(to)) ? new URL(to) : undefined
  if (url !== undefined && hosts.some((host) => isFor(host, url))) return
  throw new SecretUnusable({
    name,
    why: `${alone}, not to ${wordFor(url, isHidden)}: send it there, or add that host to the secret`,
  })
}

function wordFor(url: URL | undefined, isHidden: boolean): string {
  if (url === undefined) return 'what is no URL'
  return isHidden ? 'where that secret URL leads' : url.host
}

function isFor(host: string, url: URL): boolean {
  const [, wild, name, port] = /^(\*\.)?(.*?)(?::(\d+))?$/.exec(host)!
  if (port !== undefined && port !== portOf(url)) return false
  return wild === undefined ? url.hostname === name : url.hostname.endsWith(`.${name}`)
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')
