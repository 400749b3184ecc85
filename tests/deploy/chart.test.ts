import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { resolveNodeOptions } from 'lockstep'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { environmentNames } from '../../packages/lockstep/src/options/raw-options.ts'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { requireSafeStart } from '../../packages/lockstep/src/options/require-safe-start.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { type Manifest, manifestFault, manifestsIn } from './check-manifest.ts'
import { renderChart, type Values } from './render-chart.ts'

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url))
const chart = path.join(deploy, 'helm', 'lockstep')
const kubernetes = path.join(deploy, 'kubernetes')
/** `kubectl apply -f` takes what is in a folder, and not what is in folders below it. */
const plainIn = (folder: string): readonly string[] =>
  readdirSync(path.join(kubernetes, folder)).filter((file) => file.endsWith('.yaml'))
const plain = (): readonly string[] => [...plainIn('.'), ...plainIn('clock').map((file) => path.join('clock', file))]
const rendered = (values: Values = {}): readonly Manifest[] =>
  [...renderChart(chart, 'lockstep', values).values()].flatMap(manifestsIn)
const one = (all: readonly Manifest[], kind: string): Manifest => all.find((each) => each.kind === kind)!
const faults = (all: readonly Manifest[]): unknown[] =>
  all.flatMap((each) => {
    const fault = manifestFault(each)
    return fault === undefined ? [] : [[each.kind, fault]]
  })

const HEADER = `# As deploy/helm/lockstep prints it with its defaults, for those who do without Helm. Change it there, then:
# npx vitest run tests/deploy/chart.test.ts -u
`

describe('the chart', () => {
  it.each<[string, Values]>([
    ['its defaults', {}],
    ['a clock outside', { clock: { enabled: true }, scheduler: 'off' }],
    ['PostgreSQL only', { redis: { enabled: false }, locks: 'postgres', bus: 'postgres', cache: 'memory' }],
    ['a fixed number of nodes', { autoscaling: { enabled: false }, replicaCount: 5 }],
    [
      'everything that can be left out left out',
      {
        ...{ migrate: { enabled: false }, ingress: { enabled: false }, networkPolicy: { enabled: false } },
        ...{ podAnnotations: null, publicUrl: '', trustProxy: '', autoscaling: { enabled: false } },
      },
    ],
    [
      'everything that can be added',
      {
        ...{ rabbitmq: { enabled: true }, clock: { enabled: true }, otlpEndpoint: 'http://collector:4318' },
        ...{ podMonitor: { enabled: true }, imagePullSecrets: [{ name: 'registry' }] },
        ...{ nodeSelector: { pool: 'work' }, tolerations: [{ key: 'work', operator: 'Exists' }] },
        ...{ image: { tag: '9' }, extraEnv: [{ name: 'LOCKSTEP_REQUESTS', value: '10' }] },
      },
    ],
  ])('makes manifests that Kubernetes takes, with %s', (_what, values) => {
    const all = rendered(values)
    expect(all.length).toBeGreaterThan(3)
    // What the operator of Prometheus adds is none of Kubernetes' own.
    expect(faults(all.filter(({ apiVersion }) => apiVersion !== 'monitoring.coreos.com/v1'))).toEqual([])
  })

  it('tells when the Secret has no name', () => {
    expect(() => rendered({ secretName: '' })).toThrow('secretName names the Secret')
  })

  it('is found wrong when a manifest is', () => {
    const deployment = one(rendered(), 'Deployment')
    expect(faults([{ ...deployment, spec: { ...deployment.spec, replicas: 'three' } }])).toHaveLength(1)
    expect(faults([{ apiVersion: 'apps/v1', kind: 'Deploymint' }])).toHaveLength(1)
  })

  it('follows its values', () => {
    const all = rendered({
      ...{ autoscaling: { enabled: false }, replicaCount: 5, drainSeconds: 40, image: { tag: '9' } },
      ...{ extraEnv: [{ name: 'LOCKSTEP_REQUESTS', value: '10' }] },
    })
    const { spec } = one(all, 'Deployment')
    const pod = spec.template.spec
    expect([spec.replicas, pod.terminationGracePeriodSeconds, pod.containers[0].image]).toEqual([5, 55, 'lockstep:9'])
    expect(pod.containers[0].env).toEqual(
      expect.arrayContaining([
        { name: 'LOCKSTEP_REQUESTS', value: '10' },
        { name: 'LOCKSTEP_DRAIN_MS', value: '40000' },
      ]),
    )
    expect(one(all, 'HorizontalPodAutoscaler')).toBeUndefined()
  })

  it('follows values of where pods run, in every pod', () => {
    const wanted = {
      ...{ imagePullSecrets: [{ name: 'registry' }], nodeSelector: { pool: 'work' } },
      tolerations: [{ key: 'work', operator: 'Exists' }],
    }
    const all = rendered({ ...wanted, clock: { enabled: true } })
    expect(one(all, 'Deployment').spec.template.spec).toMatchObject(wanted)
    expect(one(all, 'CronJob').spec.jobTemplate.spec.template.spec).toMatchObject(wanted)
  })

  it('has Prometheus name the job as alerts do, whatever the release is called', () => {
    const all = [...renderChart(chart, 'shop-flows', { podMonitor: { enabled: true } }).values()].flatMap(manifestsIn)
    const { jobLabel } = one(all, 'PodMonitor').spec
    const job = one(all, 'Deployment').spec.template.metadata.labels[jobLabel]
    const asked = readFileSync(path.join(deploy, 'prometheus', 'alerts.yml'), 'utf8').matchAll(/job="([^"]*)"/g)
    expect(new Set([...asked].map(([, name]) => name))).toEqual(new Set([job]))
  })

  it('lets nodes reach what they need, and no private address besides', () => {
    const egress = (values: Values): Manifest[] => one(rendered(values), 'NetworkPolicy').spec.egress
    const ports = (values: Values = {}): number[] =>
      egress(values).flatMap((each) => each.ports.map(({ port }: Manifest) => port))
    expect(one(rendered(), 'NetworkPolicy').spec.policyTypes).toEqual(['Ingress', 'Egress'])
    expect(ports()).toEqual([53, 53, 5432, 6379, 80, 443])
    expect(ports({ redis: { enabled: false }, rabbitmq: { enabled: true } })).toEqual([53, 53, 5432, 5672, 80, 443])
    const [, , outside] = egress({})
    expect(outside!.to[0].ipBlock.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']))
    const mail = { ports: [{ port: 587, protocol: 'TCP' }] }
    expect(egress({ networkPolicy: { publicPorts: [], extraEgress: [mail] } }).slice(2)).toEqual([mail])
  })

  it('explains every value', () => {
    const lines = readFileSync(path.join(chart, 'values.yaml'), 'utf8').split('\n')
    const bare = Object.keys(parse(lines.join('\n')) as object).filter((name) => {
      const at = lines.findIndex((line) => line.startsWith(`${name}:`))
      const block = lines.slice(lines.lastIndexOf('', at) + 1)
      return !block.slice(0, block.indexOf('')).some((line) => line.trim().startsWith('#'))
    })
    expect(bare.sort()).toEqual(['replicaCount', 'resources', 'service'].filter((name) => bare.includes(name)))
  })
})

describe('the plain manifests', () => {
  it('are what the chart prints with its defaults and a clock', async () => {
    const files = renderChart(chart, 'lockstep', { clock: { enabled: true } })
    const placeOf = (file: string): string => (file === 'clock.yaml' ? path.join('clock', file) : file)
    for (const [file, text] of files)
      await expect(HEADER + text).toMatchFileSnapshot(path.join(kubernetes, placeOf(file)))
    expect([...plain()].sort()).toEqual([...files.keys()].map(placeOf).sort())
  })

  it('have no pod that wants a Secret, applied together as the page says, that the page does not make', () => {
    const page = codeBlocks('docs/how-to/kubernetes.md')
      .map(({ code }) => code)
      .join('\n')
    expect(page).toContain('kubectl apply -f deploy/kubernetes\n')
    const made = new Set([...page.matchAll(/create secret generic ([\w-]+)/g)].map(([, name]) => name))
    const texts = plainIn('.').map((file) => readFileSync(path.join(kubernetes, file), 'utf8'))
    const wanted = texts.flatMap((text) =>
      [...text.matchAll(/secretKeyRef: \{ name: ([\w-]+)/g)].map(([, name]) => name),
    )
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.filter((name) => !made.has(name))).toEqual([])
  })

  const all = (): readonly Manifest[] =>
    plain().flatMap((file) => manifestsIn(readFileSync(path.join(kubernetes, file), 'utf8')))
  const pods = () => [
    one(all(), 'Deployment').spec.template.spec,
    one(all(), 'CronJob').spec.jobTemplate.spec.template.spec,
  ]

  it('are ones that Kubernetes takes', () => expect(faults(all())).toEqual([]))

  it('give requests to any node, and keep some of them whatever is done on purpose', () => {
    expect(one(all(), 'Service').spec.sessionAffinity).toBe('None')
    expect(one(all(), 'PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 })
    expect(one(all(), 'Deployment').spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
    expect(one(all(), 'HorizontalPodAutoscaler').spec.minReplicas).toBe(3)
    expect(one(all(), 'Deployment').spec.template.spec.affinity.podAntiAffinity).toBeDefined()
  })

  it('tell no pod where Services are: a variable of theirs is one of ours', () => {
    for (const pod of pods()) expect(pod.enableServiceLinks).toBe(false)
    expect(() => resolveNodeOptions(readEnvironment({ LOCKSTEP_PORT: 'tcp://10.96.0.7:4400' }))).toThrow('port')
  })

  it('run everything as nobody in particular, with a root that cannot be written, in UTC', () => {
    for (const pod of pods()) {
      expect([pod.securityContext.runAsNonRoot, pod.automountServiceAccountToken]).toEqual([true, false])
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext
        expect([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop]).toEqual([false, true, ['ALL']])
        expect(container.resources.limits.memory).toBeDefined()
      }
      for (const container of pod.containers)
        expect(container.env).toEqual(expect.arrayContaining([{ name: 'TZ', value: 'UTC' }]))
    }
  })

  it('name no value of a secret, and only variables that a node reads', () => {
    const known = new Set<string>([...Object.values(environmentNames), 'TZ', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'KEY'])
    const secrets = /URL$|SECRET$|KEYS?$/
    for (const pod of pods())
      for (const { name, value } of [...(pod.initContainers ?? []), ...pod.containers].flatMap((each) => each.env)) {
        expect(known).toContain(name)
        if (secrets.test(name) && name !== 'LOCKSTEP_PUBLIC_URL') expect([name, value]).toEqual([name, undefined])
      }
  })

  it('have the variables of a node that starts', () => {
    const secrets: Record<string, string> = {
      ...{ 'node-url': 'postgres://node:pass@db:5432/app', 'redis-url': 'redis://:pass@cache:6379' },
      ...{ 'lockstep-secret': '0123456789abcdef0123456789abcdef', 'first-key': 'fedcba9876543210fedcba9876543210' },
      'secret-keys': 'q0nKx3Ck9rU4sFv8bWzYt1hJmPl6oEiDgA2R5T7XcVw=',
    }
    const { env } = pods()[0].containers[0]
    const environment = Object.fromEntries(
      env.map(({ name, value, valueFrom }: Manifest) => [
        name,
        value ?? secrets[valueFrom.secretKeyRef?.key] ?? 'pod-1',
      ]),
    )
    // What Kubernetes adds of the Service `lockstep`, unless it is told not to: it would take the place of what the image says.
    const links = { LOCKSTEP_PORT: 'tcp://10.96.0.7:4400', LOCKSTEP_SERVICE_HOST: '10.96.0.7' }
    const added = pods()[0].enableServiceLinks === false ? {} : links
    const options = resolveNodeOptions(readEnvironment({ LOCKSTEP_HOST: '0.0.0.0', ...added, ...environment }))
    expect(() => requireSafeStart(options)).not.toThrow()
    expect(options.secretKeys).toHaveLength(1)
    expect([options.locks, options.bus, options.migrate, options.nodeName]).toEqual([
      'redis',
      'redis',
      'check',
      'pod-1',
    ])
  })

  it('give a node more time to stop than its steps get', () => {
    const [pod] = pods()
    const drain = pod.containers[0].env.find((each: Manifest) => each.name === 'LOCKSTEP_DRAIN_MS').value
    const [sleep, leaveSeconds] = pod.containers[0].lifecycle.preStop.exec.command
    expect([sleep, Number(leaveSeconds)]).toEqual(['sleep', 5])
    expect((pod.terminationGracePeriodSeconds - leaveSeconds) * 1_000).toBeGreaterThan(Number(drain))
  })

  it('ask the paths of health that a node serves', () => {
    const [node] = pods()[0].containers
    const paths = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => node[probe].httpGet.path)
    expect(paths).toEqual(['/health/startup', '/health/ready', '/health/live'])
  })
})

describe('the page', () => {
  const shown = codeBlocks('docs/how-to/kubernetes.md')
    .map(({ code }) => code)
    .join('\n')

  it('makes the Secrets that the nodes read, with every key, and no other', () => {
    const made = [...shown.matchAll(/^kubectl (?:--namespace \S+ )?create secret generic (\S+) (.*)$/gm)].flatMap(
      ([, name, rest]) => [...rest!.matchAll(/--from-file=(\S+)/g)].map(([, key]) => `${name}/${key}`),
    )
    const { initContainers, containers } = one(rendered(), 'Deployment').spec.template.spec
    const read = [...initContainers, ...containers]
      .flatMap(({ env }) => env)
      .flatMap(({ valueFrom }) => (valueFrom?.secretKeyRef ? [valueFrom.secretKeyRef] : []))
      .map(({ name, key }) => `${name}/${key}`)
    const ofPrometheus = one(rendered({ podMonitor: { enabled: true } }), 'PodMonitor').spec.podMetricsEndpoints[0]
    const { name, key } = ofPrometheus.authorization.credentials
    expect(made.sort()).toEqual([...read, `${name}/${key}`].sort())
  })

  it('sets values that there are, and names folders that there are', () => {
    const values = parse(readFileSync(path.join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>
    const set = [...shown.matchAll(/--set (\S+?)=/g)].map(([, name]) => name!)
    expect(set.length).toBeGreaterThan(0)
    for (const name of set) expect(values).toHaveProperty(name)
    for (const [, folder] of shown.matchAll(/(deploy\/\S+)/g))
      expect([folder, existsSync(path.join(deploy, '..', folder!))]).toEqual([folder, true])
  })
})
