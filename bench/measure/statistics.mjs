/** Middle of the sorted values; of an even count, the mean of the two in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Nearest rank: always one of the values, never between two. */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]
}

/** Medians of the numbers that objects of one shape hold; what is missing in one of them is left out. */
export function medians(objects) {
  const names = Object.keys(objects[0] ?? {}).filter((name) => objects.every((each) => typeof each[name] === 'number'))
  return Object.fromEntries(names.map((name) => [name, median(objects.map((each) => each[name]))]))
}
