const KEY = 'lockstep-api-key'

/** Where servers ask for a key: it lives as long as the tab. A session cookie needs none of this. */
class Credential {
  #wanted = false
  #listeners = new Set<() => void>()

  headers(): Readonly<Record<string, string>> {
    const key = sessionStorage.getItem(KEY)
    return key === null ? {} : { authorization: `Bearer ${key}` }
  }

  /** Whether the server refused to answer for want of one. */
  readonly wanted = (): boolean => this.#wanted

  refused(): void {
    this.#set(true)
  }

  give(key: string): void {
    sessionStorage.setItem(KEY, key)
    this.#set(false)
  }

  forget(): void {
    sessionStorage.removeItem(KEY)
    this.#set(true)
  }

  /** The browser has a session cookie: a key of before would be asked first, and refused. */
  signedIn(): void {
    sessionStorage.removeItem(KEY)
    this.#set(false)
  }

  get given(): boolean {
    return sessionStorage.getItem(KEY) !== null
  }

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #set(wanted: boolean): void {
    this.#wanted = wanted
    for (const listener of this.#listeners) listener()
  }
}

export const credential = new Credential()
