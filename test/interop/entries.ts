import { fileURLToPath } from 'node:url'

/** The entry of a peer that runs as a program. */
export function program(name: string, ...args: readonly string[]) {
  const file = fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))
  return { command: process.execPath, args: [file, ...args] }
}

export const modern = { era: 'modern', version: '2026-07-28' }
export const legacy = (version = '2025-11-25') => ({ era: 'legacy', version })
