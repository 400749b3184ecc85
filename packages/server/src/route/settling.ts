/** As `try … finally`, for work that may answer at once: a promise where there is nothing to wait for is felt in every answer. */
export function settling<T>(work: () => T | Promise<T>, after: () => void): T | Promise<T> {
  let result: T | Promise<T>
  try {
    result = work()
  } catch (error) {
    after()
    throw error
  }
  if (!(result instanceof Promise)) {
    after()
    return result
  }
  return result.then(
    (value) => {
      after()
      return value
    },
    (error: unknown) => {
      after()
      throw error
    },
  )
}
