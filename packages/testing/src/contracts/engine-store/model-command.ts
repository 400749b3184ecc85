import type { EngineStore } from '@lockstep/engine/ports'
import type fc from 'fast-check'
import type { Model, ModelRun } from './model.ts'

export interface Real {
  readonly store: EngineStore
  readonly newId: () => string
}

export type Command = fc.AsyncCommand<Model, Real>

/** Numbers in commands pick from whatever there is when they run, so that every sequence makes sense. */
export function pick<T>(from: readonly T[], choice: number): T | undefined {
  return from[choice % Math.max(1, from.length)]
}

export const runsOf = (model: Model): ModelRun[] => [...model.runs.values()]
export const nodesOf = (model: Model): string[] => [...model.nodes.keys()]

export function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return { run, check, toString: () => name }
}

/** Of events and of what is waited for. */
export const NAMES = ['paid', 'shipped'] as const
