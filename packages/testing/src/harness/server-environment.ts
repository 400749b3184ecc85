/** What a server may know of the environment of the tests: not which servers, users or passwords they use by default. */
export function serverEnvironment(home: string): Record<string, string> {
  const { PATH = '', LD_LIBRARY_PATH } = process.env
  return { PATH, HOME: home, LANG: 'C.UTF-8', ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) }
}
