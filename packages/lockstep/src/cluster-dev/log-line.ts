import type { Terminal } from '../cli/terminal/terminal.ts'
import { shown } from '../log/shown.ts'

type Colors = Terminal['colors']

/** What a node writes for machines, as a person at a terminal would like to read it. Other lines stay as they are. */
export function readableLine(line: string, colors: Colors): string {
  const entry = parse(line)
  if (entry === undefined) return line
  const { level, time, area, msg, ...fields } = entry
  const paint = { debug: colors.gray, warn: colors.yellow, error: colors.red }[String(level)] ?? colors.cyan
  const told = Object.entries(fields).map(([name, value]) => {
    const text = shown(typeof value === 'string' ? value : JSON.stringify(value))
    return ` ${colors.gray(`${name}=`)}${text}`
  })
  const where = typeof area === 'string' ? `${colors.magenta(area)} ` : ''
  return `${colors.gray(String(time).slice(11, 23))} ${paint(String(level).padEnd(5))} ${where}${shown(String(msg))}${told.join('')}`
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const entry: unknown = JSON.parse(line)
    const isEntry = typeof entry === 'object' && entry !== null && 'level' in entry && 'msg' in entry
    return isEntry ? (entry as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Each node has a colour, so that the eye finds its lines. */
export function painterOf(index: number, colors: Colors): (text: string) => string {
  const paints = [colors.green, colors.blue, colors.magenta, colors.yellow, colors.cyan]
  return paints[index % paints.length]!
}
