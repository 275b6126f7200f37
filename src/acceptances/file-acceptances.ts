import { join } from 'node:path'
import { sha256Hex } from '../model/canonical.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { FileText, Platform } from '../platform/platform.ts'
import type { AcceptanceOwner, AcceptanceReading, AcceptanceStore } from './acceptance-store.ts'
import { parseAcceptance } from './acceptance-text.ts'
import { carryOver, toStorableText } from './storable-acceptance.ts'

export interface AcceptanceFilesOptions {
  readonly directory: string
  readonly platform: Pick<Platform, 'files' | 'lock' | 'os' | 'uid'>
  /** Returns false for text that must not be stored because it contains a secret. */
  readonly isStorable?: (text: string) => boolean
}

/** A file is as large as the definitions of its server, which messages limit. */
const maxBytes = 256 * 1024 * 1024

/**
 * Acceptances in private files, one for each declaration and account. A second small file leads from the name and place
 * of a declaration to the file of its last entry, so that an edited entry keeps what was accepted before.
 */
export function createAcceptanceFiles(options: AcceptanceFilesOptions): AcceptanceStore {
  const { directory, platform, isStorable = () => true } = options
  const { files } = platform
  /** Why the files cannot be relied on: others can write them. */
  const foreignAccess = ({ stat }: Pick<Extract<FileText, { kind: 'text' }>, 'stat'>, what: string) => {
    if (platform.os === 'win32') return undefined
    if (stat.mode & 0o022) return `${what} can be written by others (mode ${stat.mode.toString(8)})`
    if (platform.uid !== undefined && stat.uid !== platform.uid) return `${what} belongs to another user`
    return undefined
  }
  let folder: Promise<string | undefined> | undefined
  const foreignFolder = () =>
    (folder ??= files.stat(directory).then((stat) => stat && foreignAccess({ stat }, directory)))

  const readFile = async (path: string, owner: AcceptanceOwner): Promise<AcceptanceReading> => {
    const found = await files.readText(path, { maxBytes })
    if (found.kind === 'absent') return { kind: 'none' }
    if (found.kind === 'problem') return damaged(path, found.message)
    const why = foreignAccess(found, path) ?? (await foreignFolder())
    if (why !== undefined) return damaged(path, why)
    const acceptance = parseAcceptance(found.text, owner)
    return acceptance ? { kind: 'known', acceptance } : damaged(path, 'it is not as it was written')
  }
  const readEarlier = async (owner: AcceptanceOwner): Promise<AcceptanceReading> => {
    const found = await files.readText(placePath(directory, owner), { maxBytes: 4096 })
    const key = found.kind === 'text' ? readKey(found.text) : undefined
    if (key === undefined || key === owner.key) return { kind: 'none' }
    const earlier = await readFile(ownPath(directory, { ...owner, key }), owner)
    return earlier.kind === 'known' ? { kind: 'known', acceptance: carryOver(earlier.acceptance) } : earlier
  }
  const read: AcceptanceStore['read'] = async (owner) => {
    const own = await readFile(ownPath(directory, owner), owner)
    return own.kind === 'none' ? readEarlier(owner) : own
  }
  const pointTo = async (owner: AcceptanceOwner) => {
    const path = placePath(directory, owner)
    const found = await files.readText(path, { maxBytes: 4096 })
    if (found.kind === 'text' && readKey(found.text) === owner.key) return
    await files.replace(path, `${JSON.stringify({ version: 1, key: owner.key })}\n`, { mode: 0o600 })
  }
  return {
    read,
    async change(owner, change) {
      await files.makePrivateDirectory(directory)
      const path = ownPath(directory, owner)
      return platform.lock(path, async () => {
        const current = await read(owner)
        if (current.kind === 'damaged') throw storeDamaged(current.problem, path)
        const acceptance = change(current.kind === 'known' ? current.acceptance : undefined)
        const text = toStorableText(acceptance, owner, isStorable)
        await files.replace(path, text, { mode: 0o600 })
        await pointTo(owner)
        return acceptance
      })
    },
  }
}

function ownPath(directory: string, { key, account }: AcceptanceOwner): string {
  return join(directory, `${key}${suffixOf(account)}.json`)
}

function placePath(directory: string, { placeKey, account }: AcceptanceOwner): string {
  return join(directory, `${placeKey}${suffixOf(account)}.last.json`)
}

function suffixOf(account: string): string {
  return account === '' ? '' : `.${sha256Hex(account).slice(0, 16)}`
}

function readKey(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const key = isObject(value) ? value['key'] : undefined
    // It becomes part of a path.
    return typeof key === 'string' && /^[\da-f]{64}$/.test(key) ? key : undefined
  } catch {
    return undefined
  }
}

function damaged(file: string, why: string): AcceptanceReading {
  const problem: Diagnostic = {
    code: 'store-damaged',
    severity: 'error',
    message: `What was accepted of this server cannot be read: ${why}. Everything it offers is held.`,
    hint: `Repair ${file}, or remove it to see the server as new.`,
    origin: { file },
  }
  return { kind: 'damaged', problem }
}

function storeDamaged({ message, hint }: Diagnostic, file: string): HostError {
  return new HostError('store.damaged', { file }, message, hint === undefined ? {} : { hint })
}
