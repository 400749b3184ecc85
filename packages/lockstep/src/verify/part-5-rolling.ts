import { errorMessage } from '@lockstep/base'
import { atEnd } from './journal.ts'
import { Faults, inParallel, notRun, type Part } from './part.ts'

const CALLERS = 4
/** After the restart: the cluster goes on as before. */
const CALLS_AFTER = 10

/** All nodes are restarted while work comes in: no request fails, and no run. */
export const rollingRestart: Part = {
  number: 5,
  title: 'rolling restart under load',
  async run(site) {
    const { restartCommand } = site
    if (restartCommand === undefined) return notRun('it needs --restart-command "…", which restarts all nodes in turn')
    const id = `${site.prefix}-load`
    await site.publish({
      id,
      activities: [
        { id: 'nap', type: 'delay', inputs: { duration: '100ms' } },
        { id: 'out', type: 'set-output', inputs: { name: 'n', value: { $expr: 'input.n' } } },
      ],
      connections: [{ from: 'nap', to: 'out' }],
    })
    const faults = new Faults()
    const runs = new Map<number, string>()
    const movedBefore = site.any.movedCount
    let isRestarting = true
    let [requests, failedRequests, failedRuns] = [0, 0, 0]
    const call = async (): Promise<void> => {
      const n = ++requests
      try {
        const wanted = {
          body: { definitionId: id, input: { n }, wait: '5s' },
          headers: { 'idempotency-key': site.key() },
        }
        runs.set(n, (await site.any.call('POST', '/workflow-instances', wanted)).body.id)
      } catch (error) {
        failedRequests += 1
        faults.add(`a request failed: ${errorMessage(error)}`)
      }
      site.progress(`part 5: ${n} requests, ${failedRequests} failed${isRestarting ? ', restarting' : ''}`)
    }
    const load = inParallel(CALLERS, CALLERS, async () => {
      while (isRestarting) await call()
      for (let left = CALLS_AFTER; left > 0; left--) await call()
    })
    const failure = await site.shell(restartCommand, {}).then(
      () => undefined,
      (error: unknown) => errorMessage(error),
    )
    isRestarting = false
    await load
    if (failure !== undefined) faults.add(failure)
    await inParallel(runs.size, CALLERS, async (index) => {
      const [n, instanceId] = [...runs][index]!
      const ended = await atEnd(site.any, instanceId, 4)
      if (ended.status === 'completed' && ended.output?.n === n) return
      failedRuns += 1
      faults.add(`a run ended as ${ended.status}`)
    })
    const moved = site.any.movedCount - movedBefore
    return faults.finding({ requests, 'failed requests': failedRequests, 'failed runs': failedRuns, 'sent on': moved })
  },
}
