import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Server } from '../../../../index.ts'
import { compareProgram, readLockFile, readProgram } from '../../../../internal.ts'
import type { LockReading, LockedProgram, LockedServer } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { exitOf, faultOf } from '../../errors.ts'
import type { Exit } from '../../exit-codes.ts'
import { deadlineOf, withoutSecrets } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { learnOffers } from './learn-offers.ts'
import type { LockFlags } from './lock.ts'
import { folderOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'

/** A server that a project declares, as it is now. */
export interface ServerNow {
  readonly name: string
  readonly program: LockedProgram
  /** Where its command is on this machine. */
  readonly path?: string
  /** Everything, if what it offers is known. */
  readonly now?: LockedServer
  readonly skipped?: SkippedServer
}

/** Why what a server offers is not known, or must not be agreed on. */
export interface SkippedServer {
  readonly reason: 'disabled' | 'untrusted' | 'differs' | 'unknown' | 'failed' | 'held'
  readonly message: string
  readonly exit?: Exit
}

/** A folder with a lock file, or whose config declares servers. */
export interface LockedProject {
  readonly reading: LockReading
  readonly servers: readonly ServerNow[]
  /** Names of servers whose entry in the project is hidden by another declaration. */
  readonly hidden: readonly string[]
}

/** Reads the lock file of each project, and what its servers run and offer now. */
export async function gatherProjects(
  cli: Cli,
  context: HostContext,
  flags: LockFlags,
): Promise<readonly LockedProject[]> {
  const { servers, shadowed } = context.host.discovery
  const declared = servers.filter(isOfProject)
  const waiting = shadowed.map(({ server }) => server).filter(isOfProject)
  const folders = new Set([...declared, ...waiting].flatMap(({ folder }) => folder ?? []))
  const own = await nearestLock(folderOf(cli, flags))
  if (own !== undefined) folders.add(own)
  return Promise.all(
    [...folders].sort().map(async (folder) => {
      const reading = await readLockFile(folder)
      const inFolder = declared.filter((server) => server.folder === folder)
      return {
        reading,
        servers: await Promise.all(
          inFolder.map((server) => describe(cli, server, reading, { context, flags })),
        ),
        hidden: waiting.filter((server) => server.folder === folder).map(({ name }) => name),
      }
    }),
  )
}

function isOfProject({ origin, folder }: Server): boolean {
  return origin.authority === 'project' && folder !== undefined
}

/** A lock file whose project declares no server any more: in this folder, or in one above it in the same repository. */
async function nearestLock(cwd: string): Promise<string | undefined> {
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) {
    if ((await readLockFile(folder)).kind !== 'absent')
      return isSameRepository(cwd, folder) ? folder : undefined
    if (existsSync(join(folder, '.git'))) return undefined
  }
  return undefined
}

function isSameRepository(cwd: string, top: string): boolean {
  if (cwd === top) return true
  for (let folder = top; dirname(folder) !== folder; folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return true
  return false
}

async function describe(
  cli: Cli,
  server: Server,
  reading: LockReading,
  { context, flags }: { readonly context: HostContext; readonly flags: LockFlags },
): Promise<ServerNow> {
  const { name } = server
  const { locked, installed } = await readProgram(server, discoverOptions(cli, flags))
  const base = { name, program: locked, ...(installed.path !== undefined && { path: installed.path }) }
  const agreed = reading.kind === 'lock' ? reading.lock.servers.get(name) : undefined
  const skipped = reasonToSkip(server, { program: locked, agreed }, context, flags)
  if (skipped) return { ...base, skipped }
  try {
    await learn(name, context, flags)
  } catch (error) {
    context.signal.throwIfAborted()
    const reason = withoutSecrets(error, context.host)
    return { ...base, skipped: { reason: 'failed', message: faultOf(reason).message, exit: exitOf(reason) } }
  }
  // What it runs may have been fetched by the start.
  const { locked: program } = await readProgram(server, discoverOptions(cli, flags))
  const apps = flags.check || flags.noStart ? undefined : await readApps(name, context)
  const offered = toOffers(name, context)
  if (!offered) {
    const message = 'what it offers is not known yet, and nothing is started.'
    return { ...base, program, skipped: { reason: 'unknown', message } }
  }
  const now: LockedServer = { ...program, ...offered, ...(apps && { apps }) }
  const held = flags.check || flags.frozen ? 0 : heldOf(name, context)
  if (held === 0) return { ...base, program, now }
  const message = `${held} of what it offers ${held === 1 ? 'is' : 'are'} held. Look at it first: ${serverCommand('review', name)}`
  return { ...base, program, skipped: { reason: 'held', message, exit: 'denied' } }
}

function reasonToSkip(
  server: Server,
  { program, agreed }: { readonly program: LockedProgram; readonly agreed: LockedServer | undefined },
  { host }: HostContext,
  { frozen }: LockFlags,
): SkippedServer | undefined {
  const { name } = server
  if (!server.enabled) return { reason: 'disabled', message: 'it is switched off.' }
  if (host.discovery.trust.get(server) !== 'trusted')
    return {
      reason: 'untrusted',
      message: `it is not trusted. Trust it first: ${serverCommand('trust', name)}`,
      exit: 'untrusted',
    }
  // In CI `--trust` may be given: an entry that the team did not agree on is not started even then.
  if (frozen && !agreed)
    return { reason: 'differs', message: 'it is not in the lock file, so it is not started.' }
  if (
    frozen &&
    agreed &&
    compareProgram(name, agreed, program).some(
      ({ part, change }) => part !== 'version' && change !== 'unknown',
    )
  )
    return { reason: 'differs', message: 'it differs from the lock file, so it is not started.' }
  return undefined
}

/** From disk if it is known; otherwise the server is asked. */
async function learn(
  name: string,
  context: HostContext,
  { frozen, check, noStart }: LockFlags,
): Promise<void> {
  const { host } = context
  if (!frozen) await host.ready({ servers: [name], from: 'disk', signal: deadlineOf(context) })
  if (check || noStart || (!frozen && host.definitions(name))) return
  await learnOffers(name, context)
}

function toOffers(
  name: string,
  { host }: HostContext,
): Pick<LockedServer, 'instructions' | 'tools' | 'prompts' | 'templates' | 'skills'> | undefined {
  const known = host.definitions(name)
  if (!known) return undefined
  const hashes = (kind: (typeof known)[number]['kind']) =>
    new Map(known.filter((each) => each.kind === kind).map((each) => [each.name, each.hash]))
  const instructions = known.find(({ kind }) => kind === 'instructions')?.hash
  return {
    ...(instructions !== undefined && { instructions }),
    tools: hashes('tool'),
    prompts: hashes('prompt'),
    templates: hashes('template'),
    skills: hashes('skill'),
  }
}

/** The hashes of the documents of its apps; one that cannot be read is left out, and one that is held counts as held. */
async function readApps(
  name: string,
  context: HostContext,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { host } = context
  const byAddress = new Map(
    host
      .tools()
      .flatMap(({ server, app, ref }) => (server === name && app !== undefined ? [[app, ref]] : [])),
  )
  const hashes = new Map<string, string>()
  for (const [uri, ref] of byAddress) {
    const app = await host.readApp(ref, { signal: deadlineOf(context) }).catch(() => undefined)
    context.signal.throwIfAborted()
    if (app) hashes.set(uri, app.hash)
  }
  return byAddress.size === 0 ? undefined : hashes
}

function heldOf(name: string, { host }: HostContext): number {
  return host.held().find(({ server }) => server === name)?.offers.length ?? 0
}
