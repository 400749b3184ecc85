/** The Restate SDK calls this; Node has it from version 22 on. */
Promise.withResolvers ??= function withResolvers() {
  let resolve
  let reject
  const promise = new this((accept, refuse) => {
    resolve = accept
    reject = refuse
  })
  return { promise, resolve, reject }
}
