/** Offers a file for download. */
export function saveFile(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  mimeType = 'text/plain',
): void {
  const url = URL.createObjectURL(new Blob([content], { type: mimeType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Bytes from base64; none if it is not base64. */
export function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
