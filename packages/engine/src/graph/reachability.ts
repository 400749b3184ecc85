/**
 * Which activities of a scope a path leads to, as one row of bits per activity. Rows grow by those of their targets until
 * nothing changes; going through the activities backwards along the flow, that takes two passes without cycles and one
 * more per nested cycle. No recursion: a chain may be thousands of activities long.
 */
export function reachability(targets: readonly (readonly number[])[]): readonly Uint32Array[] {
  const words = (targets.length + 31) >>> 5
  const rows = targets.map(() => new Uint32Array(words))
  const order = postOrder(targets)
  for (let changed = true; changed; ) {
    changed = false
    for (const from of order) {
      const row = rows[from]!
      for (const to of targets[from]!) {
        if (absorb(row, rows[to]!, to)) changed = true
      }
    }
  }
  return rows
}

/** Adds `to` and all it reaches to the row; says whether anything was new. */
function absorb(row: Uint32Array, other: Uint32Array, to: number): boolean {
  let changed = false
  for (let word = 0; word < row.length; word++) {
    const extra = word === to >>> 5 ? (other[word]! | (1 << (to & 31))) >>> 0 : other[word]!
    const merged = (row[word]! | extra) >>> 0
    if (merged === row[word]) continue
    row[word] = merged
    changed = true
  }
  return changed
}

/** Depth first, each activity after those it leads to (where no cycle forbids it). */
function postOrder(targets: readonly (readonly number[])[]): readonly number[] {
  const order: number[] = []
  const seen = new Uint8Array(targets.length)
  for (let root = 0; root < targets.length; root++) {
    if (seen[root]) continue
    seen[root] = 1
    const stack = [{ node: root, next: 0 }]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = targets[top.node]![top.next++]
      if (to === undefined) order.push(stack.pop()!.node)
      else if (!seen[to]) {
        seen[to] = 1
        stack.push({ node: to, next: 0 })
      }
    }
  }
  return order
}
