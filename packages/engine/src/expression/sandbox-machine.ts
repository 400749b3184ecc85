// One QuickJS in one WebAssembly memory. All of its state is in that memory: after each evaluation the bytes it had before
// any program ran are copied back, so programs of different instances and tenants share nothing, not even the
// addresses of what was freed. A memory that grew is thrown away instead, since it cannot shrink.

import { Intrinsics, QuickJS, type QuickJSOptions, type Snapshot } from 'quickjs-wasi'
import { jsonDepth, OUTPUT_DEPTH } from './limits.ts'
import { PRELUDE } from './sandbox-prelude.ts'
import type { MachineSettings, SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'

export interface Machine {
  run(request: SandboxRequest): SandboxOutcome
  /** Forgets everything about the last run. Call it between runs. */
  reset(): Promise<void>
}

/** QuickJS checks this before each call; the stack itself is four times as large. */
const STACK_BYTES = 256 * 1024
/** Room that most evaluations fit in without growing the memory. Copied back each time, so not larger. */
const HEADROOM_BYTES = 384 * 1024
/** Everything of the language but what would tell time or reveal when memory is collected. */
const LANGUAGE =
  Intrinsics.DATE |
  Intrinsics.EVAL |
  Intrinsics.REGEXP |
  Intrinsics.JSON |
  Intrinsics.PROXY |
  Intrinsics.MAP_SET |
  Intrinsics.TYPED_ARRAYS |
  Intrinsics.PROMISE |
  Intrinsics.BIG_INT

interface Instance {
  readonly vm: QuickJS
  readonly memory: { readonly buffer: ArrayBufferLike }
}

interface Image {
  readonly snapshot: Snapshot
  /** Where in the memory they are. */
  readonly run: number
  readonly nothing: number
  readonly longest: number
}

/** In milliseconds: the only time there is, and programs cannot see it. */
export interface MachineTime {
  monotonic(): number
  /** What its thread has had of a processor; NaN where nobody knows. */
  workedMs(): number
}

export async function openMachine(settings: MachineSettings, time: MachineTime): Promise<Machine> {
  let deadlineAt = Number.POSITIVE_INFINITY
  let workedFrom = Number.NaN
  let late = false
  const interruptHandler = (): boolean => {
    if (late || time.monotonic() <= deadlineAt) return late
    const leftMs = settings.softLimitMs - (time.workedMs() - workedFrom)
    late = !(leftMs > 0)
    if (!late) deadlineAt = time.monotonic() + leftMs // others had the processor meanwhile
    return late
  }
  const options = (keep: (memory: Instance['memory']) => void): QuickJSOptions => ({
    wasm: settings.engine,
    memoryLimit: settings.memoryBytes,
    maxStackSize: STACK_BYTES,
    intrinsics: LANGUAGE,
    timezoneOffset: 0,
    interruptHandler,
    wasi: (memory) => {
      keep(memory)
      return noWorld(memory)
    },
  })

  const image = await makeImage(options, settings.outputBytes)
  let instance = await instantiate(image, options)

  return {
    run(request) {
      late = false
      workedFrom = time.workedMs()
      deadlineAt = time.monotonic() + settings.softLimitMs
      try {
        const outcome = evaluate(instance.vm, image, request, settings)
        return late ? { status: 'limit', limit: 'time' } : outcome
      } catch (error) {
        return late ? { status: 'limit', limit: 'time' } : explain(error)
      } finally {
        deadlineAt = Number.POSITIVE_INFINITY
      }
    },
    async reset() {
      const { memory, stackPointer } = image.snapshot
      const bytes = new Uint8Array(instance.memory.buffer)
      if (bytes.length === memory.length) {
        bytes.fill(0, 0, stackPointer)
        bytes.set(memory.subarray(stackPointer), stackPointer)
      } else {
        instance = await instantiate(image, options)
      }
    },
  }
}

type Options = (keep: (memory: Instance['memory']) => void) => QuickJSOptions

async function makeImage(options: Options, outputBytes: number): Promise<Image> {
  const vm = await QuickJS.create(options(() => {}))
  const run = vm.evalCode(PRELUDE, 'prelude')
  // Taken and freed again: the allocator keeps it.
  vm.newArrayBuffer(new Uint8Array(HEADROOM_BYTES)).dispose()
  const places = {
    run: vm.exportHandle(run),
    nothing: vm.exportHandle(vm.undefined),
    longest: vm.exportHandle(vm.newNumber(outputBytes)),
  }
  const snapshot = vm.snapshot()
  vm.dispose()
  // The stack is empty. What calls left below it is as well zero, which is quicker to write back than to copy.
  snapshot.memory.fill(0, 0, snapshot.stackPointer)
  return { snapshot, ...places }
}

async function instantiate({ snapshot }: Image, options: Options): Promise<Instance> {
  let memory: Instance['memory'] | undefined
  const vm = await QuickJS.restore(
    snapshot,
    options((kept) => {
      memory = kept
    }),
  )
  return { vm, memory: memory! }
}

function evaluate(vm: QuickJS, image: Image, request: SandboxRequest, settings: MachineSettings): SandboxOutcome {
  // Parsed, it takes several times its length; a string that does not fit would not be reported as such.
  if (request.scope.length > settings.memoryBytes / 4) return { status: 'limit', limit: 'memory' }
  const program = vm.evalCode(request.program, 'expression')
  const scope = vm.newString(request.scope)
  if (!scope.isString) return { status: 'limit', limit: 'memory' }
  // Handles are memory too, so they are made anew for each run; and never freed, since `reset` does.
  const [run, nothing, longest] = [image.run, image.nothing, image.longest].map((place) => vm.importHandle(place))
  const answer = vm.callFunction(run!, nothing!, program, scope, longest!)
  if (!answer.isString) return { status: 'limit', limit: 'memory' }
  return readAnswer(answer.toString(), settings.outputBytes)
}

function readAnswer(answer: string, outputBytes: number): SandboxOutcome {
  const rest = answer.slice(1)
  switch (answer[0]) {
    case 'u':
      return { status: 'value', json: 'null' }
    case 'v':
      if (Buffer.byteLength(rest) > outputBytes) return { status: 'limit', limit: 'output' }
      if (jsonDepth(rest) > OUTPUT_DEPTH) return { status: 'limit', limit: 'depth' }
      return { status: 'value', json: rest }
    case 'o':
      return { status: 'limit', limit: 'output' }
    default: {
      const [name, message] = JSON.parse(rest) as [string, string]
      return thrown(name, message)
    }
  }
}

/** The engine reports its own limits as ordinary errors, by these words. */
function thrown(name: string, message: string): SandboxOutcome {
  if (name === 'InternalError' && /^(out of memory|string too long)$/.test(message)) {
    return { status: 'limit', limit: 'memory' }
  }
  if (name === 'RangeError' && message === 'Maximum call stack size exceeded')
    return { status: 'limit', limit: 'stack' }
  return { status: 'threw', name, message }
}

/** What reaches the host: a program that does not parse, a limit met outside of it, or a trap of WebAssembly. */
function explain(error: unknown): SandboxOutcome {
  if (!(error instanceof Error)) return { status: 'threw', name: 'Error', message: String(error) }
  if (error.name === 'SyntaxError') return { status: 'invalid', reason: error.message }
  if (error instanceof WebAssembly.RuntimeError || error.message === 'wasm_malloc failed') {
    return { status: 'limit', limit: 'memory' }
  }
  return thrown(error.name, error.message)
}

/** No clock, no randomness, nowhere to write. */
function noWorld(memory: { readonly buffer: ArrayBufferLike }) {
  return {
    clock_time_get(_clock: number, _precision: bigint, result: number): number {
      new DataView(memory.buffer).setBigUint64(result, 0n, true)
      return 0
    },
    random_get(start: number, length: number): number {
      new Uint8Array(memory.buffer, start, length).fill(0)
      return 0
    },
    fd_write: (): number => 8,
  }
}
