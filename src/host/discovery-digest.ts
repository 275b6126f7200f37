import type { Discovery } from '../model/server.ts'

/** Covers everything that decides which servers may be used, and how; a difference needs a reload. */
export function digest({ servers, trust, diagnostics }: Discovery): string {
  const each = servers.map((server) => [server.id, server.entryHash, server.enabled, trust.get(server)])
  return JSON.stringify([each, diagnostics.map(({ code, message, origin }) => [code, message, origin?.file])])
}
