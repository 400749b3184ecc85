const [WIDTH, PLOT, HEAD, GAP] = [900, 300, 36, 20]

/** All charts that are drawn on the page, one below the other with their titles, as they look now. */
export function pictureOf(
  title: string,
  charts: readonly { readonly title: string; readonly plot: HTMLCanvasElement }[],
) {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const font = colour('--font')
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEAD + GAP + charts.length * (HEAD + PLOT + GAP)
  const paint = canvas.getContext('2d')!
  paint.fillStyle = colour('--surface')
  paint.fillRect(0, 0, canvas.width, canvas.height)
  paint.fillStyle = colour('--text')
  paint.font = `600 18px ${font}`
  paint.fillText(title, GAP, HEAD)
  charts.forEach((chart, index) => {
    const top = HEAD + GAP + index * (HEAD + PLOT + GAP)
    paint.font = `600 14px ${font}`
    paint.fillText(chart.title, GAP, top + HEAD - 12)
    const scale = Math.min((WIDTH - 2 * GAP) / chart.plot.width, PLOT / chart.plot.height)
    paint.drawImage(chart.plot, GAP, top + HEAD, chart.plot.width * scale, chart.plot.height * scale)
  })
  return canvas
}
