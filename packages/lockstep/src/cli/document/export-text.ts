import type { Session } from '../remote/remote-command.ts'

/** The text as the server wrote it, not as a parser would write it again. */
export async function exportText({ api }: Session, path: string, query: Record<string, string>): Promise<string> {
  const { body } = await api.call('GET', path, { query })
  return typeof body === 'string' ? body : `${JSON.stringify(body, null, 2)}\n`
}
