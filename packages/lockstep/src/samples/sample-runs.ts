export interface SampleRun {
  readonly definitionId: string
  readonly input: Readonly<Record<string, string | number>>
}

const PEOPLE = ['Ada', 'Bea', 'Carl', 'Dora', 'Emil']

/** The run with this number, from 1: the same ones in the same order in every store. The report runs by itself. */
export function sampleRun(no: number): SampleRun {
  const turn = Math.floor((no - 1) / 6)
  const who = PEOPLE[no % PEOPLE.length]!
  switch (no % 6) {
    case 0:
      return { definitionId: 'sample-approval', input: { who, amount: 20 + ((no * 7) % 80) } }
    case 3:
      return { definitionId: 'sample-reminder', input: { text: `call ${who}` } }
    case 2:
    case 5:
      // Down for two turns of every four: long enough for the breaker to open, and to close again.
      return { definitionId: 'sample-flaky-api', input: { api: turn % 4 < 2 ? 'ok' : 'down' } }
    default:
      return {
        definitionId: 'sample-order',
        input: {
          ...{ order: `A-${1_000 + no}`, amount: 10 + ((no * 13) % 90), courier: no % 4 === 0 ? 'full' : 'ok' },
          vatId: no % 24 === 7 ? 'unknown' : 'DE 42',
        },
      }
  }
}
