import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../bootstrap/say.mjs'

/** Every file git would carry, as paths from the root with forward slashes. */
export function trackedFiles() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed
    .split('\0')
    .filter((file) => file !== '' && existsSync(path.join(root, file)))
    .sort()
}

export const read = (file) => readFileSync(path.join(root, file), 'utf8')

/** Product sources: what ships. Tests are sources too, but may reach further. */
export const isProduct = (file) =>
  /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.(test|fixture|d)\.ts$/.test(file)

export const packageOf = (file) => /^packages\/([^/]+)\//.exec(file)?.[1]

/** What a file imports or re-exports, with the line of each. Type-only imports count: they couple packages as well. */
export function importsOf(text) {
  const found = []
  const pattern =
    /^\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm
  for (const match of text.matchAll(pattern)) {
    const line = text.slice(0, match.index + match[0].length).split('\n').length
    found.push({ to: match[1] ?? match[2] ?? match[3], line })
  }
  return found
}

export function report(title, problems) {
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) {
    process.stderr.write(`${title}: ${problems.length} problem(s)\n`)
    process.exit(1)
  }
}
