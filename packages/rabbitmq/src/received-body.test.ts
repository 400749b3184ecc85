import { describe, expect, it } from 'vitest'
import { resolveRabbitmqOptions } from './rabbitmq-options.ts'
import { receivedBody } from './received-body.ts'

const bytes = (text: string) => Buffer.from(text)

describe('the body of a message', () => {
  it('is read by its content type', () => {
    expect(receivedBody(bytes('{"a":1}'), 'application/json; charset=utf-8')).toEqual({ value: { a: 1 } })
    expect(receivedBody(bytes('{"a":1}'), 'application/cloudevents+json')).toEqual({ value: { a: 1 } })
    expect(receivedBody(bytes('{"a":1}'), 'text/plain')).toEqual({ value: '{"a":1}' })
    expect(receivedBody({ a: 1 }, 'application/json')).toEqual({ value: { a: 1 } })
    expect(receivedBody('text', 'text/plain')).toEqual({ value: 'text' })
  })

  it('is JSON or text where nothing says it', () => {
    expect(receivedBody(bytes('[1]'))).toEqual({ value: [1] })
    expect(receivedBody(bytes('hello'), 'application/octet-stream')).toEqual({ value: 'hello' })
  })

  it('cannot be read when it is not what it says', () => {
    expect(receivedBody(bytes('{'), 'application/json')).toEqual({ unreadable: expect.stringContaining('not JSON') })
    expect(receivedBody(Buffer.from([0xff]))).toEqual({ unreadable: 'it is not UTF-8' })
    expect(receivedBody(bytes('x'), 'text/plain', 'gzip')).toEqual({ unreadable: expect.stringContaining('"gzip"') })
  })
})

describe('the options of RabbitMQ', () => {
  it.each([['nonsense'], ['http://a:b@host'], ['amqp://host:5672'], ['amqp://a:secret@']])(
    'refuse %s without repeating it',
    (url) => {
      expect(() => resolveRabbitmqOptions({ url })).toThrow(/Option "url" must be a URL such as/)
      expect(() => resolveRabbitmqOptions({ url })).not.toThrow(/secret@/)
    },
  )
})
