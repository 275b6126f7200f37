/** Beyond these a path cannot be written on some system; far beyond, a program cannot even remove it. */
const maxLevels = 64
const maxPartBytes = 255
export const maxPathBytes = 1024

/** T46: the reason why a name from an archive is unsafe as a path on some system; `undefined` if it is safe. */
export function unsafePath(name: string): string | undefined {
  if (name === '') return 'has no name'
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'has control characters in its name'
  if (name.includes('\\')) return 'has a backslash in its name, which is a separator on Windows'
  if (name.startsWith('/')) return 'is an absolute path'
  if (name.includes(':')) return 'has a colon in its name, which is a drive or a stream on Windows'
  const parts = name.split('/')
  if (parts.includes('..')) return 'points outside its folder'
  if (parts.includes('') || parts.includes('.')) return 'is not a plain path'
  // Windows drops trailing dots and spaces, so ".. " would become "..".
  if (parts.some((part) => /[. ]$/.test(part))) return 'has a name that ends in a dot or a space'
  if (parts.length > maxLevels) return `is ${parts.length} folders deep, more than ${maxLevels}`
  if (parts.some((part) => Buffer.byteLength(part) > maxPartBytes))
    return `has a name of more than ${maxPartBytes} bytes`
  if (Buffer.byteLength(name) > maxPathBytes) return `has a path of more than ${maxPathBytes} bytes`
  return undefined
}
