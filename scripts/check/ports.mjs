// A port's size sets its providers' size (STYLE): at most ten members in an interface whose name ends in Store, Provider or Db. A member that is a
// port by itself does not count: it is checked where it stands.
import { isProduct, read, report, trackedFiles } from './sources.mjs'

const MOST = 10
const MEMBER = /^ {2}(readonly )?\w+(<[^(]*>)?\??[(:]/
const PORT = /^ {2}readonly \w+: \w+(?:Store|Reader|Provider)$/
const problems = []
for (const file of trackedFiles().filter(isProduct)) {
  for (const match of read(file).matchAll(/export interface (\w*(?:Store|Provider|Db))\b[^{]*\{([\s\S]*?)\n\}/g)) {
    const members = match[2].split('\n').filter((line) => MEMBER.test(line) && !PORT.test(line)).length
    if (members > MOST)
      problems.push(`${file}: port ${match[1]} has ${members} members, at most ${MOST}: split it by concept`)
  }
}
report('ports', problems)
