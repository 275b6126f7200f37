import { HostError, isHostError } from '../model/error.ts'

/** Where a store is, as it may be shown: a file, or an address without its password. */
export interface StorePlace {
  readonly kind: 'sqlite' | 'postgres'
  readonly name: string
}

/** Turns an error of a driver into one with a sentence and a next step. */
export function toStoreError(error: unknown, place: StorePlace): HostError {
  if (isHostError(error)) return error
  const message = messageOf(error)
  const code = codeOf(error)
  if (place.kind === 'sqlite' && isDamage(code, message))
    return new HostError('store.damaged', { file: place.name }, `${place.name} is damaged: ${message}.`, {
      hint: `Move it away (and ${place.name}-wal, if there is one), or put a backup in its place.`,
      cause: error,
    })
  return unavailable(place, reasonOf(code, message), error)
}

/** On Linux an open file can be deleted, and SQLite then writes to a file without a name. */
export function removed(place: StorePlace): HostError {
  return new HostError(
    'store.unavailable',
    { place: place.name },
    `The store ${place.name} is gone: another program has removed its file.`,
    { hint: 'Put it back, or start again to begin a new one.' },
  )
}

function unavailable(place: StorePlace, reason: string, cause: unknown): HostError {
  const hint =
    place.kind === 'postgres'
      ? 'Check that PostgreSQL runs and that the address and the password are right.'
      : 'Check the folder and the disk; another process may also hold the file for long.'
  return new HostError(
    'store.unavailable',
    { place: place.name },
    `The store ${place.name} cannot be used: ${reason}.`,
    { hint, cause },
  )
}

/** Whether the same work may succeed later: the server is away, or another process writes to the file. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  if (isBusy(code, messageOf(error))) return true
  if (/^(?:08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT)$/.test(code)) return true
  return /terminated|connection timeout|Client has encountered a connection error/i.test(messageOf(error))
}

function isDamage(code: string, message: string): boolean {
  return /NOTADB|CORRUPT/.test(code) || /not a database|malformed|disk image/i.test(message)
}

function isBusy(code: string, message: string): boolean {
  return code.startsWith('SQLITE_BUSY') || /database is locked/i.test(message)
}

function reasonOf(code: string, message: string): string {
  if (/SQLITE_FULL/.test(code) || /database or disk is full/i.test(message)) return 'the disk is full'
  if (isBusy(code, message)) return 'another process is writing to it for too long'
  if (/SQLITE_CANTOPEN/.test(code) || /unable to open/i.test(message)) return 'the file cannot be opened'
  if (/SQLITE_READONLY/.test(code) || /readonly database/i.test(message)) return 'the file cannot be written'
  return message.replace(/\.$/, '')
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const code: unknown =
    typeof first === 'object' && first !== null && 'code' in first ? first.code : undefined
  return typeof code === 'string' ? code : ''
}
