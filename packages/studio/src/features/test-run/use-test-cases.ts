import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { toProblem } from '../../api/problem.ts'
import { rememberCases, rememberedCases } from './remembered.ts'
import { runCase } from './run-case.ts'
import { differences, type TestCase, withCase } from './test-case.ts'
import { setTestRun } from './test-session.ts'

/** Of a case in this page: under way, or what was not as expected. */
export type Verdict = { readonly status: 'running' } | { readonly status: 'passed' | 'failed'; readonly why: string }

const RUNNING: Verdict = { status: 'running' }

/** The cases of a workflow, and what came of those that were run. */
export function useTestCases(definitionId: string, save: () => Promise<boolean>) {
  const [cases, setCases] = useState(() => rememberedCases(definitionId))
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Verdict>>(new Map())
  const gone = useRef(new AbortController())
  useEffect(() => {
    const leaving = new AbortController()
    gone.current = leaving
    return () => leaving.abort()
  }, [])
  const keep = (next: readonly TestCase[]): void => {
    setCases(next)
    rememberCases(definitionId, next)
  }
  const say = (name: string, verdict: Verdict | undefined): void =>
    setVerdicts((before) => {
      const next = new Map(before)
      if (verdict === undefined) next.delete(name)
      else next.set(name, verdict)
      return next
    })
  const judge = async (each: TestCase): Promise<void> => {
    say(each.name, RUNNING)
    const { signal } = gone.current
    const verdict = await runCase(
      definitionId,
      each,
      (runId) => setTestRun(definitionId, runId, { pins: each.pins, until: each.until }),
      signal,
    ).then(
      (found): Verdict => {
        const why = differences(each.expected, found).join(' ')
        return { status: why === '' ? 'passed' : 'failed', why }
      },
      (error: unknown): Verdict => ({ status: 'failed', why: toProblem(error).title }),
    )
    if (!signal.aborted) say(each.name, verdict)
  }
  const run = useMutation({
    // One after the other: what they do outside is real, unless it is pinned.
    mutationFn: async (wanted: readonly TestCase[]) => {
      if (!(await save())) throw new Error('The draft could not be saved, so it was not run.')
      for (const each of wanted) await judge(each)
    },
  })
  return {
    cases,
    verdicts,
    run,
    add: (next: TestCase): boolean => {
      const all = withCase(cases, next)
      if (all === undefined) return false
      keep(all)
      say(next.name, undefined)
      return true
    },
    remove: (name: string): void => {
      keep(cases.filter((each) => each.name !== name))
      say(name, undefined)
    },
  }
}
