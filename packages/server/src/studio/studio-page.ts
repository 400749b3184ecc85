/** What the build leaves open in the page: where it is served, and which style elements it may add. */
const BASE = '<base href="/" />'
const NONCE = '<meta name="csp-nonce" content="" />'

/** The page with its base path. `nonce` allows the style elements that components add while they are shown; it is another one every time. */
export function studioPage(html: string, basePath: string, nonce: string): string {
  return html
    .replace(BASE, `<base href="${basePath}/" />`)
    .replace(NONCE, `<meta name="csp-nonce" content="${nonce}" />`)
}

/** Files of this server, its API, and nothing else. */
export function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
