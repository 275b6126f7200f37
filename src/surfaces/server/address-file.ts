import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HostError } from '../../index.ts'
import type { DiscoverOptions } from '../../index.ts'
import { believePlatform, isObject, stateDirectory } from '../../internal.ts'
import { escapeLine } from '../terminal/escape.ts'
import { createNonce, isProof } from './token-proof.ts'

/** Where a `serve` listens, for `plugboard serve --address` and for a second one. Only its person can read it. */
export interface ServeAddress {
  /** `http://127.0.0.1:7777`. */
  readonly address: string
  readonly token: string
  readonly pid: number
  readonly cwd: string
}

export async function addressFile({ platform: given, cwd }: DiscoverOptions): Promise<string> {
  const { platform } = await believePlatform({ ...given, ...(cwd !== undefined && { cwd }) })
  return join(stateDirectory(platform), 'serve.json')
}

/** The `serve` that runs; a file that a killed one left is removed. */
export async function findRunning(file: string): Promise<ServeAddress | undefined> {
  const found = await readAddress(file)
  if (!found) return undefined
  if (await answers(found)) return found
  await rm(file, { force: true })
  return undefined
}

/** Writes the file, unless another `serve` has written it meanwhile. */
export async function writeAddress(file: string, address: ServeAddress): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Written under another name and renamed, so that no program reads a half-written file.
  const written = `${file}.${randomUUID()}`
  await writeFile(written, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: 'wx' })
  try {
    if (await takeName(written, file)) return
    const running = await findRunning(file)
    if (running) throw alreadyRunning(running)
    await removeUseless(file)
    if (!(await takeName(written, file))) throw unwritable(file, 'Another program writes it.')
  } finally {
    await rm(written, { force: true })
  }
}

/** Gives the written file its name, unless there is such a file. */
async function takeName(written: string, file: string): Promise<boolean> {
  try {
    await link(written, file)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    // A file system without hard links.
    await rename(written, file)
  }
  return true
}

/** What `readAddress` refuses: an empty file, one that others can read, a link. */
async function removeUseless(file: string): Promise<void> {
  try {
    await rm(file, { force: true })
  } catch (error) {
    throw unwritable(file, error instanceof Error ? error.message : String(error))
  }
}

function unwritable(file: string, reason: string): HostError<'config.unwritable'> {
  return new HostError(
    'config.unwritable',
    { file },
    `${escapeLine(file)} cannot be written: ${escapeLine(reason)}`,
    {
      hint: 'Remove it, then start again.',
    },
  )
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Removes the file, unless it belongs to another `serve`. */
export async function removeAddress(file: string, { token }: Pick<ServeAddress, 'token'>): Promise<void> {
  const found = await readAddress(file)
  if (found?.token === token) await rm(file, { force: true })
}

export function alreadyRunning({ address, pid, cwd }: ServeAddress): HostError<'serve.running'> {
  return new HostError(
    'serve.running',
    { address, pid },
    `"plugboard serve" runs already: ${address}, for ${escapeLine(cwd)} (process ${pid}).`,
    { hint: 'Its address with the token: plugboard serve --address' },
  )
}

/** A file that another user owns or can change would lead a person to a page of theirs: it counts for nothing. */
async function readAddress(file: string): Promise<ServeAddress | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const { uid, mode, size } = await handle.stat()
      const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
      return isOwn && size < maxSize ? parse(await handle.readFile('utf8')) : undefined
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

const maxSize = 10_000

function parse(text: string): ServeAddress | undefined {
  const value = JSON.parse(text) as Partial<ServeAddress> | null // checked below
  const { address, token, pid, cwd } = value ?? {}
  if (typeof address !== 'string' || !/^http:\/\/127\.0\.0\.1:\d+$/.test(address)) return undefined
  if (typeof token !== 'string' || typeof pid !== 'number' || typeof cwd !== 'string') return undefined
  return { address, token, pid, cwd }
}

const answerMs = 2000

/** Another program may listen there by now, also one of another user: it has to know the token, and is not told it (T36). */
async function answers({ address, token }: ServeAddress): Promise<boolean> {
  const nonce = createNonce()
  try {
    const answer = await fetch(`${address}/proof/${nonce}`, {
      signal: AbortSignal.timeout(answerMs),
      redirect: 'error',
    })
    const proof = await readProof(answer)
    return isProof(proof, token, nonce)
  } catch {
    return false
  }
}

/** Of an answer that may come from anybody: no more than a proof needs is read. */
async function readProof({ body }: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxSize) break
  }
  const value: unknown = JSON.parse(text)
  return isObject(value) && typeof value['proof'] === 'string' ? value['proof'] : ''
}
