/** RFC 8785: one text per value, so that its hash depends on the value alone, not on key order or spacing. */
export function canonicalize(value: unknown): string {
  const sorted = sortedCopy(value)
  return sorted === unusual ? writeSorted(value) : JSON.stringify(sorted)
}

/** Not for `JSON.stringify`: it would be written in another order, or not as it is. */
const unusual = Symbol('unusual')
const startsWithDigit = /^\d/

/** A copy whose keys are in order. Writing it at once is faster than writing each part. */
function sortedCopy(value: unknown): unknown {
  if (typeof value === 'string' || value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : unusual
  if (typeof value !== 'object') return unusual
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const item of value) {
      const copy = sortedCopy(item ?? null)
      if (copy === unusual) return unusual
      list.push(copy)
    }
    return list
  }
  const object = value as Readonly<Record<string, unknown>> // neither null nor an array
  const sorted: Record<string, unknown> = {}
  for (const key of sortedKeys(object)) {
    const item = object[key]
    if (item === undefined) continue
    const copy = sortedCopy(item)
    // An object has keys that are numbers before all others, and this one sets its prototype.
    if (copy === unusual || startsWithDigit.test(key) || key === '__proto__') return unusual
    sorted[key] = copy
  }
  return sorted
}

/** Keys of objects that were sorted before: most are of few forms. */
const knownForms: { readonly keys: readonly string[]; readonly sorted: readonly string[] }[] = []
const maxForms = 8
let nextForm = 0

function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object)
  if (keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') < key)) return keys
  const known = knownForms.find((form) => isSame(form.keys, keys))
  if (known) return known.sorted
  const sorted = [...keys].sort()
  knownForms[nextForm++ % maxForms] = { keys, sorted }
  return sorted
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at])
}

function writeSorted(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => writeSorted(item ?? null)).join(',')}]`
  if (typeof value === 'object') {
    const object = value as Record<string, unknown> // an object that is neither null nor an array
    let members = ''
    for (const key of Object.keys(object).sort()) {
      const item = object[key]
      if (item === undefined) continue
      members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${writeSorted(item)}`
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
