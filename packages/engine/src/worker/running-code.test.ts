import { expect, it } from 'vitest'
import { RunningCode } from './running-code.ts'

/** Timers that the test lets go off. */
function handClock() {
  const due: (() => void)[] = []
  const schedule = (_ms: number, run: () => void) => {
    due.push(run)
    return { cancel: () => void due.splice(due.indexOf(run), 1) }
  }
  return { clock: { schedule } as never, due, tick: () => due.shift()?.() }
}

it('asks for code that runs longer than a look, again and again, and for nothing else', () => {
  const { clock, due, tick } = handClock()
  const asked: string[] = []
  const held = (name: string) => ({ runs: true, suspectStimulus: () => void asked.push(name) })
  const [long, quick] = [held('long'), held('quick')]
  const all = [long, quick]
  const watch = new RunningCode(clock, () => all)
  watch.began()
  watch.began()
  expect(due).toHaveLength(1)
  tick()
  expect(asked).toEqual([])
  quick.runs = false
  tick()
  tick()
  expect(asked).toEqual(['long', 'long'])
  long.runs = false
  tick()
  expect([asked.length, due.length]).toEqual([2, 0])
  watch.began()
  watch.stop()
  watch.began()
  expect(due).toEqual([])
})
