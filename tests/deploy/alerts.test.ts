import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { aptInstaller, locatorFor } from '@lockstep/testing/harness'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8')
interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string }
}
const rules = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)

const page = read('docs/reference/metrics.md')
const [, processPart = ''] = page.split('## Streams and process')
const listed = new Map([...page.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => [name!, type!]))
const lag = [...processPart.matchAll(/`(nodejs_eventloop_lag_)mean(_seconds)` \(([^)]*)\)/g)].flatMap(
  ([, a, b, more]) => [...more!.matchAll(/`(\w+)`/g)].map(([, word]) => `${a}${word}${b}`),
)
const plain = new Set([
  'up',
  ...lag,
  ...[...processPart.matchAll(/`((?:nodejs|process)_\w+)`/g)].map(([, name]) => name!),
])

/** Names in an expression that are no metric of a node, or used in a form that its type does not have. */
function strangers(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"|\$\w+|\[[^\]]*\]/g, '').replaceAll(/\bby \([^)]*\)/g, '')
  return [...bare.matchAll(/\b(?:lockstep|nodejs|process)_\w+|\bup\b/g)]
    .map(([name]) => name)
    .filter((name) => {
      const base = name.replace(/_(bucket|sum|count)$/, '')
      const type = listed.get(base)
      if (type === 'histogram' || (type === 'summary' && !name.endsWith('_bucket')))
        return base === name && type === 'histogram'
      return !listed.has(name) && !plain.has(name)
    })
}

describe('queries', () => {
  it('are recognised when they name no metric of a node', () => {
    expect(strangers('rate(lockstep_no_such_total[5m]) + lockstep_instances_held')).toEqual(['lockstep_no_such_total'])
    expect(strangers('lockstep_queue_age_seconds')).toEqual(['lockstep_queue_age_seconds'])
    expect(strangers('lockstep_lock_wait_seconds_bucket')).toEqual(['lockstep_lock_wait_seconds_bucket'])
  })

  it('of every alert name metrics that nodes serve', () => {
    expect(rules.length).toBeGreaterThan(10)
    expect(rules.flatMap(({ alert, expr }) => strangers(expr).map((name) => [alert, name]))).toEqual([])
  })

  it('of every panel of the dashboard name metrics that nodes serve', () => {
    const { panels } = JSON.parse(read('packages/server/grafana/lockstep.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[]
    }
    const asked = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.flatMap(({ title, expr }) => strangers(expr).map((name) => [title, name]))).toEqual([])
    const shown = asked.map(({ expr }) => expr).join(' ')
    expect([...listed.keys()].filter((name) => name.startsWith('lockstep_') && !shown.includes(name))).toEqual([])
  })
})

describe('alerts', () => {
  it('say where to read on, in a page that is there', () => {
    for (const { alert, annotations } of rules) {
      expect([alert, annotations.summary, annotations.description]).not.toContain(undefined)
      expect([alert, existsSync(path.join(root, annotations.runbook))]).toEqual([alert, true])
    }
  })

  it('are named by the page of a symptom that they lead to, and all by the page of metrics', () => {
    const page = read('docs/how-to/metrics.md')
    for (const { alert, labels, annotations } of rules) {
      const runbook = read(annotations.runbook)
      if (annotations.runbook.startsWith('docs/troubleshooting/')) expect(runbook).toContain(`\`${alert}\``)
      const [title] = runbook.slice(2).split('\n')
      expect(page).toMatch(new RegExp(`^\\| \`${alert}\` \\| ${labels.severity} \\| .+ \\| \\[${title}\\]`, 'm'))
    }
  })

  let promtool: string | undefined
  beforeAll(async () => {
    const locate = locatorFor(process.env.PATH)
    const installer = aptInstaller()
    const isThere = (): boolean => locate('promtool') !== undefined
    if (!isThere() && installer.unable() === undefined)
      await installer.install(['prometheus'], isThere, () => undefined).catch(() => undefined)
    promtool = locate('promtool')
  })

  const promtoolSays = (words: readonly string[]) =>
    spawnSync(promtool!, words, { cwd: path.join(root, 'deploy', 'prometheus'), encoding: 'utf8' })

  it('are rules that Prometheus takes', (context) => {
    if (promtool === undefined) return context.skip('there is no promtool, and it cannot be installed here')
    const { status, stdout, stderr } = promtoolSays(['check', 'rules', 'alerts.yml'])
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })

  it('have each been tried with what makes them fire, and with what must not', () => {
    interface Tried {
      readonly alertname: string
      readonly exp_alerts?: readonly unknown[]
    }
    const file = parse(read('deploy/prometheus/alerts.test.yml')) as { tests: { alert_rule_test: Tried[] }[] }
    const tried = file.tests.flatMap((test) => test.alert_rule_test)
    const having = (fires: boolean): Set<string> =>
      new Set(tried.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname))
    const all = new Set(rules.map(({ alert }) => alert))
    expect([having(true), having(false)]).toEqual([all, all])
  })

  it('fire on what they are for, and not before', (context) => {
    if (promtool === undefined) return context.skip('there is no promtool, and it cannot be installed here')
    const { status, stdout, stderr } = promtoolSays(['test', 'rules', 'alerts.test.yml'])
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })
})
