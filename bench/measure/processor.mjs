/**
 * Who used the processor, from /proc. A server is a tree of processes whose members come and go, so the time of a tree
 * is that of its living members plus what each of them inherited from children that ended. Elsewhere than on Linux there
 * is no /proc, and all shares are unknown.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Ticks per second that the kernel reports to programs: fixed at 100 on Linux whatever the kernel itself uses. */
const TICKS = 100
const supported = existsSync('/proc/self/stat')

/**
 * Begins to measure. `groups` maps a name to the root processes of a group. The answer's numbers are cores: 1.00 is one
 * core busy all the time. A server that is not ours has no share. `foreign` is what processes that are not ours used meanwhile: it disturbs the figures.
 */
export function startMeter(groups) {
  if (!supported) return { stop: () => ({}) }
  const from = look(groups)
  return {
    stop() {
      const to = look(groups)
      const seconds = (to.at - from.at) / 1000
      const share = (name) => Math.max(0, (to.groups[name] - from.groups[name]) / TICKS / seconds)
      const known = Object.keys(groups).filter((name) => groups[name].some((pid) => pid !== undefined))
      const machine = (cpus().length * (to.busy - from.busy)) / Math.max(1, to.all - from.all)
      const ours = (to.ours - from.ours) / TICKS / seconds
      const shares = Object.fromEntries(known.map((name) => [`${name}Cores`, share(name)]))
      return { seconds, ...shares, machineCores: machine, foreignCores: Math.max(0, machine - ours) }
    },
  }
}

function look(groups) {
  const table = processTable()
  const ticksOf = (pids) => [...pids].reduce((sum, pid) => sum + (table.get(pid)?.ticks ?? 0), 0)
  const trees = Object.entries(groups).map(([name, roots]) => [name, treeOf(roots, table)])
  const everything = new Set([...treeOf([process.pid], table), ...trees.flatMap(([, pids]) => [...pids])])
  const fields = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0].trim().split(/\s+/).slice(1, 9).map(Number)
  const all = fields.reduce((sum, ticks) => sum + ticks, 0)
  return {
    at: performance.now(),
    groups: Object.fromEntries(trees.map(([name, pids]) => [name, ticksOf(pids)])),
    ours: ticksOf(everything),
    all,
    busy: all - fields[3] - fields[4],
  }
}

function treeOf(roots, table) {
  const members = new Set(roots.filter((pid) => pid !== undefined))
  for (let grown = true; grown; ) {
    grown = false
    for (const [pid, { parent }] of table) {
      if (members.has(pid) || !members.has(parent)) continue
      members.add(pid)
      grown = true
    }
  }
  return members
}

function processTable() {
  const table = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      // The program's name stands in parentheses and may hold anything, so count from its end.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])
      table.set(Number(name), { parent: Number(fields[1]), ticks })
    } catch {
      // It ended between the listing and the look.
    }
  }
  return table
}
