/**
 * Takes out of the engine's code, as it is loaded, every question whether somebody traces. What is left is the engine as it would be if nobody
 * had ever thought of tracing. A hook that this does not know stops the benchmark: a comparison with half of them would say nothing.
 */
const calls = /^[ \t]*(?:(?:this|held)\.trace\?\.|this\.#o\.traces\?\.heard|this\.#(?:site\.)?trace)\(?.*;\n/gm
const cuts = {
  'worker/held-instance.js': [
    [calls, ''],
    [/^[ \t]*trace;\n/m, ''],
    [/^[ \t]*if \(this\.trace !== void 0 && .*\) this\.trace\.recorded\(.*\);\n/m, ''],
    [/\(this\.trace === void 0 \? run\(\) : this\.trace\.step\(about, run\)\)/, 'run()'],
  ],
  'worker/take-over.js': [
    [/^[ \t]*if \(this\.#o\.traces !== void 0\) \{\n[^}]*\}\n/m, ''],
    [calls, ''],
  ],
  'worker/worker.js': [
    [calls, ''],
    [/^[ \t]*traces: void 0,\n/m, ''],
    [/^[ \t]*trace: \(held\) => this\.#trace\(held\),\n/m, ''],
    [/^[ \t]*#trace\(held\) \{\n[^}]*\}\n/m, ''],
  ],
  'engine.js': [
    [
      /if \(this\.#traces === void 0\) (return .*;\n)[ \t]*return this\.#traces\.starting\([\s\S]*?^\t\}\n/gm,
      '$1\t}\n',
    ],
  ],
}
/** Where nothing may be left. The engine itself still hands on that nobody traces, once. */
const clean = ['worker/held-instance.js', 'worker/take-over.js', 'worker/worker.js']
/** The bundle of the engine says where each module begins. */
const moduleStart = /^(?=\/\/ packages\/engine\/dist\/)/m

export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!url.endsWith('/packages/engine/bundle/index.js')) return loaded
  const missing = new Set(Object.keys(cuts))
  const modules = String(loaded.source)
    .split(moduleStart)
    .map((module) => {
      const file = Object.keys(cuts).find((name) => module.startsWith(`// packages/engine/dist/${name}\n`))
      missing.delete(file)
      return file === undefined ? module : cut(file, module)
    })
  if (missing.size > 0) throw new Error(`the engine has no ${[...missing]}: tell bench/engines/without-hooks.mjs`)
  return { ...loaded, source: modules.join('') }
}

function cut(file, module) {
  let source = module
  for (const [pattern, instead] of cuts[file]) {
    const shorter = source.replace(pattern, instead)
    if (shorter === source) throw new Error(`${file} has nothing like ${pattern}: tell bench/engines/without-hooks.mjs`)
    source = shorter
  }
  const left = source.split('\n').find((line) => /\btraces?\b/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line))
  if (clean.includes(file) && left !== undefined) throw new Error(`${file} still asks for traces: ${left.trim()}`)
  return source
}
