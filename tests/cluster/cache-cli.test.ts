import { expect, it } from 'vitest'
import { openCli } from '../cli/open-cli.ts'

it('lockstep caches: are listed, and cleared by name', async () => {
  await using cli = await openCli()
  const listed = await cli.run(['caches', 'list'])
  expect(listed.code).toBe(0)
  expect(listed.out).toMatch(
    /^NAME +SIZE +HIT RATE +HITS +MISSES .*\ndefinitions +\d+\/1000 .*\ninstances +0\/1000 .*\npublished-versions +\d+\/1000 /,
  )
  expect((await cli.run(['caches', 'list', '--json'])).json).toMatchObject([
    { name: 'definitions' },
    { hitRate: null },
    { name: 'published-versions' },
  ])
  expect(await cli.run(['cache', 'clear', 'instances'])).toMatchObject({ code: 0, out: 'instances: cleared\n' })
  const unknown = await cli.run(['caches', 'clear', 'ghosts'])
  expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('[CACHE_NOT_FOUND]')])
})
