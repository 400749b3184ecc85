import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Instance } from '../../api/wire.ts'
import type { Pins } from './pins.ts'
import { setTestRun } from './test-session.ts'

export interface TestStart {
  readonly input: unknown
  readonly pins: Pins
  /** The last step to run; all of them unless told. */
  readonly until?: string | undefined
}

/** Runs the draft as it stands on the screen. */
export function useStartTest(definitionId: string, save: () => Promise<boolean>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ input, pins, until }: TestStart) => {
      if (!(await save())) throw new Error('The draft could not be saved, so it was not run.')
      return call<Instance>('POST', `/workflow-definitions/${encodeURIComponent(definitionId)}/test-runs`, {
        body: { input, pins, ...(until === undefined ? {} : { until }) },
      })
    },
    onSuccess: ({ id }, { pins, until }) => {
      setTestRun(definitionId, id, { pins, until })
      void client.invalidateQueries({ queryKey: ['past-runs', definitionId] })
    },
  })
}

export function readJson(text: string): { readonly value?: unknown; readonly fault: boolean } {
  try {
    return { value: text.trim() === '' ? null : JSON.parse(text), fault: false }
  } catch {
    return { fault: true }
  }
}
