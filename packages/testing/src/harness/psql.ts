import { spawn } from 'node:child_process'
import { ServerMissing, SqlFailed } from './errors.ts'
import { type Locator, locatorFor } from './find-binary.ts'
import { POSTGRES_VARIABLE } from './postgres-server.ts'

export interface PsqlOptions {
  /** Finds `psql`. @default beside a local PostgreSQL, then on PATH */
  readonly locate?: Locator
}

export interface PsqlSession {
  /** Sends statements, each its own transaction, and answers their rows: one line each, columns parted by `|`. */
  query(sql: string): Promise<string[]>
  close(): Promise<void>
}

/** A session that stays open until it is closed or this process ends; whatever it locks is held that long. */
export function openPsql(url: string, doing: string, options: PsqlOptions = {}): PsqlSession {
  const { locate = locatorFor(process.env.PATH) } = options
  const binary = locate('psql')
  if (!binary) throw psqlMissing()
  const { publicUrl, password } = withoutPassword(url)
  const child = spawn(binary, ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', publicUrl], {
    env: { ...process.env, PGCONNECT_TIMEOUT: '10', ...(password !== undefined && { PGPASSWORD: password }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  let onOutput = (): void => undefined
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let gone = false
  void closed.then(() => {
    gone = true
    onOutput()
  })
  child.once('error', (error) => {
    errors += error.message
  })
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    onOutput()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })

  let marks = 0
  return {
    query(sql) {
      const mark = `-- end of answer ${++marks} --\n`
      child.stdin.write(`${sql}\n\\echo '${mark.trimEnd()}'\n`)
      return new Promise((resolve, reject) => {
        onOutput = () => {
          const end = output.indexOf(mark)
          if (end >= 0) {
            const answer = output.slice(0, end)
            output = output.slice(end + mark.length)
            resolve(answer.split('\n').filter(Boolean))
          } else if (gone) reject(new SqlFailed({ doing, message: errors.trim() || 'psql ended' }))
        }
        onOutput()
      })
    },
    async close() {
      child.stdin.end()
      await closed
    },
  }
}

/** Runs statements in a session of their own. */
export async function runPsql(url: string, doing: string, sql: string, options?: PsqlOptions): Promise<string[]> {
  const session = openPsql(url, doing, options)
  try {
    return await session.query(sql)
  } finally {
    await session.close()
  }
}

/** Arguments can be read by every user of the machine, the environment cannot. */
function withoutPassword(url: string): { publicUrl: string; password: string | undefined } {
  const parsed = new URL(url)
  const password = parsed.password ? decodeURIComponent(parsed.password) : undefined
  parsed.password = ''
  return { publicUrl: parsed.href, password }
}

function psqlMissing(): Error {
  return new ServerMissing({
    server: 'The PostgreSQL client',
    binary: 'psql',
    packages: ['postgresql-client'],
    variable: POSTGRES_VARIABLE,
    reason: 'template databases are made with it',
  })
}
