/** RFC 8785: one text per value, so that its hash depends on the value alone, not on key order or spacing. */
export function canonicalize(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalize(item ?? null)).join(',')}]`
  if (typeof value === 'object') {
    const object = value as Record<string, unknown> // an object that is neither null nor an array
    let members = ''
    for (const key of Object.keys(object).sort()) {
      const item = object[key]
      if (item === undefined) continue
      members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalize(item)}`
    }
    return `{${members}}`
  }
  throw new TypeError(`a ${typeof value} has no canonical form`)
}

/** `sha256:` and the hash of the canonical form. */
export function hashOf(value: unknown): string {
  // Loaded on first use: most commands hash nothing, and loading node:crypto takes longer than such a command.
  const { hash } = process.getBuiltinModule('node:crypto')
  return `sha256:${hash('sha256', canonicalize(value))}`
}

export function sha256Hex(text: string): string {
  // Loaded on first use, as above: few names need a hash.
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', text)
}

/** FNV-1a: eight hex characters that tell things apart. Not for security: collisions are easy to construct. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
