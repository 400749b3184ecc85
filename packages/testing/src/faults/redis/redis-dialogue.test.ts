import { describe, expect, it } from 'vitest'
import { byByte, converse, type Turn } from '../../../test/faults/conversation.ts'
import { matchCommand } from './match-command.ts'

const request = (...commands: readonly string[]): Turn => ({
  request: Buffer.from(
    commands
      .map((line) => line.split(' '))
      .map((words) => `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`)
      .join(''),
  ),
})
const reply = (text: string): Turn => ({ reply: Buffer.from(text.replaceAll('\n', '\r\n')) })
const bytesOf = (turn: Turn): string => ('request' in turn ? turn.request : turn.reply).toString()

describe('a Redis conversation', () => {
  it('passes unchanged without a match, byte by byte', () => {
    const turns = [request('GET a', 'SET b 1'), reply('$1\nx\n+OK\n')]
    const outcome = converse('redis', [matchCommand({ when: 'before-forward', command: 'DEL' })], turns, byByte)
    expect(outcome.server.toString()).toBe(bytesOf(turns[0]!))
    expect(outcome.client.toString()).toBe(bytesOf(turns[1]!))
    expect(outcome.counters).toMatchObject({ requestsSeen: 2, matched: 0, opaque: 0 })
  })

  it('is cut before a command, with nothing after it', async () => {
    const fault = matchCommand({ when: 'before-forward', command: 'set', keyPrefix: 'lease:' })
    const outcome = converse('redis', [fault], [request('SET other 1', 'SET lease:1 x', 'GET a')], byByte)
    expect(outcome.server.toString()).toBe(bytesOf(request('SET other 1')))
    expect(outcome.cut).toBe(true)
    expect(await fault.landed()).toEqual({
      connectionId: 1,
      when: 'before-forward',
      command: 'SET',
      keys: ['lease:1'],
    })
  })

  it('is cut after a command was answered; the client gets the replies before, not that one', async () => {
    const fault = matchCommand({ when: 'after-forward', command: /^EVAL/ })
    const turns = [request('GET a', 'EVALSHA f00 1 k', 'GET b'), reply('$1\nx\n'), reply(':1\n')]
    const outcome = converse('redis', [fault], turns, byByte)
    expect(outcome.server.toString()).toBe(bytesOf(request('GET a', 'EVALSHA f00 1 k')))
    expect(outcome.client.toString()).toBe('$1\r\nx\r\n')
    expect((await fault.landed()).reply).toEqual({ head: ':1' })
  })

  it('is not cut before the reply is complete', () => {
    const turns = [request('GET a'), reply('$5\nabc')]
    expect(converse('redis', [matchCommand({ when: 'after-forward' })], turns).cut).toBe(false)
  })

  it('skips, and strikes as often as told', () => {
    const fault = matchCommand({ when: 'before-forward', command: 'PING', skip: 1, times: 1 })
    const turns = [request('PING', 'PING', 'PING')]
    expect(converse('redis', [fault], turns).server.toString()).toBe(bytesOf(request('PING')))
    expect(converse('redis', [fault], turns).cut).toBe(false)
  })

  it('knows pushed messages from replies', () => {
    const message = '*3\n$7\nmessage\n$1\na\n$2\nhi\n'
    const joined = '*3\n$9\nsubscribe\n$1\na\n:1\n*3\n$9\nsubscribe\n$1\nb\n:2\n'
    const turns = [
      request('SUBSCRIBE a b'),
      reply(joined),
      request('PING'),
      reply(message),
      reply('*2\n$4\npong\n$0\n\n'),
    ]
    const outcome = converse('redis', [matchCommand({ when: 'after-forward', command: 'PING' })], turns)
    expect(outcome.cut).toBe(true)
    expect(outcome.client.toString()).toBe(bytesOf(reply(joined + message)))
  })

  it('knows RESP3 pushes from replies', () => {
    const pushes = '>2\n$10\ninvalidate\n*1\n$1\na\n'
    const turns = [request('GET a'), reply(pushes), reply('_\n')]
    const outcome = converse('redis', [matchCommand({ when: 'after-forward', command: 'GET' })], turns)
    expect(outcome.client.toString()).toBe(bytesOf(reply(pushes)))
    expect(outcome.cut).toBe(true)
  })

  it('counts the confirmations of leaving all channels', () => {
    const left = '>3\n$11\nunsubscribe\n$1\na\n:1\n>3\n$11\nunsubscribe\n$1\nb\n:0\n'
    const joined = '>3\n$9\nsubscribe\n$1\na\n:1\n>3\n$9\nsubscribe\n$1\nb\n:2\n'
    const turns = [request('SUBSCRIBE a b', 'UNSUBSCRIBE', 'GET k'), reply(joined + left), reply('$1\nv\n')]
    const outcome = converse('redis', [matchCommand({ when: 'after-forward', command: 'GET' })], turns)
    expect(outcome.client.toString()).toBe(bytesOf(reply(joined + left)))
    expect(outcome.cut).toBe(true)
  })

  it('expects no reply where the client asked for none', () => {
    const turns = [request('CLIENT REPLY OFF', 'SET a 1', 'CLIENT REPLY ON', 'CLIENT REPLY SKIP', 'SET b 1', 'GET a')]
    const replies = [reply('+OK\n'), reply('$1\n1\n')]
    const outcome = converse('redis', [matchCommand({ when: 'after-forward', command: 'GET' })], [...turns, ...replies])
    expect(outcome.client.toString()).toBe('+OK\r\n')
    expect(outcome.cut).toBe(true)
  })

  it('passes unexamined after MONITOR', () => {
    const turns = [request('MONITOR'), reply('+OK\n'), request('GET a'), reply('+1 [0] "GET"\n')]
    const outcome = converse('redis', [matchCommand({ when: 'after-forward', command: 'GET' })], turns)
    expect(outcome.cut).toBe(false)
    expect(outcome.counters.opaque).toBe(1)
  })
})
