import { sha256Hex } from './canonical.ts'

/** Case, digits and hyphens stay; what no provider takes becomes `_`. */
export function cleanName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_')
}

/** A server's part of its tools' names, which no other server can have: marked where cleaning or the separator would blur it. */
export function serverPart(server: string): string {
  const cleaned = cleanName(server)
  const isBlurred = cleaned !== server || cleaned.includes('__') || cleaned.endsWith('_')
  if (!isBlurred) return cleaned
  return `${cleaned.replace(/_+/g, '_').replace(/_$/, '')}_${sha256Hex(server).slice(0, 4)}`
}
