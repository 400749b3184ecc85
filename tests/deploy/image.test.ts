import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@lockstep/testing/harness'
import { describe, expect, it } from 'vitest'
import { DATABASE_WAIT_MS } from '../../packages/lockstep/src/wait-for-database.ts'
import { until } from '../faults/until.ts'
import { readCopy, readDockerfile } from './dockerfile.ts'
import { runImageSteps } from './image-steps.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = (name: string): string => readFileSync(path.join(root, 'deploy', 'docker', name), 'utf8')
const { args, stages } = readDockerfile(file('Dockerfile'))
const last = stages.at(-1)!
const texts = (name: string): string[] => last.instructions.filter((each) => each.name === name).map(({ text }) => text)

describe('the image', () => {
  it('is built in stages, from a base with a version', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', 'pruned', 'run'])
    expect(args.get('NODE_IMAGE')).toMatch(/^node:\d+\.\d+-/)
    expect(last.from).toBe(args.get('NODE_IMAGE'))
  })

  it('does not run as root, says whether it is well, and stops by a signal', () => {
    expect(texts('USER')).toEqual(['node'])
    expect(texts('HEALTHCHECK')).toEqual([expect.stringMatching(/CMD \["node", "healthcheck\.mjs"\]$/)])
    const [, startPeriod] = /--start-period=(\d+)s/.exec(texts('HEALTHCHECK')[0]!)!
    expect(Number(startPeriod) * 1_000).toBeGreaterThan(DATABASE_WAIT_MS)
    expect(texts('ENTRYPOINT')).toEqual(['["node", "packages/lockstep/bin/lockstep.mjs"]'])
    expect(texts('CMD')).toEqual(['["server"]'])
  })

  it('holds no secret and nothing that is needed only to build', () => {
    expect(file('Dockerfile')).not.toMatch(/(PASSWORD|_SECRET|_KEY|TOKEN)\s*=/)
    const copied = last.instructions.filter(({ name }) => name === 'COPY').map(({ text }) => readCopy(text))
    expect(copied.filter(({ from }) => from === 'build')).toEqual([])
    expect(stages[1]!.instructions.some(({ text }) => text.includes('npm ci --omit=dev'))).toBe(true)
    for (const name of ['.git', '**/node_modules', '**/secrets', '**/.env*', '**/dist', '**/bundle'])
      expect(file('Dockerfile.dockerignore').split('\n')).toContain(name)
  })

  it('copies only what is there', () => {
    for (const { name, text } of stages.flatMap(({ instructions }) => instructions)) {
      if (name !== 'COPY') continue
      const { from, sources } = readCopy(text)
      if (from !== undefined) expect(stages.map((stage) => stage.name)).toContain(from)
      else expect(sources.filter((source) => !existsSync(path.join(root, source)))).toEqual([])
    }
  })

  // Installs everything twice: minutes, and the network. For whoever changes the Dockerfile: LOCKSTEP_TEST_IMAGE=1.
  it.runIf(process.env.LOCKSTEP_TEST_IMAGE === '1')(
    'runs after its steps were done in an empty folder',
    { timeout: 1_200_000 },
    async () => {
      const into = mkdtempSync(path.join(tmpdir(), 'lockstep-image-'))
      const ignored = /\/(node_modules|dist|\.lockstep|secrets|snapshot)\/|\.tsbuildinfo\/$/
      const { workdir } = runImageSteps(file('Dockerfile'), root, ignored, into)
      const environment = { PATH: process.env.PATH ?? '', LOCKSTEP_DATA_DIR: path.join(into, 'data') }
      const port = String(await freePort())
      const node = spawn(process.execPath, ['packages/lockstep/bin/lockstep.mjs', 'server'], {
        cwd: workdir,
        env: { ...environment, LOCKSTEP_PORT: port },
        stdio: 'pipe',
      })
      let output = ''
      for (const stream of [node.stdout, node.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
      const isHealthy = (): boolean => {
        try {
          execFileSync(process.execPath, ['healthcheck.mjs'], {
            cwd: workdir,
            env: { ...environment, LOCKSTEP_PORT: port },
          })
          return true
        } catch {
          if (node.exitCode !== null) throw new Error(`the node ended: ${output}`)
          return false
        }
      }
      try {
        expect(isHealthy()).toBe(false)
        await until('the health check says yes', async () => isHealthy(), 60_000)
        expect((await fetch(`http://127.0.0.1:${port}/`)).headers.get('content-type')).toContain('text/html')
        expect(existsSync(path.join(workdir, 'node_modules', 'typescript'))).toBe(false)
        expect(existsSync(path.join(workdir, 'node_modules', 'react-dom'))).toBe(false)
      } finally {
        node.kill('SIGTERM')
        await new Promise((resolve) => node.once('exit', resolve))
        rmSync(into, { recursive: true, force: true })
      }
      expect(node.exitCode).toBe(0)
    },
  )
})
