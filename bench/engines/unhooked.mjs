// The same as lockstep.mjs, without any hook for tracing.
import { register } from 'node:module'

register('./without-hooks.mjs', import.meta.url)
await import('./lockstep.mjs')
