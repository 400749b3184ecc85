/** Where Studio and its API are served. The server writes both into the page, so that one build fits any path and any host. */
const meta = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || undefined

/** Path before every page, without a slash at its end. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, '')

/** Address of the API up to and with its version. `lockstep-api` names one on another host. */
export const apiRoot = (meta('lockstep-api') ?? `${location.origin}${basePath}/api/v1`).replace(/\/+$/, '')

/** Address of the server that answers, without a slash at its end. */
export const serverRoot = apiRoot.replace(/\/api\/v1$/, '')

/** Of that address; empty where it is the usual one of its scheme. */
export const serverPort = new URL(serverRoot).port

/** Allows the style elements that components add while they are shown. */
export const styleNonce = meta('csp-nonce')
