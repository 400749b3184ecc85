/** A word of the API as it stands alone: `resetCircuitBreaker` and `half-open` become `Reset circuit breaker` and `Half-open`. */
export function sentence(word: string): string {
  const apart = word.replace(
    /([a-z0-9])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  )
  const named = apart.replace(/\bapi\b/, 'API')
  return named.charAt(0).toUpperCase() + named.slice(1)
}
