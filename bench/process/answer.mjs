/**
 * The child's half: an engine in a process of its own answers requests of the benchmark one by one. When the benchmark
 * goes away, however it ended, so does the child.
 */
export function answer(verbs) {
  process.on('disconnect', () => process.exit(1))
  process.on('SIGINT', () => {}) // Ctrl-C reaches the whole group; the benchmark decides who ends when
  process.on('message', async ({ id, verb, args }) => {
    try {
      reply({ id, value: await verbs[verb](args ?? {}) })
    } catch (error) {
      reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
    if (verb === 'close') process.disconnect()
  })
  reply({ ready: true })
}

function reply(message) {
  if (process.connected) process.send(message)
}
