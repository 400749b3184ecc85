// A node of the cluster. `dies` says where: "after" the bank has booked, "before" it is called, or never.
import { lockstep, workflow } from 'lockstep'
import { charge } from './bank.mjs'

export const payment = (books, dies) =>
  workflow('payment', async (ctx, input) => {
    const paid = await ctx.step(
      'charge',
      () => {
        if (dies === 'before') process.kill(process.pid, 'SIGKILL')
        const receipt = charge(books, input.order)
        if (dies === 'after') process.kill(process.pid, 'SIGKILL')
        return receipt
      },
      { effect: 'atMostOnce' },
    )
    return `${input.order}: ${paid.receipt}`
  })

export const openNode = (databaseUrl, books, dies) =>
  lockstep({ databaseUrl, heartbeatMs: 100, nodeTtlMs: 500, workflows: [payment(books, dies)] })

// As a process of its own: starts one order, and dies with it.
if (process.argv[2] !== undefined) {
  const { databaseUrl, books, dies, order } = JSON.parse(process.argv[2])
  const node = await openNode(databaseUrl, books, dies)
  await node.start('payment', { order })
}
