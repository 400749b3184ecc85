/**
 * Takes out of the engine's code, as it is loaded, every question whether somebody traces. What is left is the engine as it would be if nobody
 * had ever thought of tracing. A hook that this does not know stops the benchmark: a comparison with half of them would say nothing.
 */
const calls = /^[ \t]*(?:(?:this|held)\.trace\?\.|this\.#o\.traces\?\.heard|this\.#trace)\(?.*;\n/gm
const cuts = {
  'worker/held-instance.js': [
    [calls, ''],
    [/^[ \t]*trace;\n/m, ''],
    [/^[ \t]*if \(this\.trace !== undefined && [^\n]*\n[ \t]*this\.trace\.recorded\(.*\);\n/m, ''],
    [/\(this\.trace === undefined \? run\(\) : this\.trace\.step\(about, run\)\)/, 'run()'],
  ],
  'worker/worker.js': [
    [calls, ''],
    [/ traces: undefined,/, ''],
    [/^[ \t]*if \(this\.#o\.traces !== undefined\) \{\n[^}]*\}\n/m, ''],
    [/^[ \t]*#trace\(held\) \{\n[^}]*\}\n/m, ''],
  ],
  'engine.js': [
    [/if \(this\.#traces === undefined\)\n[ \t]*(return .*;\n)[ \t]*return this\.#traces\.starting\(.*\);\n/g, '$1'],
  ],
}
/** Where nothing may be left. The engine itself still hands on that nobody traces, once. */
const clean = ['worker/held-instance.js', 'worker/worker.js']

export async function load(url, context, next) {
  const loaded = await next(url, context)
  const file = Object.keys(cuts).find((name) => url.endsWith(`/packages/engine/dist/${name}`))
  if (file === undefined) return loaded
  let source = String(loaded.source)
  for (const [pattern, instead] of cuts[file]) {
    const cut = source.replace(pattern, instead)
    if (cut === source) throw new Error(`${file} has nothing like ${pattern}: tell bench/engines/without-hooks.mjs`)
    source = cut
  }
  const left = source.split('\n').find((line) => /\btraces?\b/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line))
  if (clean.includes(file) && left !== undefined) throw new Error(`${file} still asks for traces: ${left.trim()}`)
  return { ...loaded, source }
}
