// Who may import whom (DESIGN §6), undeclared dependencies, and import cycles between files.

import { builtinModules } from 'node:module'
import path from 'node:path'
import { importsOf, isProduct, packageOf, read, report, trackedFiles } from './sources.mjs'

const everything = ['base', 'coordination', 'engine', 'postgres', 'redis', 'rabbitmq', 'api', 'server']
const mayImport = {
  base: [],
  coordination: ['base'],
  engine: ['base', 'coordination'],
  postgres: ['base', 'coordination', 'engine/ports'],
  redis: ['base', 'coordination'],
  rabbitmq: ['base', 'coordination'],
  api: ['base'],
  server: everything.filter((name) => name !== 'server'),
  lockstep: everything,
  studio: ['api'],
  testing: ['base', 'coordination', 'engine/ports'],
}
/** Only these may name a concrete provider. */
const compositionFiles = [/^packages\/lockstep\/src\//]
const providers = ['postgres', 'redis', 'rabbitmq']

const problems = []
const edges = new Map()
for (const file of trackedFiles().filter(isProduct)) {
  const own = packageOf(file)
  const allowed = mayImport[own]
  if (allowed === undefined)
    problems.push(`${file}: package "${own}" is not in the import table of scripts/check/imports.mjs`)
  const manifest = JSON.parse(read(`packages/${own}/package.json`))
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest
  const declared = {
    ...dependencies,
    ...peerDependencies,
    ...optionalDependencies,
    // What Studio uses is built into it.
    ...(own === 'studio' ? devDependencies : {}),
  }
  edges.set(file, [])
  for (const { to, line } of importsOf(read(file))) {
    const at = `${file}:${line}`
    if (to.startsWith('.')) {
      const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), to))
      if (!/\.tsx?$/.test(target) && own !== 'studio') problems.push(`${at}: import "${to}" with its .ts ending`)
      if (packageOf(target) !== own || !target.startsWith(`packages/${own}/src/`))
        problems.push(`${at}: "${to}" leaves the package`)
      edges.get(file).push(target)
    } else if (to.startsWith('node:')) {
      if (!builtinModules.includes(to.slice(5))) problems.push(`${at}: "${to}" is not a module of Node`)
    } else if (to.startsWith('@lockstep/') || to === 'lockstep') {
      const [name, ...rest] = to.replace('@lockstep/', '').split('/')
      const full = [name, ...rest].join('/')
      if (!allowed?.includes(name) && !allowed?.includes(full))
        problems.push(`${at}: "${own}" may not import "${to}" (DESIGN §6)`)
      if (providers.includes(name) && !compositionFiles.some((each) => each.test(file)) && own !== 'server')
        problems.push(`${at}: only the composition may name a concrete provider`)
      if (declared[to.split('/').slice(0, 2).join('/')] === undefined && declared[to] === undefined)
        problems.push(`${at}: "${to}" is not declared in packages/${own}/package.json`)
    } else {
      if (builtinModules.includes(to)) problems.push(`${at}: write "node:${to}"`)
      const name = to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : to.split('/')[0]
      if (declared[name] === undefined)
        problems.push(`${at}: "${name}" is not declared in packages/${own}/package.json`)
    }
  }
}
problems.push(...cycles(edges))
report('imports', problems)

/** Depth-first: an edge back into the path under way closes a cycle. Type-only cycles count, they are no clearer to a reader. */
function cycles(graph) {
  const found = []
  const state = new Map()
  const visit = (file, trail) => {
    state.set(file, 'open')
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === 'open') found.push(`cycle: ${[...trail.slice(trail.indexOf(next)), next].join(' → ')}`)
      else if (!state.has(next) && graph.has(next)) visit(next, [...trail, next])
    }
    state.set(file, 'done')
  }
  for (const file of graph.keys()) if (!state.has(file)) visit(file, [file])
  return found
}
