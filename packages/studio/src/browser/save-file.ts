/** Hands a text to the browser as a file to keep. */
export const saveFile = (name: string, type: string, text: string): void => save(name, new Blob([text], { type }))

/** Hands what was painted to the browser as a picture to keep. */
export function savePicture(name: string, canvas: HTMLCanvasElement): void {
  canvas.toBlob((blob) => {
    if (blob !== null) save(name, blob)
  }, 'image/png')
}

function save(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
