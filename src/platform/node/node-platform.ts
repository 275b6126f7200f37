import type { Clock, Http, Lock, Os, Platform, Processes, Run, Spawn } from '../platform.ts'
import type { Keychain, Listen } from '../login-ports.ts'
import { nodeFiles } from './files.ts'

/** This machine. What a part needs from Node is imported when it is first used. */
export function nodePlatform(overrides: Partial<Platform> = {}): Platform {
  const env = overrides.env ?? process.env
  const os = overrides.os ?? currentOs()
  return {
    os,
    env,
    home: homeOf(env, os),
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
    ...overrides,
  }
}

function currentOs(): Os {
  return process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
}

/** `HOME` first, as shells do, so that a person and a test can point it elsewhere. */
function homeOf(env: Platform['env'], os: Os): string {
  return (os === 'win32' ? (env['USERPROFILE'] ?? env['HOME']) : env['HOME']) || '/'
}

const lock: Lock = async (path, work) => {
  const { withLock } = await import('./lock.ts')
  return withLock(path, work)
}

const run: Run = async (command, options) => {
  const { runCommand } = await import('./run-command.ts')
  return runCommand(command, options)
}

// Asked for many times: an import that is done already still costs something.
let starting: Promise<Spawn> | undefined
let table: Promise<Processes> | undefined

const spawn: Spawn = async (options) => {
  const start = await (starting ??= import('./start-child.ts').then(({ startChild }) => startChild))
  return start(options)
}

const processTable = () => (table ??= import('./processes.ts').then(({ nodeProcesses }) => nodeProcesses))

const processes: Processes = {
  self: async () => (await processTable()).self(),
  startMarkOf: async (pid) => (await processTable()).startMarkOf(pid),
  descendants: async (pid) => (await processTable()).descendants(pid),
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
}

const openBrowser = async (os: Os, env: Platform['env'], url: URL): Promise<boolean> => {
  const { showPage } = await import('./browser.ts')
  return showPage(os, env, url)
}

const listen: Listen = async (options) => {
  const { listenLocally } = await import('./loopback-listener.ts')
  return listenLocally(options)
}

/** Loaded when it is first asked for, and kept: to look for it takes a third as long as to ask it for the time. */
let times: typeof globalThis.performance | undefined
const monotonic = (): number => (times ??= globalThis.performance).now()
const clock: Clock = { now: () => Date.now(), monotonic, timer, sleep }

/** Node takes a longer time for none at all. */
const longestMs = 2 ** 31 - 1

function timer(ms: number, onDue: () => void, options: { readonly background?: boolean } = {}): Disposable {
  const handle = setTimeout(onDue, Math.min(ms, longestMs))
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
      Math.min(ms, longestMs),
    )
    if (options.background) timer.unref()
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
