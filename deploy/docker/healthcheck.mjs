// Asks the node in this container whether it may be sent work. Ends with 0 or 1, as a health check must.
const { LOCKSTEP_PORT = '4400', LOCKSTEP_BASE_PATH = '/' } = process.env
const url = `http://127.0.0.1:${LOCKSTEP_PORT}${LOCKSTEP_BASE_PATH.replace(/\/+$/, '')}/health/ready`
const isReady = await fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
  (response) => response.ok,
  () => false,
)
process.exit(isReady ? 0 : 1)
