/** Ways out stand along the lower edge. */
export const portX = (index: number, count: number, width: number): number => (width * (index + 1)) / (count + 1)
