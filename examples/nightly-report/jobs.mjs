// The jobs of the night. Each is a durable workflow: a node that dies in the middle is replaced, and the run goes on there.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { all, job, onFailure } from 'lockstep'

const night = { cron: '30 2 * * *', zone: 'Europe/Berlin', singleton: true }
const day = ({ scheduledAt }) => scheduledAt.slice(0, 10)

/** `folder` is where reports go; `world` says whether the warehouse answers. */
export const nightlyJobs = (folder, world) => [
  job('collect-sales', night, (ctx, run) =>
    ctx.step('read the tills', async () => {
      const sales = { day: day(run), amount: 100 * new Date(run.scheduledAt).getUTCDate() }
      // Written by day, so that a repetition writes the same file again.
      await writeFile(join(folder, `sales-${sales.day}.json`), JSON.stringify(sales))
      return sales
    }),
  ),

  job('collect-stock', night, (ctx) =>
    ctx.step('ask the warehouse', () => {
      if (!world.warehouseAnswers)
        throw Object.assign(new Error('the warehouse does not answer'), { code: 'NO_ANSWER' })
      return { items: 17 }
    }),
  ),

  // By no clock of its own: when both have completed, once.
  job('report', { after: all('collect-sales', 'collect-stock') }, (ctx) =>
    ctx.step('write it', () => world.say('the report is written')),
  ),

  job('alarm', { after: onFailure('collect-sales', 'collect-stock') }, (ctx) =>
    ctx.step('wake somebody', () => world.say('somebody is woken')),
  ),
]
