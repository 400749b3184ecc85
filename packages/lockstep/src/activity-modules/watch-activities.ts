/**
 * Loads activity modules anew when their files change, without a restart of the node. What fails to load leaves the last code that did in
 * place. Files are watched through their folders: many editors write a new file and move it over the old one. A folder that was named as
 * a whole has the modules that are in it: one that is added is loaded, one that is removed takes its activities with it.
 */
import { existsSync, type FSWatcher, watch } from 'node:fs'
import path from 'node:path'
import { type Clock, errorMessage, type Logger, type Timer } from '@lockstep/base'
import type { CustomActivity } from '@lockstep/engine'
import { type ActivitySource, addedSource } from './activity-source.ts'
import { isModule } from './module-folder.ts'

export interface WatchOptions {
  readonly sources: readonly ActivitySource[]
  /** Folders all of whose modules are sources. */
  readonly folders?: readonly string[]
  /** Activities that come from no file. */
  readonly others: readonly CustomActivity[]
  /** Throws when the new ones do not fit together, and changes nothing then. */
  readonly replace: (activities: readonly CustomActivity[]) => void
  readonly clock: Clock
  readonly logger: Logger
}

interface Watched {
  readonly source: ActivitySource
  activities: readonly CustomActivity[]
  files: ReadonlySet<string>
}

/** Editors write a file in several steps. */
const CALM_MS = 80

export class ActivityWatch {
  readonly #o: WatchOptions
  #watched: readonly Watched[]
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed = new Set<string>()
  #timer: Timer | undefined
  #working: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: WatchOptions) {
    this.#o = { ...options, logger: options.logger.area('activities') }
    this.#watched = options.sources.map(watchedOf)
  }

  /** Loads each once more, to learn which files it consists of. */
  async begin(): Promise<void> {
    const files = this.#watched.map(({ source }) => path.dirname(source.file))
    for (const folder of [...(this.#o.folders ?? []), ...files]) this.#lookAt(folder)
    for (const each of this.#watched) {
      try {
        await this.#load(each)
      } catch (error) {
        this.#report(each, error)
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    await this.#working
  }

  #lookAt(folder: string): void {
    if (this.#closed || this.#watchers.has(folder)) return
    const watcher = watch(folder, (_, name) => name !== null && this.#noteChange(path.join(folder, name)))
    watcher.on('error', (error) =>
      this.#o.logger.warn('cannot watch a folder', { folder, reason: errorMessage(error) }),
    )
    this.#watchers.set(folder, watcher)
  }

  #noteChange(file: string): void {
    if (!this.#isOfFolder(file) && !this.#watched.some(({ files }) => files.has(file))) return
    this.#changed.add(file)
    this.#timer?.cancel()
    this.#timer = this.#o.clock.schedule(CALM_MS, () => {
      const changed = new Set(this.#changed)
      this.#changed.clear()
      this.#working = this.#working.then(() => this.#reload(changed))
    })
  }

  #isOfFolder(file: string): boolean {
    return isModule(file) && this.#o.folders?.includes(path.dirname(file)) === true
  }

  async #reload(changed: ReadonlySet<string>): Promise<void> {
    this.#takeIn(changed)
    // Before others are loaded: a module that was renamed has the types of the one that is gone.
    const gone = this.#watched.filter(({ source: { file } }) => this.#isOfFolder(file) && !existsSync(file))
    this.#watched = this.#watched.filter((each) => !gone.includes(each))
    for (const each of this.#watched) {
      if (this.#closed || ![...changed].some((file) => each.files.has(file))) continue
      try {
        this.#replace(each, await this.#load(each))
      } catch (error) {
        this.#report(each, error)
      }
    }
    if (gone.length > 0 && !this.#closed) this.#drop(gone)
  }

  #takeIn(changed: ReadonlySet<string>): void {
    const known = new Set(this.#watched.map(({ source }) => source.file))
    const added = [...changed].filter((file) => this.#isOfFolder(file) && !known.has(file) && existsSync(file))
    this.#watched = [...this.#watched, ...added.map((file) => watchedOf(addedSource(file)))]
  }

  #drop(gone: readonly Watched[]): void {
    this.#o.replace([...this.#o.others, ...this.#watched.flatMap(({ activities }) => activities)])
    for (const { source } of gone)
      this.#o.logger.info('activities removed with their file', { file: path.basename(source.file) })
  }

  /**
   * What failed is still made of the files that it was made of before, and of those that it has come to since. A file may be told of after
   * the module is loaded: the loader is a thread of its own.
   */
  async #load(watched: Watched): Promise<readonly CustomActivity[]> {
    const files = new Set<string>()
    const onFile = (file: string) => {
      files.add(file)
      this.#lookAt(path.dirname(file))
    }
    try {
      return await watched.source.reload(onFile)
    } catch (error) {
      for (const file of watched.files) files.add(file)
      throw error
    } finally {
      watched.files = files
    }
  }

  /** All or nothing: a name that is taken leaves everything as it was. */
  #replace(changed: Watched, activities: readonly CustomActivity[]): void {
    const { others, replace, logger } = this.#o
    const all = this.#watched.flatMap((each) => (each === changed ? activities : each.activities))
    replace([...others, ...all])
    changed.activities = activities
    logger.info('activities loaded anew', {
      file: path.basename(changed.source.file),
      types: activities.map(({ type }) => type).join(', '),
    })
  }

  #report({ source }: Watched, error: unknown): void {
    this.#o.logger.error('a module could not be loaded, the code before the change stays', {
      file: source.file,
      reason: errorMessage(error),
    })
  }
}

const watchedOf = (source: ActivitySource): Watched => ({
  source,
  activities: source.activities,
  files: new Set([source.file]),
})
