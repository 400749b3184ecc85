// The lock file must install anywhere: no host names, no paths; and every version in a manifest is exact.
import { read, report, trackedFiles } from './sources.mjs'

const problems = []
const lock = JSON.parse(read('package-lock.json'))
for (const [name, entry] of Object.entries(lock.packages)) {
  if (entry.resolved !== undefined && !/^packages\/[\w-]+$/.test(entry.resolved))
    problems.push(`package-lock.json: ${name} names where it was fetched`)
}
for (const file of trackedFiles().filter((each) => /(^|\/)package\.json$/.test(each))) {
  const manifest = JSON.parse(read(file))
  for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, version] of Object.entries(manifest[group] ?? {}))
      if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        problems.push(`${file}: ${name} must have an exact version, not "${version}"`)
  }
}
report('lock file', problems)
