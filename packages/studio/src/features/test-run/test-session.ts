import { create } from 'zustand'
import type { Pins } from './pins.ts'
import { rememberedInput, rememberedPins, rememberInput, rememberPins } from './remembered.ts'

/** What a workflow is tested with, wherever on the page that is asked for, and the run that came of it last. */
export interface TestSession {
  /** JSON, as it was typed; undefined: nobody typed any. */
  readonly input: string | undefined
  readonly pins: Pins
  readonly runId: string | undefined
  /** What that run was begun with. */
  readonly ranWith?: RanWith | undefined
}

export interface RanWith {
  readonly pins: Pins
  readonly until: string | undefined
}

interface Sessions {
  readonly byDefinition: Readonly<Record<string, TestSession>>
}

const useSessions = create<Sessions>(() => ({ byDefinition: {} }))

const sessionOf = ({ byDefinition }: Sessions, id: string): TestSession | undefined => byDefinition[id]

function change(id: string, part: Partial<TestSession>): void {
  useSessions.setState((state) => ({
    byDefinition: { ...state.byDefinition, [id]: { ...(sessionOf(state, id) ?? remembered(id)), ...part } },
  }))
}

const remembered = (id: string): TestSession => ({
  input: rememberedInput(id),
  pins: rememberedPins(id),
  runId: undefined,
})

const first = new Map<string, TestSession>()

export function useTestSession(id: string): TestSession {
  return useSessions((state) => {
    const found = sessionOf(state, id)
    if (found !== undefined) return found
    // The same object as long as nothing changed.
    if (!first.has(id)) first.set(id, remembered(id))
    return first.get(id)!
  })
}

export const setTestInput = (id: string, input: string): void => {
  change(id, { input })
  rememberInput(id, input)
}

export const setTestPins = (id: string, pins: Pins): void => {
  change(id, { pins })
  rememberPins(id, pins)
}

export const setTestRun = (id: string, runId: string, ranWith: RanWith): void => change(id, { runId, ranWith })
