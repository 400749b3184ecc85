/**
 * Headers that an author cannot set. What a workflow answers comes from the same origin as Studio: these would weaken what protects it
 * there, set or clear what browsers keep for it, or speak to a proxy in between.
 */
const RESERVED: ReadonlySet<string> = new Set([
  ...['set-cookie', 'set-cookie2', 'clear-site-data', 'service-worker-allowed', 'origin-agent-cluster'],
  ...['x-content-type-options', 'x-frame-options', 'x-xss-protection', 'x-permitted-cross-domain-policies'],
  ...['referrer-policy', 'permissions-policy', 'document-policy', 'strict-transport-security', 'public-key-pins'],
  ...['alt-svc', 'nel', 'report-to', 'reporting-endpoints', 'expect-ct', 'x-sendfile'],
])
const FAMILIES = /^(?:content-security-policy|access-control-|cross-origin-|x-accel-)/

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || FAMILIES.test(lower)
}
