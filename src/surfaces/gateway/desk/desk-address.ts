// Part of the shim, which has to start as fast as Node itself: it imports only small modules of Node.
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'

/** Where the gateway of a user listens. */
export interface DeskAddress {
  /** Private to the user; on Windows it holds nothing. */
  readonly directory: string
  /** The part of its name that all presets have in common. */
  readonly scope: string
  readonly socket: string
}

export interface DeskOwner {
  readonly os: NodeJS.Platform
  readonly uid?: number | undefined
  readonly user: string
  /** The home directory that the system has for the account; absent if there is none. */
  readonly accountHome?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly hash: (text: string) => string
}

/** Node reads these when it starts, so programs with other values need a process of their own. */
const processWide = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/** The longest path of a socket: a longer one is cut off without an error by some versions of Node. */
const maxBytes = { linux: 107, darwin: 103 }

/**
 * One address for each user, preset, and what one process cannot have twice: the home directory, and certificates. It does
 * not depend on variables that lead elsewhere (D-12): two clients with different environments must find the same gateway.
 */
export function deskAddress(owner: DeskOwner, preset: string): DeskAddress {
  const { os, uid, user, accountHome, env, hash } = owner
  const home = (os === 'win32' ? env['USERPROFILE'] : env['HOME']) || accountHome
  const certificates = processWide.map((name) => env[name] ?? '')
  const scope = home === accountHome ? 'desk' : hash(home ?? '')
  const variant = certificates.some((each) => each !== '') ? `-${hash(certificates.join('\n'))}` : ''
  const name = `${scope}${variant}-${preset}`
  if (os === 'win32') {
    const directory = `${accountHome ?? 'C:'}\\AppData\\Local\\plugboard\\gateway`
    return { directory, scope, socket: `\\\\.\\pipe\\plugboard-${hash(user)}-${name}` }
  }
  const places = [
    ...(accountHome === undefined ? [] : [`${accountHome}/.local/state/plugboard/gateway`]),
    `/tmp/plugboard-gateway-${uid}`,
  ]
  const limit = os === 'darwin' ? maxBytes.darwin : maxBytes.linux
  const directory =
    places.find((each) => Buffer.byteLength(`${each}/${name}.sock`) <= limit) ??
    `/tmp/plugboard-gateway-${uid}`
  return { directory, scope, socket: `${directory}/${name}.sock` }
}

/** The account of this process, with its variables or given ones. */
export function deskOwner(env: DeskOwner['env'] = process.env): DeskOwner {
  const account = accountOf()
  return {
    os: process.platform,
    uid: process.geteuid?.(),
    user: account?.username ?? '',
    accountHome: account?.homedir || undefined,
    env,
    hash: shortHash,
  }
}

/** FNV-1a over 64 bits, in two halves. It only makes names: loading `node:crypto` takes longer than all of the shim. */
function shortHash(text: string): string {
  const bytes = Buffer.from(text)
  const half = (seed: number) => {
    let hash = seed
    for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
    return (hash >>> 0).toString(16).padStart(8, '0')
  }
  return half(0x811c9dc5) + half(0x1b873593)
}

function accountOf() {
  try {
    return userInfo()
  } catch {
    return undefined
  }
}

/**
 * Creates the directory if needed. Only its owner can enter it, which is what keeps other users out: Node does not know the
 * user at the other end of a socket. Throws if it belongs to another user or is something else.
 */
export function openDeskDirectory({ directory }: DeskAddress): void {
  if (process.platform === 'win32') return
  const found = lstatSync(directory, { throwIfNoEntry: false }) ?? createDirectory(directory)
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory`)
  if (found.uid !== process.geteuid?.()) throw new Error(`${directory} belongs to another user`)
  if ((found.mode & 0o077) !== 0) chmodSync(directory, 0o700)
}

function createDirectory(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return lstatSync(directory)
}
