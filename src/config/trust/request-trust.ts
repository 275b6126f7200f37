import { grantTrust, inputsOf, maskSecrets, revokeTrust, trustQuestionFor } from './trust-grants.ts'
import type { TrustQuestion } from './trust-grants.ts'
import { judgeEnvFile, sealEnvFile } from './env-file-trust.ts'
import type { EnvFileSeal } from '../values/env-file.ts'
import { valueSourceOf } from '../values/value-source.ts'
import { explainDifference, portableHash } from './portable-hash.ts'
import { showServer } from './shown-server.ts'
import type { ShownServer } from './shown-server.ts'
import { earlierRecord, needsTrust, readTrust, trustOf } from './trust-store.ts'
import type { TrustRecord } from './trust-store.ts'
import { createWorld } from '../world.ts'
import { discover } from '../discover.ts'
import { platformOf } from '../discover-options.ts'
import { findServer } from '../server-in-force.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { changesBetween } from '../../model/change.ts'
import type { Change } from '../../model/change.ts'
import { HostError } from '../../model/error.ts'
import type { Json } from '../../model/json.ts'
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
  /** The earlier trust did not cover the content of the envFile, as in versions before it was part of it (T53). */
  readonly isEnvFileNew?: true
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
  const { state } = isSealed ? await judgeEnvFile(server, judgment, context) : judgment
  const before = state === 'trusted' ? undefined : await earlierRecord(server, store, files)
  return {
    ...question,
    ...(envFile && { envFile }),
    server,
    hash: await portableHash(server, { files, home: world.home, dirs: world.dirs }),
    shown: showServer(server),
    state,
    changes: before ? changesSince(before, server, envFile) : [],
    ...(before && { trustedAt: before.at }),
    ...(before && envFile && !before.envFile && { isEnvFileNew: true }),
  }
}

function changesSince(
  before: TrustRecord,
  server: Server,
  envFile: EnvFileSeal | undefined,
): readonly Change[] {
  const entries: readonly Json[] = server.declared.map(({ entry }) => maskSecrets(entry))
  return [
    ...changesBetween(before.entry, entries.length === 1 ? entries[0] : entries),
    ...changesBetween(before.inputs ?? {}, inputsOf(server), ['inputs']),
    ...changesBetween(before.envFile?.variables ?? {}, envFile?.variables ?? {}, ['envFile']),
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
