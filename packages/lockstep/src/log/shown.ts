/**
 * Text that others wrote, as a person at a terminal may see it. A terminal obeys control characters: a message of a workflow, or of whoever
 * started it, could erase lines, write ones that nobody logged, or change what the keyboard sends.
 */

const CONTROL = /[\p{Cc}\u2028\u2029]/gu
/** Colours and weights, which we write ourselves, and what is left of a text behind them. */
const PAINT = new RegExp(`(${String.fromCharCode(0x1b)}\\[[\\d;]*m)`)

const code = (sign: string): string => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`

/** For a part of a line: further lines of it are set in, so that none can be taken for one of ours. */
export const shown = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(CONTROL, (sign) => (sign === '\n' ? '\n    ' : sign === '\t' ? '\t' : code(sign)))

/** For whole output: lines stay, and so does paint. `returns`: of a line that is written over itself. */
export const shownPainted = (text: string, { returns }: { readonly returns: boolean }): string =>
  text
    .split(PAINT)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replace(CONTROL, (sign) =>
            sign === '\n' || sign === '\t' || (returns && sign === '\r') ? sign : code(sign),
          ),
    )
    .join('')
