import { dirname } from 'node:path'
import type { Account, Clock, Http, Lock, Os, Platform, Processes, Run, Spawn } from '../platform.ts'
import type { Keychain, Listen } from '../login-ports.ts'
import { nodeFiles } from './files.ts'

/** The platform of this machine. Each part imports its modules of Node when it is first used. */
export function nodePlatform(overrides: Partial<Platform> = {}): Platform {
  const env = overrides.env ?? process.env
  const os = overrides.os ?? currentOs()
  const account = overrides.account ?? readAccount
  return {
    os,
    env,
    home: overrides.home ?? (homeIn(env, os) || account().home),
    cwd: process.cwd(),
    systemRoot: os === 'win32' ? 'C:\\' : '/',
    files: nodeFiles,
    lock,
    run,
    spawn,
    processes,
    http,
    clock,
    keychain,
    browser: (url) => openBrowser(os, env, url),
    listen,
    ...(process.getuid && { uid: process.getuid() }),
    account,
    ...overrides,
  }
}

function currentOs(): Os {
  return process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
}

/** Uses `HOME`, as shells do, so that a person or a test can change it; without it, the account's home directory. */
function homeIn(env: Platform['env'], os: Os): string | undefined {
  return os === 'win32' ? (env['USERPROFILE'] ?? env['HOME']) : env['HOME']
}

/** Used for an account without a home directory. Only root can create it. */
const noHome = '/nonexistent'

function readAccount(): Account {
  const { accessSync, constants, existsSync } = process.getBuiltinModule('node:fs')
  const { home, ...named } = accountEntry()
  let existing = home
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
    return { ...named, home, canWrite: home !== noHome }
  } catch {
    return { ...named, home, canWrite: false }
  }
}

/** An account may have no entry, as in a container that runs under any user id. */
function accountEntry(): Pick<Account, 'name' | 'home'> {
  try {
    const { username, homedir } = process.getBuiltinModule('node:os').userInfo()
    return { name: username, home: homedir || noHome }
  } catch {
    return { home: noHome }
  }
}

const lock: Lock = async (path, work) => {
  const { withLock } = await import('./lock.ts')
  return withLock(path, work)
}

const run: Run = async (command, options) => {
  const { runCommand } = await import('./run-command.ts')
  return runCommand(command, options)
}

// Cached: these are called often, and even a repeated import has a cost.
let startChild: Promise<Spawn> | undefined
let table: Promise<Processes> | undefined

const spawn: Spawn = async (options) => {
  const start = await (startChild ??= import('./start-child.ts').then((module) => module.startChild))
  return start(options)
}

const processTable = () => (table ??= import('./processes.ts').then(({ nodeProcesses }) => nodeProcesses))

const processes: Processes = {
  self: async () => (await processTable()).self(),
  startMarkOf: async (pid) => (await processTable()).startMarkOf(pid),
  descendants: async (pid) => (await processTable()).descendants(pid),
  tagged: async (where) => (await processTable()).tagged(where),
  isGroupAlive: async (pid) => (await processTable()).isGroupAlive(pid),
  kill: async (target, signal) => (await processTable()).kill(target, signal),
  killGroup: async (leader, signal) => (await processTable()).killGroup(leader, signal),
}

const http: Http = async (options) => {
  const { createHttpClient } = await import('./http.ts')
  return createHttpClient(options)
}

const keychain: Keychain = {
  read: async (name) => (await import('./keychain.ts')).readSecret(name),
  write: async (name, secret) => (await import('./keychain.ts')).writeSecret(name, secret),
  remove: async (name) => (await import('./keychain.ts')).removeSecret(name),
  find: async (service, account) => (await import('./keychain.ts')).readSecret(account, service),
  store: async (service, account, secret) => {
    const { removeSecret, writeSecret } = await import('./keychain.ts')
    await (secret === undefined ? removeSecret(account, service) : writeSecret(account, secret, service))
  },
}

const openBrowser = async (os: Os, env: Platform['env'], url: URL): Promise<boolean> => {
  const { showPage } = await import('./browser.ts')
  return showPage(os, env, url)
}

const listen: Listen = async (options) => {
  const { listenLocally } = await import('./loopback-listener.ts')
  return listenLocally(options)
}

/** Cached on first use: looking up the global takes a third of the time of a call. */
let performanceClock: typeof globalThis.performance | undefined
const monotonic = (): number => (performanceClock ??= globalThis.performance).now()
const clock: Clock = { now: () => Date.now(), monotonic, timer, sleep }

/** The longest delay of a timer: Node fires a timer with a longer one at once. */
const maxDelayMs = 2 ** 31 - 1

function timer(ms: number, onDue: () => void, options: { readonly background?: boolean } = {}): Disposable {
  const handle = setTimeout(onDue, Math.min(ms, maxDelayMs))
  if (options.background) handle.unref()
  return { [Symbol.dispose]: () => clearTimeout(handle) }
}

function sleep(
  ms: number,
  signal?: AbortSignal,
  options: { readonly background?: boolean } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, maxDelayMs),
    )
    if (options.background) timer.unref()
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
