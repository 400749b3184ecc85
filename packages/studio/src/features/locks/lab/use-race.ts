import { useCallback, useEffect, useRef, useState } from 'react'
import { type Problem, toProblem } from '../../../api/problem.ts'
import { after, every, hostMonotonic } from '../../../browser/time.ts'
import { labCalls } from './lab-calls.ts'
import { emptyLab, foldMove, type LabState, type WorkerName } from './lab-model.ts'
import { type LabSettings, Race } from './race.ts'

const FRAME_MS = 200

/** Asking again would be answered alike. */
const isRefusal = ({ status }: Problem): boolean => status >= 400 && status < 500 && status !== 429

export interface RunningRace {
  readonly state: LabState
  /** Of the race; it stands still when the race is over. */
  readonly now: number
  readonly isOn: boolean
  /** Why it was stopped: the server refuses. What passes is only asked again. */
  readonly problem: Problem | undefined
  start(track: number, workers: readonly WorkerName[]): void
  stop(): void
  crash(worker: WorkerName): void
}

/** One race at a time, which ends with the page. */
export function useRace(settings: LabSettings): RunningRace {
  const [state, setState] = useState(emptyLab)
  const [now, setNow] = useState(0)
  const [race, setRace] = useState<Race>()
  const [problem, setProblem] = useState<Problem>()
  const wanted = useRef(settings)
  wanted.current = settings
  useEffect(() => {
    if (race === undefined) return
    const end = every(FRAME_MS, () => setNow(race.now()))
    race.start()
    return () => {
      end()
      race.stop()
    }
  }, [race])
  const start = useCallback((track: number, workers: readonly WorkerName[]) => {
    setState(emptyLab)
    setNow(0)
    setProblem(undefined)
    const made: Race = new Race({
      ...{ calls: labCalls, time: { monotonic: hostMonotonic, after }, track, workers },
      settings: () => wanted.current,
      onMove: (move) => setState((before) => foldMove(before, move)),
      onError: (error) => {
        const found = toProblem(error)
        if (!isRefusal(found)) return
        setProblem(found)
        made.stop()
      },
      onEnd: () => setRace((current) => (current === made ? undefined : current)),
    })
    setRace(made)
  }, [])
  return {
    state,
    now,
    isOn: race !== undefined,
    problem,
    start,
    stop: () => race?.stop(),
    crash: (worker) => race?.crash(worker),
  }
}
