import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byByte, type Chop, converse, type Turn } from '../../../test/faults/conversation.ts'
import { client, login, server } from '../../../test/faults/postgres-wire.ts'
import { cutCommit } from './cut-commit.ts'
import { cutStatement } from './cut-statement.ts'
import { delayReply } from './delay-reply.ts'

const join = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts)
const sent = (turns: readonly Turn[]): Buffer =>
  join(...turns.flatMap((turn) => ('request' in turn ? [turn.request] : [])))
const answered = (turns: readonly Turn[]): Buffer =>
  join(...turns.flatMap((turn) => ('reply' in turn ? [turn.reply] : [])))

/** A transaction by simple queries. */
const simple: readonly Turn[] = [
  ...login,
  { request: client.query('begin') },
  { reply: join(server.complete('BEGIN'), server.ready('T')) },
  { request: client.query('insert into t values (1)') },
  { reply: join(server.complete('INSERT 0 1'), server.ready('T')) },
]
const simpleCommit: Turn = { request: client.query('COMMIT') }
const simpleCommitted: Turn = { reply: join(server.complete('COMMIT'), server.ready()) }

/** Everything in one chunk: a prepared insert, then a COMMIT prepared under a name. */
const batch = {
  before: join(
    client.parse('ins', 'insert into t values ($1)'),
    client.bind('', 'ins'),
    client.describePortal(''),
    client.execute(''),
    client.parse('done', 'commit'),
    client.bind('p', 'done'),
  ),
  beforeReplies: join(
    server.parseComplete,
    server.bindComplete,
    server.noData,
    server.complete('INSERT 0 1'),
    server.parseComplete,
    server.bindComplete,
  ),
  commit: join(client.execute('p'), client.sync),
  commitReplies: join(server.complete('COMMIT'), server.ready()),
  after: join(client.query('select 2')),
}

describe('a PostgreSQL conversation without faults', () => {
  it('passes unchanged, chopped at random', () => {
    const turns: readonly Turn[] = [
      ...login,
      { request: join(batch.before, batch.commit, batch.after) },
      { reply: join(batch.beforeReplies, batch.commitReplies, server.notice) },
      { reply: join(server.rowDescription, server.dataRow('2'), server.complete('SELECT 1'), server.ready()) },
      { request: client.terminate },
    ]
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 30 })), (sizes) => {
        const chop: Chop = (bytes) => {
          const pieces: Buffer[] = []
          for (let at = 0; at < bytes.length; ) {
            const size = sizes.next().value ?? 1
            pieces.push(bytes.subarray(at, at + size))
            at += size
          }
          return pieces
        }
        const outcome = converse('postgres', [], turns, chop)
        expect(outcome.server.equals(sent(turns))).toBe(true)
        expect(outcome.client.equals(answered(turns))).toBe(true)
        expect(outcome.counters).toMatchObject({ commitsSeen: 1, requestsSeen: 3, opaque: 0 })
      }),
    )
  })

  it('is followed through refused encryption', () => {
    const turns: readonly Turn[] = [
      { request: client.gssRequest },
      { reply: Buffer.from('N') },
      { request: client.sslRequest },
      { reply: Buffer.from('N') },
      ...simple,
      simpleCommit,
      simpleCommitted,
    ]
    const outcome = converse('postgres', [], turns, byByte)
    expect(outcome.server.equals(sent(turns))).toBe(true)
    expect(outcome.client.equals(answered(turns))).toBe(true)
    expect(outcome.counters).toMatchObject({ commitsSeen: 1, opaque: 0 })
  })

  it('passes unexamined once encryption is accepted', () => {
    const turns: readonly Turn[] = [
      { request: client.sslRequest },
      { reply: Buffer.from('S') },
      { request: Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]) },
      { reply: Buffer.from([0x16, 3, 3, 0, 1, 9]) },
    ]
    const outcome = converse('postgres', [cutCommit('before-forward')], turns, byByte)
    expect(outcome.server.equals(sent(turns))).toBe(true)
    expect(outcome.client.equals(answered(turns))).toBe(true)
    expect(outcome.counters.opaque).toBe(1)
  })

  it('passes unexamined when it is no PostgreSQL at all', () => {
    const turns: readonly Turn[] = [
      { request: Buffer.from('GET / HTTP/1.1\r\n\r\n') },
      { reply: Buffer.from('HTTP/1.1 200\r\n') },
    ]
    const outcome = converse('postgres', [], turns)
    expect(outcome.server.equals(sent(turns))).toBe(true)
    expect(outcome.client.equals(answered(turns))).toBe(true)
    expect(outcome.counters.opaque).toBe(1)
  })
})

describe('a commit cut before it is forwarded', () => {
  it('keeps a simple COMMIT from the server, split at every offset', async () => {
    const commit = client.query('COMMIT')
    for (let at = 1; at < commit.length; at++) {
      const fault = cutCommit('before-forward')
      const turns: Turn[] = [...simple, { request: commit.subarray(0, at) }, { request: commit.subarray(at) }]
      const outcome = converse('postgres', [fault], turns)
      expect(outcome.cut).toBe(true)
      expect(outcome.server.equals(sent(simple))).toBe(true)
      expect(outcome.counters).toMatchObject({ commitsSeen: 1, commitsCut: 1, matched: 1 })
      expect(await fault.landed()).toEqual({ connectionId: 1, when: 'before-forward', sql: 'COMMIT' })
    }
  })

  it('stops before the Execute of a prepared COMMIT, with nothing after it', () => {
    const turns: readonly Turn[] = [...login, { request: join(batch.before, batch.commit, batch.after) }]
    const outcome = converse('postgres', [cutCommit('before-forward')], turns)
    expect(outcome.server.equals(join(client.startup, batch.before))).toBe(true)
    expect(outcome.cut).toBe(true)
  })

  it('knows a statement that was prepared long before', () => {
    const prepared: readonly Turn[] = [
      ...login,
      { request: join(client.parse('c', 'commit'), client.describeStatement('c'), client.sync) },
      { reply: join(server.parseComplete, server.parameterDescription, server.noData, server.ready()) },
      { request: join(client.bind('', 'c')) },
    ]
    const turns: readonly Turn[] = [...prepared, { request: join(client.execute(''), client.sync) }]
    const outcome = converse('postgres', [cutCommit('before-forward')], turns, byByte)
    expect(outcome.server.equals(sent(prepared))).toBe(true)
  })

  it('cuts a commit that shares its message with other statements', () => {
    const turns: readonly Turn[] = [...simple, { request: client.query('select lockstep_commit(1); commit') }]
    expect(converse('postgres', [cutCommit('before-forward')], turns).server.equals(sent(simple))).toBe(true)
  })

  it('skips, and matches by what the transaction did', () => {
    const again: readonly Turn[] = [...simple.slice(2), simpleCommit, simpleCommitted]
    const other: readonly Turn[] = [
      { request: client.query('begin') },
      { reply: join(server.complete('BEGIN'), server.ready('T')) },
      simpleCommit,
      simpleCommitted,
    ]
    const fault = cutCommit('before-forward', { skip: 1, matching: /insert into t/ })
    const turns: readonly Turn[] = [...login, ...again, ...other, ...again, ...other]
    const outcome = converse('postgres', [fault], turns)
    expect(outcome.cut).toBe(true)
    expect(outcome.server.equals(sent([...login, ...again, ...other, ...again.slice(0, -2)]))).toBe(true)
  })

  it('strikes once, however many commits were sent at once', () => {
    const twice = join(client.query('commit'), client.query('commit'))
    const outcome = converse('postgres', [cutCommit('before-forward')], [...simple, { request: twice }])
    expect(outcome.counters).toMatchObject({ matched: 1, commitsCut: 1 })
  })

  it('lets rollbacks pass', () => {
    const turns: readonly Turn[] = [...simple, { request: client.query('rollback') }]
    expect(converse('postgres', [cutCommit('before-forward')], turns).cut).toBe(false)
  })
})

describe('a commit cut after it is forwarded', () => {
  it('forwards a simple COMMIT, waits for the whole reply and delivers none of it', async () => {
    const fault = cutCommit('after-forward')
    const half: readonly Turn[] = [...simple, simpleCommit, { reply: server.complete('COMMIT') }]
    expect(converse('postgres', [cutCommit('after-forward')], half).cut).toBe(false)
    const outcome = converse('postgres', [fault], [...simple, simpleCommit, simpleCommitted], byByte)
    expect(outcome.cut).toBe(true)
    expect(outcome.server.equals(sent([...simple, simpleCommit]))).toBe(true)
    expect(outcome.client.equals(answered(simple))).toBe(true)
    expect((await fault.landed()).reply).toEqual({ tags: ['COMMIT'] })
  })

  it('delivers the replies before, forwards the batch up to its Sync, and nothing beyond', async () => {
    const fault = cutCommit('after-forward')
    const turns: readonly Turn[] = [
      ...login,
      { request: join(batch.before, batch.commit, batch.after) },
      { reply: join(batch.beforeReplies, batch.commitReplies) },
    ]
    const outcome = converse('postgres', [fault], turns, byByte)
    expect(outcome.server.equals(join(client.startup, batch.before, batch.commit))).toBe(true)
    expect(outcome.client.equals(join(answered(login), batch.beforeReplies))).toBe(true)
    expect((await fault.landed()).reply).toEqual({ tags: ['COMMIT'] })
    expect(outcome.counters.commitsCut).toBe(1)
  })

  it('tells a commit that the server turned down', async () => {
    const refused = cutCommit('after-forward')
    const failed: Turn = { reply: join(server.error('40001'), server.ready()) }
    converse('postgres', [refused], [...simple, simpleCommit, failed])
    expect((await refused.landed()).reply).toEqual({ tags: [], sqlState: '40001' })

    const rolledBack = cutCommit('after-forward')
    const turned: Turn = { reply: join(server.complete('ROLLBACK'), server.ready()) }
    converse('postgres', [rolledBack], [...simple, simpleCommit, turned])
    expect((await rolledBack.landed()).reply).toEqual({ tags: ['ROLLBACK'] })
  })

  it('tells a commit that the server skipped because of an earlier failure in its batch', async () => {
    for (const late of [false, true]) {
      const fault = cutCommit('after-forward')
      const failure: Turn = { reply: server.error('23505') }
      const commit: Turn = { request: batch.commit }
      const turns: readonly Turn[] = [
        ...login,
        { request: batch.before },
        ...(late ? [failure, commit] : [commit, failure]),
        { reply: server.ready() },
      ]
      const outcome = converse('postgres', [fault], turns)
      expect(outcome.cut).toBe(true)
      expect((await fault.landed()).reply).toEqual({ tags: [], skipped: true })
    }
  })
})

describe('a statement cut', () => {
  const insert = join(
    client.parse('', 'insert into t values ($1)'),
    client.bind('', ''),
    client.execute(''),
    client.sync,
  )

  it('waits for ReadyForQuery where the statement commits by itself', async () => {
    const fault = cutStatement({ when: 'after-forward', matching: /insert into t/ })
    const complete: readonly Turn[] = [
      ...login,
      { request: insert },
      { reply: join(server.parseComplete, server.bindComplete, server.complete('INSERT 0 1')) },
    ]
    expect(converse('postgres', [cutStatement({ when: 'after-forward', matching: /insert/ })], complete).cut).toBe(
      false,
    )
    const outcome = converse('postgres', [fault], [...complete, { reply: server.ready() }])
    expect(outcome.cut).toBe(true)
    expect(outcome.client.equals(join(answered(login), server.parseComplete, server.bindComplete))).toBe(true)
    expect((await fault.landed()).reply).toEqual({ tags: ['INSERT 0 1'] })
    expect(outcome.counters).toMatchObject({ matched: 1, commitsSeen: 0, commitsCut: 0 })
  })

  it('strikes as often as told', () => {
    const fault = cutStatement({ when: 'before-forward', matching: /select 1/g, times: 1 })
    const turns: readonly Turn[] = [...login, { request: client.query('select 1') }]
    expect(converse('postgres', [fault], turns).cut).toBe(true)
    expect(converse('postgres', [fault], turns).cut).toBe(false)
    expect(fault.hits).toBe(1)
  })

  it('remembers what a name stood for when the server turned its new meaning down', () => {
    const turns: readonly Turn[] = [
      ...login,
      { request: join(client.parse('a', 'select old'), client.sync) },
      { reply: join(server.parseComplete, server.ready()) },
      { request: join(client.parse('a', 'select new'), client.sync) },
      { reply: join(server.error('42P05'), server.ready()) },
      { request: join(client.bind('', 'a'), client.execute(''), client.sync) },
    ]
    const of = (name: string) => cutStatement({ when: 'before-forward', matching: new RegExp(name) })
    expect(converse('postgres', [of('new')], turns).cut).toBe(false)
    expect(converse('postgres', [of('old')], turns).cut).toBe(true)
  })

  it('stays in step over COPY, which makes the server ignore Sync', () => {
    const fault = cutStatement({ when: 'after-forward', matching: /select 9/ })
    const copied = join(client.parse('', 'copy t from stdin'), client.bind('', ''), client.execute(''), client.sync)
    const turns: readonly Turn[] = [
      ...login,
      { request: copied },
      { reply: join(server.parseComplete, server.bindComplete, server.copyIn) },
      { request: join(client.copyData('1\n'), client.copyDone, client.sync) },
      { reply: join(server.complete('COPY 1'), server.ready()) },
      { request: client.query('select 8') },
      { reply: join(server.rowDescription, server.complete('SELECT 1'), server.ready()) },
    ]
    const nine: readonly Turn[] = [
      { request: client.query('select 9') },
      { reply: join(server.notification, server.rowDescription, server.complete('SELECT 1'), server.ready()) },
    ]
    const outcome = converse('postgres', [fault], [...turns, ...nine])
    expect(outcome.cut).toBe(true)
    expect(outcome.client.equals(join(answered(turns), server.notification))).toBe(true)
  })
})

describe('a delayed reply', () => {
  it('is late from its first message on, and whole', () => {
    const turns: readonly Turn[] = [...login, { request: join(batch.before, batch.commit) }]
    const replies: readonly Turn[] = [{ reply: join(batch.beforeReplies, batch.commitReplies) }]
    const fault = delayReply({ matching: /^commit$/, ms: 70 })
    const outcome = converse('postgres', [fault], [...turns, ...replies])
    expect(outcome.client.equals(answered([...turns, ...replies]))).toBe(true)
    expect(outcome.delayMs).toBe(70)
    expect(fault.hits).toBe(1)
  })
})
