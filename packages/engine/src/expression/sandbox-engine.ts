import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

let compiled: Promise<WebAssembly.Module> | undefined

/** QuickJS, once per process: compiling it anew for each thread would take most of the thread's start. */
export function compileEngine(): Promise<WebAssembly.Module> {
  compiled ??= compile().catch((error) => {
    compiled = undefined
    throw error
  })
  return compiled
}

async function compile(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')))
}
