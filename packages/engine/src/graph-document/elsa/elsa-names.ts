import { ACTIVITY_ID_PATTERN, DEFINITION_ID_PATTERN, VARIABLE_NAME_PATTERN } from '../../graph/document-schema.ts'

/** Elsa's ids of definitions are any text; ours are slugs. The same text gives the same slug, so that references still meet. */
export function toSlug(text: string, otherwise: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '')
  return new RegExp(DEFINITION_ID_PATTERN).test(slug) ? slug : otherwise
}

/** Gives each thing a name of its own that fits a pattern, as near to the old one as can be. */
export class NameGiver {
  readonly #taken = new Set<string>()
  readonly #pattern: RegExp
  readonly #letters: RegExp

  private constructor(pattern: string, letters: RegExp) {
    this.#pattern = new RegExp(pattern)
    this.#letters = letters
  }

  static forActivities(): NameGiver {
    return new NameGiver(ACTIVITY_ID_PATTERN, /[^A-Za-z0-9_-]+/g)
  }

  static forVariables(): NameGiver {
    return new NameGiver(VARIABLE_NAME_PATTERN, /[^A-Za-z0-9_]+/g)
  }

  give(wanted: string, prefix: string): string {
    const plain = wanted.replace(this.#letters, '_').slice(0, 56)
    const base = this.#pattern.test(plain) ? plain : `${prefix}${plain}`.slice(0, 56)
    let name = base
    for (let next = 2; this.#taken.has(name); next += 1) name = `${base}_${next}`
    this.#taken.add(name)
    return name
  }
}
