import type { JsonObject } from '@lockstep/base'
import { pointerTo } from '../json-pointer.ts'

/** What is wrong with one place of a value. */
export interface SchemaError {
  readonly keyword: string
  /** JSON pointer into the value. */
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
  /** The schema that the keyword stands in. */
  readonly parentSchema: JsonObject
  /** Of an error in the name of a member, not in its value. */
  readonly propertyName?: string
  /** Said by one branch of several, of which the keyword above says the sum. */
  readonly isOfBranch: boolean
}

/** Steps that one value may cost: some tenths of a second. */
export const MOST_STEPS = 2_000_000
/** Of a value that is wrong everywhere. */
const MOST_ERRORS = 100
const MOST_OF_BRANCHES = 8
/** Of a member, where errors name it: a stranger may call one by a million letters. */
const LONGEST_NAME = 1_000
/** Schemas inside one another, through members and branches; far less than the stack holds. */
const MOST_DEEP = 1_500

export class OutOfSteps extends Error {}

/** One value that is held against a schema: what it may still cost, where it stands, and what was found. */
export class Check {
  readonly errors: SchemaError[] = []
  readonly path: (string | number)[] = []
  /** Resources that were entered, from the outermost: `$dynamicRef` looks through them. */
  readonly scope: object[] = []
  propertyName: string | undefined
  #steps: number
  #deep = 0
  #brief = 0
  #quiet = 0
  #branches = 0

  constructor(steps: number) {
    this.#steps = steps
  }

  /** Whatever costs time says so, before or soon after. */
  readonly spend = (steps: number): void => {
    this.#steps -= steps
    if (this.#steps < 0) throw new OutOfSteps()
  }

  enter(): void {
    this.spend(1)
    this.#deep += 1
    if (this.#deep > MOST_DEEP) throw new OutOfSteps()
  }

  leave(): void {
    this.#deep -= 1
  }

  /** Whether there is reason to look for more mistakes after one was found. */
  get goesOn(): boolean {
    return this.#brief === 0 && this.errors.length < MOST_ERRORS
  }

  /** Always `false`: what called it has failed. */
  fail(parentSchema: JsonObject, keyword: string, message: string, params: SchemaError['params'] = {}): false {
    if (this.#quiet > 0) return false
    const { propertyName } = this
    this.spend(1 + this.path.length)
    this.errors.push({
      ...{ keyword, params, message, parentSchema, instancePath: this.pointer(), isOfBranch: this.#branches > 0 },
      ...(propertyName === undefined ? {} : { propertyName }),
    })
    return false
  }

  /** The first mistake is enough. */
  briefly(test: () => boolean): boolean {
    this.#brief += 1
    const fits = test()
    this.#brief -= 1
    return fits
  }

  /** What is wrong is not of interest. */
  quietly(test: () => boolean): boolean {
    this.#quiet += 1
    const fits = this.briefly(test)
    this.#quiet -= 1
    return fits
  }

  /** One of several ways to fit. Of what each says against the value, a few stay until the sum is known. */
  branch(from: number, test: () => boolean): boolean {
    this.#branches += 1
    const fits = this.briefly(test)
    this.#branches -= 1
    if (this.errors.length > from + MOST_OF_BRANCHES) this.errors.length = from + MOST_OF_BRANCHES
    return fits
  }

  pointer(): string {
    return pointerTo('', ...this.path.map((each) => String(each).slice(0, LONGEST_NAME)))
  }
}
