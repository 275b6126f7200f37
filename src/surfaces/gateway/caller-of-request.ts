import type { AuditCaller } from '../../index.ts'
import type { Caller } from '../../internal.ts'
import type { ServedRequest } from './served-request.ts'

/** What the audit trail says about a caller. What a client says about itself is not checked. */
export function auditedCaller({ caller, client }: ServedRequest): Partial<AuditCaller> {
  const { name } = client.info ?? {}
  const found: { -readonly [K in keyof AuditCaller]?: AuditCaller[K] } = {}
  if (name !== undefined) found.client = name
  if (caller?.kind === 'key') found.key = caller.name
  if (caller?.kind === 'token') found.user = caller.name
  return found
}

/**
 * Whose turn a request takes where a server is busy: that of its caller, at whatever address, in whatever mode and session.
 * Requests with the token of the person who started the gateway, and those of a pipe, are told apart by their client.
 */
export function laneOf({ caller, client }: ServedRequest): unknown {
  return isBound(caller) ? caller.id : client.identity
}

/** Callers beside the person who started the gateway: their tasks are theirs alone. */
export function isBound(caller: Caller | undefined): caller is Caller {
  return caller !== undefined && caller.kind !== 'owner'
}
