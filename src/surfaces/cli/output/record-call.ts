import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { HostError } from '../../../index.ts'
import type { CallResult, Host, JsonObject, Platform } from '../../../index.ts'
import { bytesOfResult, stateDirectory } from '../../../internal.ts'
import type { StoredCall } from '../../../store.ts'

const maxResultChars = 8000
/** As in the store. */
const maxRawChars = 256 * 1024
const maxArgumentChars = 32_000
/** A journal that no program has taken into a store for so long is not continued. */
const maxJournalBytes = 8 * 1024 * 1024

/** Never creates the file: where no store was opened yet, there is none, and one failed open is all that a call costs. */
const flags = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

export interface EndedCall {
  readonly ref: string
  readonly args: JsonObject
  readonly by: 'terminal' | 'program'
  readonly ms: number
  readonly outcome: { readonly result: CallResult } | { readonly error: unknown }
}

/**
 * Writes a call into the journal in the state directory, from where the next program that opens the store takes it: opening
 * the store here would take longer than most calls. Called after the result was printed. A call that cannot be written is
 * not kept. An argument or a result may hold the secret of a server that this command did not start, so all secrets that are
 * at hand are made known first. Returns the id of the call, if it is kept.
 */
export async function recordCall(
  call: EndedCall,
  host: Pick<Host, 'redact' | 'knowSecrets'>,
  place: Pick<Platform, 'env' | 'home'>,
): Promise<string | undefined> {
  try {
    const file = openSync(join(stateDirectory(place), 'calls.jsonl'), flags)
    try {
      const { uid, size, mode } = fstatSync(file)
      // T54: a file of a project, which a variable may lead to, is never as private as the one that the store makes.
      const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
      if (!isOwn || size >= maxJournalBytes) return undefined
      await host.knowSecrets()
      const id = newId()
      writeSync(file, `${host.redact(toLine(id, call))}\n`)
      return id
    } finally {
      closeSync(file)
    }
  } catch {
    // There is no store here, its folder cannot be written, or secrets may be unknown: nothing is kept.
    return undefined
  }
}

function toLine(id: string, { ref, args, by, ms, outcome }: EndedCall): string {
  const written = JSON.stringify(args)
  const kept = written.length > maxArgumentChars ? `${written.slice(0, maxArgumentChars)}…` : args
  const about = 'result' in outcome ? ofResult(outcome.result) : ofError(outcome.error)
  const line: Omit<StoredCall, 'startedAt'> = {
    id,
    by,
    ref,
    args: kept,
    ...about,
    ms,
    at: new Date().toISOString(),
  }
  return JSON.stringify(line)
}

/** Unique enough for a row, without loading `node:crypto` on the path of a call. */
function newId(): string {
  return [Date.now(), process.pid, Math.random() * 2 ** 52]
    .map((part) => Math.floor(part).toString(36))
    .join('-')
}

function ofResult(result: CallResult) {
  const { text, failed, raw } = result
  const isKept = raw !== undefined && JSON.stringify(raw).length <= maxRawChars
  return {
    outcome: failed ? ('failed' as const) : ('done' as const),
    result: text.slice(0, maxResultChars),
    ...(isKept && { raw }),
    bytes: bytesOfResult(result),
  }
}

function ofError(error: unknown) {
  const known = error instanceof HostError ? error : undefined
  const message = error instanceof Error ? error.message : String(error)
  const outcomes = { 'call.denied': 'denied', 'tool.held': 'denied', 'call.cancelled': 'cancelled' } as const
  const outcome = known && Object.hasOwn(outcomes, known.code) ? known.code : undefined
  return {
    outcome: outcome ? outcomes[outcome as keyof typeof outcomes] : ('failed' as const),
    result: message.slice(0, maxResultChars),
    bytes: Buffer.byteLength(message),
    error: {
      code: known?.code ?? 'error',
      message,
      ...(known?.hint !== undefined && { hint: known.hint }),
    },
  }
}
