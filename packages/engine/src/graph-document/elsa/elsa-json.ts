import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { pointerTo } from '../../graph/json-pointer.ts'
import { ownMember } from '../../graph/own-member.ts'

/** A place in the Elsa document: readers ask it for members and always know where they are. */
export class ElsaJson {
  readonly value: Json | undefined
  readonly pointer: string

  constructor(value: Json | undefined, pointer: string) {
    this.value = value
    this.pointer = pointer
  }

  get(name: string): ElsaJson {
    return new ElsaJson(
      this.object === undefined ? undefined : ownMember(this.object, name),
      pointerTo(this.pointer, name),
    )
  }

  get object(): JsonObject | undefined {
    return isJsonObject(this.value) ? this.value : undefined
  }

  get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined
  }

  /** Empty for what is no list. */
  get items(): readonly ElsaJson[] {
    if (!Array.isArray(this.value)) return []
    return this.value.map((item: Json, position) => new ElsaJson(item, pointerTo(this.pointer, position)))
  }

  get exists(): boolean {
    return this.value !== undefined && this.value !== null
  }
}
