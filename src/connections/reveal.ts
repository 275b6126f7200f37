import type { Resolved } from '../model/resolved.ts'

/** A value as it is used: the one place where a secret leaves its wrapping for a server. */
export function reveal(value: Resolved): string {
  return typeof value === 'string' ? value : value.reveal()
}

export function revealAll(values: Readonly<Record<string, Resolved>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value)]))
}
