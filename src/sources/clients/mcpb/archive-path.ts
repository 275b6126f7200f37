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
  return undefined
}
