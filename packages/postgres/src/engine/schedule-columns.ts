import type { FireWrite, NewRun } from '@lockstep/engine/ports'
import type { FireColumns } from './schedule.sql.ts'

/** Decisions turned on their side: one array per column, as the function takes them. */
export function fireColumns(node: string, writes: readonly FireWrite[]): FireColumns {
  const columns: FireColumns = {
    node,
    id: writes.map((write) => write.id),
    tenant: writes.map((write) => write.tenant),
    due: writes.map((write) => instant(write.dueAt)),
    wake: writes.map((write) => instant(write.wakeAt)),
    last: writes.map((write) => instant(write.lastFiredAt)),
    round: writes.map((write) => write.round ?? 'null'),
    drops: writes.map((write) => write.dropsWaiting),
    run: {
      item: [],
      kind: [],
      id: [],
      key: [],
      at: [],
      origin: [],
      late: [],
      started: [],
      reason: [],
      last: [],
      count: [],
      exact: [],
    },
    cancelTenant: [],
    cancel: [],
    version: writes.map((write) => write.version),
  }
  writes.forEach((write, index) => {
    for (const run of write.runs) addRun(columns.run, index + 1, run)
    // Sorted: two cancels of the same instances must not lock them in different orders.
    for (const instance of [...write.cancels].sort()) {
      columns.cancelTenant.push(write.tenant)
      columns.cancel.push(instance)
    }
  })
  return columns
}

function addRun(column: FireColumns['run'], item: number, run: NewRun): void {
  column.item.push(item)
  column.kind.push(run.kind)
  column.key.push(run.key)
  const added = run.kind === 'promote' || run.kind === 'refuse' ? undefined : run
  column.id.push(added?.id)
  column.at.push(instant(added?.at))
  const begins = run.kind === 'start' || run.kind === 'wait' ? run : undefined
  column.origin.push(added?.origin)
  column.late.push(begins?.late ?? false)
  column.started.push(begins?.started ?? 'null')
  const skips = run.kind === 'skip' ? run : undefined
  column.reason.push(run.kind === 'refuse' ? run.reason : skips?.reason)
  column.last.push(instant(skips?.lastAt))
  column.count.push(skips?.count ?? 1)
  column.exact.push(skips?.exact ?? true)
}

/** As text, which is exact; fractions of seconds as numbers are not. */
const instant = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString()
