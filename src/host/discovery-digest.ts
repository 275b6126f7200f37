import type { Discovery } from '../model/server.ts'

/** Covers everything that decides which servers may be used, and how; a difference needs a reload. */
function digest({ servers, trust, diagnostics, locks = new Map() }: Discovery): string {
  const each = servers.map((server) => [server.id, server.entryHash, server.enabled, trust.get(server)])
  const problems = diagnostics.map(({ code, message, origin }) => [code, message, origin?.file])
  const agreed = [...locks].map(([{ id }, state]) => [id, state])
  return JSON.stringify([each, problems, agreed], (_key, value: unknown) =>
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : value,
  )
}

export function isSameDiscovery(one: Discovery, other: Discovery): boolean {
  return digest(one) === digest(other)
}
