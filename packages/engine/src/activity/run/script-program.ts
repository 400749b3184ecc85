/**
 * What stands around a script in the sandbox. It gives the script its two functions, keeps what they are told beside what the script
 * returns, and finds the line of what it throws. One line, so that line n of the script is line n + `LINES_BEFORE` there.
 */
import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { compileScript } from '../../expression/expression.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { CompletedResult } from '../activity-handler.ts'

/** The line below, and the one that the sandbox puts before every script. */
const LINES_BEFORE = 2

const AROUND = [
  'const [setVariable, setOutcome, $answer] = (() => {',
  'let outcome; const assigned = [];',
  'const bad = (text) => { throw new TypeError(text) };',
  'const isLimit = (e) => e.name === "InternalError" || e.message === "Maximum call stack size exceeded";',
  'const describe = (e) => { const known = e !== null && typeof e === "object"; if (known && isLimit(e)) throw e;',
  'const line = known && /expression:(\\d+)/.exec(String(e.stack));',
  'return { name: known ? String(e.name) : "Error", message: String(known ? e.message : e),',
  'code: known && typeof e.code === "string" ? e.code : null, line: line ? Number(line[1]) : null } };',
  'return [',
  '(name, value = null) => { typeof name === "string" || bad("setVariable takes a name and a value");',
  'assigned[assigned.length] = { name, value } },',
  '(name) => { outcome = typeof name === "string" && name !== "" ? name : bad("setOutcome takes the name of an outcome") },',
  '(run) => { try { const value = run(); value instanceof Promise && bad("A promise is not an answer: scripts do not wait");',
  'return { value, outcome, assigned } } catch (thrown) { return { threw: describe(thrown) } } } ] })();',
].join(' ')

/** Throws EXPRESSION_INVALID where the code alone cannot be the body of a function: so it cannot reach out of ours. */
export function scriptProgram(code: string): string {
  const { references } = compileScript(code)
  // An assignment to a variable would be forgotten silently; this way it fails.
  const freeze = references.includes('vars') ? ' Object.freeze(vars);' : ''
  return `${AROUND}${freeze} return $answer(() => {\n${code}\n})`
}

/** What the script did. The script may have meddled with all of it, so nothing is taken for granted. */
export function scriptResult(answer: Json, isVariable: (name: string) => boolean): CompletedResult {
  if (!isJsonObject(answer)) throw failure('It changed what it runs in')
  if (isJsonObject(answer.threw)) throw thrown(answer.threw)
  const { value = null, outcome } = answer
  const assign = assignments(answer.assigned, isVariable)
  return {
    kind: 'completed',
    outcome: typeof outcome === 'string' ? outcome : 'done',
    output: value,
    ...(assign === undefined ? {} : { assign }),
  }
}

function assignments(given: Json | undefined, isVariable: (name: string) => boolean): JsonObject | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined
  const entries = given.map((each): [string, Json] => {
    const { name, value = null } = isJsonObject(each) ? each : { name: null }
    if (typeof name !== 'string' || !isVariable(name))
      throw failure(`setVariable: no variable is called "${name}", declare it under "variables"`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}

function thrown({ name, message, code, line }: JsonObject): Error {
  const place = typeof line === 'number' && line > LINES_BEFORE ? ` (line ${line - LINES_BEFORE})` : ''
  return failure(`${name}: ${message}${place}`, typeof code === 'string' ? code : undefined)
}

const failure = (message: string, code = 'SCRIPT_FAILED'): Error =>
  new WorkflowFault({ message: message.slice(0, 1_000), faultCode: code.slice(0, 200) })
