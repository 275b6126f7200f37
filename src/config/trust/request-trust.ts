import { join } from 'node:path'
import { grantTrust, inputsOf, maskSecrets, revokeTrust, trustQuestionFor } from './trust-grants.ts'
import type { TrustQuestion } from './trust-grants.ts'
import { judgeEnvFile, sealEnvFile } from './env-file-trust.ts'
import { judgeScripts, pinsFiles, readRuns } from './program-trust.ts'
import type { RunsNow } from './program-trust.ts'
import type { EnvFileSeal } from '../values/env-file.ts'
import { valueSourceOf } from '../values/value-source.ts'
import { explainDifference, portableHash } from './portable-hash.ts'
import { showServer } from './shown-server.ts'
import type { LockContext } from './trust-lock.ts'
import type { ShownServer } from './shown-server.ts'
import { earlierRecord, needsTrust, readTrust, trustOf } from './trust-store.ts'
import type { TrustRecord } from './trust-store.ts'
import { createWorld } from '../world.ts'
import { discover } from '../discover.ts'
import { platformOf } from '../discover-options.ts'
import type { LockDifference } from '../../lock-file/lock-differences.ts'
import { findServer } from '../server-in-force.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { changesBetween } from '../../model/text/change.ts'
import type { Change } from '../../model/text/change.ts'
import { HostError } from '../../model/error.ts'
import type { Json } from '../../model/json.ts'
import { lockFileName } from '../../model/locked-server.ts'
import type { LockState } from '../../model/locked-server.ts'
import type { Discovery, Server, TrustState } from '../../model/server.ts'
import { nextCommand } from '../../model/next-command.ts'

/** Everything a person must see before trusting a server. */
export interface TrustRequest extends TrustQuestion {
  readonly server: Server
  /** The hash that `trust --hash` takes, the same on every machine. `key` holds for this machine only, and is taken too. */
  readonly hash: string
  /** What the server would run or reach, for display. `server` has the literal values. */
  readonly shown: ShownServer
  readonly state: TrustState
  /** Differences from the form that was trusted before. */
  readonly changes: readonly Change[]
  readonly trustedAt?: string
  /** T133: with `pinFiles`, the scripts of `scripts` are part of the trust. */
  readonly isPinned?: true
  /** The earlier trust did not cover the content of the envFile, as in versions before it was part of it (T53). */
  readonly isEnvFileNew?: true
  /** What the lock file of the project says about it, if there is one. It comes with the project, and grants nothing. */
  readonly lock?: LockState
  /** In what its declaration and what it runs differ from the lock file. */
  readonly lockDifferences?: readonly LockDifference[]
}

/**
 * Collects what a person must see before trusting a server.
 *
 * @param given A server of a discovery, or its name. An entry that waits behind another of its name comes first.
 */
export async function requestTrust(
  given: string | Server,
  options: DiscoverOptions = {},
): Promise<TrustRequest> {
  const server = typeof given === 'string' ? findWaiting(await discover(options), given) : given
  const platform = await platformOf(options)
  const world = await createWorld(platform, options)
  const source = await valueSourceOf(server)
  const { files } = platform
  const question = await trustQuestionFor(server, source.valuesOf(server, world), files)
  const store = await readTrust(platform)
  const context = { source, world, files }
  const envFile = await sealEnvFile(server, question.variables, context)
  const judgment = await trustOf(server, store, files)
  const isSealed = judgment.state === 'trusted' && needsTrust(server) && envFile !== undefined
  const sealed = isSealed ? await judgeEnvFile(server, judgment, context) : judgment
  const runs = await readRuns(server, { platform, world })
  const isPinned = needsTrust(server) && (await pinsFiles(platform, options))
  const { state } =
    isPinned && sealed.state === 'trusted' ? await judgeScripts(server, sealed, { platform, world }) : sealed
  const before = state === 'trusted' ? undefined : await earlierRecord(server, store, files)
  const lock = await readTrustLock(server, { platform, world, options })
  return {
    ...question,
    ...(envFile && { envFile }),
    ...runs,
    ...(isPinned && { isPinned }),
    server,
    hash: await portableHash(server, { files, home: world.home, dirs: world.dirs }),
    shown: showServer(server),
    state,
    changes: before ? changesSince(before, server, { envFile, ...(isPinned && { runs }) }) : [],
    ...(before && { trustedAt: before.at }),
    ...(before && envFile && !before.envFile && { isEnvFileNew: true }),
    ...lock,
  }
}

/** The code for lock files is loaded only if the project has one. */
async function readTrustLock(
  server: Server,
  context: LockContext,
): Promise<Pick<TrustRequest, 'lock' | 'lockDifferences'>> {
  const { folder } = server
  const { files } = context.platform
  if (folder === undefined || !(await files.stat(join(folder, lockFileName)))) return {}
  return (await import('./trust-lock.ts')).trustLock(server, context)
}

function changesSince(
  before: TrustRecord,
  server: Server,
  { envFile, runs }: { readonly envFile: EnvFileSeal | undefined; readonly runs?: RunsNow },
): readonly Change[] {
  const entries: readonly Json[] = server.declared.map(({ entry }) => maskSecrets(entry))
  return [
    ...changesBetween(before.entry, entries.length === 1 ? entries[0] : entries),
    ...changesBetween(before.inputs ?? {}, inputsOf(server), ['inputs']),
    ...changesBetween(before.envFile?.variables ?? {}, envFile?.variables ?? {}, ['envFile']),
    ...(runs ? changesBetween(before.scripts ?? {}, runs.scripts, ['scripts']) : []),
  ]
}

/** Whether a hash names exactly this form of the entry: the portable one, or the one for this machine. */
export function hasHash({ hash, key }: Pick<TrustRequest, 'hash' | 'key'>, given: string): boolean {
  return given === hash || given === key
}

/** Stores a person's trust in a server. With `hash`, fails unless the entry still has exactly that hash. */
export async function trustServer(
  request: TrustRequest,
  options: DiscoverOptions & { readonly hash?: string } = {},
): Promise<void> {
  if (options.hash !== undefined && !hasHash(request, options.hash)) {
    const { name } = request.server
    const message = `"${name}" is now ${request.hash}, not ${options.hash}. ${explainDifference(options.hash, request.hash)}`
    throw new HostError('trust.refused', { server: name }, message, {
      hint: `Look at it first: ${nextCommand('why', name)}`,
    })
  }
  await grantTrust(request.server, request, await platformOf(options))
}

function findWaiting(discovery: Discovery, name: string): Server {
  const waiting = discovery.shadowed.find(({ server, trust }) => trust && server.name === name)
  return waiting?.server ?? findServer(discovery, name)
}

/**
 * Revokes trust in one server or, by name, in the servers of that name that are declared here or, if there are none, in
 * every file. Returns the number of removed records.
 */
export async function untrustServer(given: string | Server, options: DiscoverOptions = {}): Promise<number> {
  const platform = await platformOf(options)
  if (typeof given !== 'string') {
    const file = await platform.files.realPath(given.origin.file)
    return revokeTrust({ name: given.name, files: [file] }, platform)
  }
  const name = given
  const { servers, shadowed } = await discover(options)
  const here = [...servers, ...shadowed.map(({ server }) => server)].filter((server) => server.name === name)
  if (here.length === 0) return revokeTrust({ name }, platform)
  const files = await Promise.all(here.map(({ origin }) => platform.files.realPath(origin.file)))
  return revokeTrust({ name, files }, platform)
}
