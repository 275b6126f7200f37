import { sha256Hex } from './canonical.ts'

/** Replaces the characters that model providers refuse in tool names by `_`. */
export function cleanName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_')
}

/**
 * The server's part of its tools' names, unique to the server. It ends in a short hash where cleaning changed the name, or
 * where the separator `__` could not be found again.
 */
export function serverPart(server: string): string {
  const cleaned = cleanName(server)
  const isAmbiguous = cleaned !== server || cleaned.includes('__') || cleaned.endsWith('_')
  if (!isAmbiguous) return cleaned
  return `${cleaned.replace(/_+/g, '_').replace(/_$/, '')}_${sha256Hex(server).slice(0, 4)}`
}
