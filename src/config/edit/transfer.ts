import { holdsSecret } from './check-server.ts'
import { hasSwitch, targetIn } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'
import { toNewServer } from './to-new-server.ts'
import { valueRulesIn } from './translate-value.ts'
import { discover } from '../discover.ts'
import { knownSource } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { addOrReplace } from './declarations.ts'
import { checkNames, mainReason, nothingCopied, severalError, unusableIn } from './copy-problems.ts'
import { unusualParts } from './unusual-start.ts'
import type { UnusualPart } from './unusual-start.ts'
import { openWorkbench } from './workbench.ts'
import type { EditOptions, EditResult, Workbench } from './workbench.ts'
import { HostError } from '../../model/error.ts'
import type { ErrorCode } from '../../model/error.ts'
import type { Discovery, Input, Server } from '../../model/server.ts'
import { nextCommand } from '../../model/next-command.ts'
import { referredIn } from '../../sources/clients/editor-inputs.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { namedOnly } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import { socketAddress } from '../../sources/clients/socket-address.ts'
import type { Source } from '../../sources/source.ts'
import type { LostField, NewServer } from '../../sources/entries/write-rules.ts'
import { variableIn } from '../values/value-sites.ts'

export interface TransferOptions extends EditOptions {
  /** Only these servers, including disabled ones. */
  readonly only?: readonly string[]
  /** The new name of the one server that is copied. */
  readonly as?: string
  /**
   * Copy servers of the project that are not trusted, too. In a file of the user nothing asks about them again, so only a
   * person who saw them may decide this; `trust` for one call does not.
   */
  readonly untrusted?: 'copy'
}

export interface SkippedServer {
  readonly name: string
  readonly reason: string
}

export interface RenamedServer {
  readonly name: string
  readonly as: string
}

/** The servers that were copied, and those that were not with the reason. */
export interface Transfer extends Omit<EditResult, 'renamed'> {
  readonly copied: readonly string[]
  /** Copied servers that have another name in the file, because its owner refuses theirs, or with `as`. */
  readonly renamed?: readonly RenamedServer[]
  readonly skipped: readonly SkippedServer[]
  /** The copied servers of the project that are not trusted there. */
  readonly untrusted?: readonly string[]
  /** T132: what decides which code the copied servers run, beside a package's name and version. */
  readonly unusual?: readonly (UnusualPart & { readonly server: string })[]
  /** Why nothing was copied although there are servers: the most important of the reasons. */
  readonly refusal?: ErrorCode
}

/** Copies another client's servers into our own file. */
export async function importServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const found = await discover({ ...withoutOneTimeTrust(options), sources: [id], config: undefined })
  const bench = await openWorkbench({ ...options, sources: ['plugboard'] })
  return copyInto('plugboard', found, bench, { ...options, origin: ['--source', id] })
}

/** Copies the servers in force here into another client's file. */
export async function exportServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const found = await discover(withoutOneTimeTrust(options))
  const servers = found.servers.filter(({ origin }) => origin.source !== id)
  const bench = await openWorkbench({ ...options, config: undefined })
  return copyInto(id, { ...found, servers }, bench, options)
}

/** T01: trust for a single call does not allow a copy, because a copy is permanent. */
function withoutOneTimeTrust({ trust: _trust, ...options }: TransferOptions): DiscoverOptions {
  return options
}

function otherClient(client: string): SourceId {
  const id = knownSource(client)
  if (id === 'plugboard' || namedOnly.has(id)) {
    throw new HostError('usage', {}, `"${client}" is not a client to copy from or to.`, {
      hint: 'See: plugboard sources --all',
    })
  }
  return id
}

interface CopyOptions extends TransferOptions {
  /** Flags with which a proposed command finds the same servers. */
  readonly origin?: readonly string[]
}

async function copyInto(
  id: SourceId,
  found: Discovery,
  bench: Workbench,
  options: CopyOptions,
): Promise<Transfer> {
  const { only } = options
  const unusable = unusableIn(found)
  checkNames(only ?? [], [...found.servers, ...unusable])
  const isChosen = ({ name }: { readonly name: string }) => only?.includes(name) ?? true
  const target = await targetIn(await loadSource(id), bench, options.scope)
  const copied: string[] = []
  const skipped: SkippedServer[] = unusable.filter(isChosen)
  const refusals: HostError[] = []
  const lost: LostField[] = []
  const renamed: RenamedServer[] = []
  const unusual: (UnusualPart & { readonly server: string })[] = []
  const chosen = found.servers.filter(isChosen)
  if (options.as !== undefined && chosen.length > 1) throw severalError(chosen)
  let changed = false
  for (const server of chosen) {
    try {
      const edited = await copyServer(server, { target, found, options })
      copied.push(server.name)
      unusual.push(...edited.unusual.map((part) => ({ ...part, server: server.name })))
      const as = edited.renamed ?? options.as ?? server.name
      if (as !== server.name) renamed.push({ name: server.name, as })
      changed ||= edited.changed
      lost.push(...edited.lost.map((item) => ({ ...item, field: `${server.name}.${item.field}` })))
    } catch (error) {
      if (!(error instanceof HostError) || error.code === 'config.unwritable') throw error
      skipped.push({ name: server.name, reason: error.message })
      refusals.push(error)
    }
  }
  if (only && copied.length === 0 && skipped.length > 0) throw nothingCopied(skipped, refusals)
  const { renamed: _one, ...result } = bench.finish({ file: target.place.path, changed, lost })
  const isOpen = target.place.authority !== 'project'
  const untrusted = chosen.filter(
    (server) => isOpen && copied.includes(server.name) && !isTrusted(server, found),
  )
  return {
    ...result,
    copied,
    skipped,
    ...(renamed.length > 0 && { renamed }),
    ...(unusual.length > 0 && { unusual }),
    ...(untrusted.length > 0 && { untrusted: untrusted.map(({ name }) => name) }),
    ...(copied.length === 0 && skipped.length > 0 && { refusal: mainReason(refusals) }),
  }
}

function isTrusted(server: Server, { trust }: Discovery): boolean {
  return trust.get(server) === 'trusted'
}

interface CopyContext {
  readonly target: EditTarget
  readonly found: Discovery
  readonly options: CopyOptions
}

async function copyServer(server: Server, { target, found, options }: CopyContext) {
  const described = await describeFor(server, target)
  const refusal = await refusalFor(server, described.server, { target, found, options })
  if (refusal !== undefined) throw new HostError(refusal.code, { server: server.name }, refusal.reason)
  const { as } = options
  const copy = as === undefined ? described.server : { ...described.server, name: as }
  const edited = await addOrReplace(target, copy, { ...options, adaptName: as === undefined })
  return { ...edited, lost: [...described.lost, ...edited.lost], unusual: unusualParts(copy) }
}

/** Refuses a copy with side effects: making an untrusted server trusted, enabling a disabled one, publishing a secret. */
async function refusalFor(
  server: Server,
  described: NewServer,
  { target, found, options }: CopyContext,
): Promise<{ readonly code: 'config.invalid' | 'trust.refused'; readonly reason: string } | undefined> {
  const isNamed = options.only?.includes(server.name) ?? false
  const isShared = target.place.authority === 'project'
  if (isShared && server.origin.authority !== 'project' && holdsSecret(described)) {
    const reason =
      'It holds a literal secret, and the project’s file is shared. Put the secret into a variable first.'
    return { code: 'config.invalid', reason }
  }
  if (!isShared && !isTrusted(server, found) && options.untrusted !== 'copy') {
    const next = nextCommand('trust', server.name, options.origin)
    const reason = `The project declares it, and it is not trusted. Run: ${next}`
    return { code: 'trust.refused', reason }
  }
  if (!server.enabled && !isNamed && !(await hasSwitch(target))) {
    const reason = `It is switched off, and ${target.source.title} cannot express that. Name it with --only to copy it anyway.`
    return { code: 'config.invalid', reason }
  }
  return undefined
}

/** Translates a server into the dialect of the target file. */
export async function describeFor(server: Server, { source, place, world }: EditTarget) {
  const from = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  const to = valueRulesIn(source, place, world)
  const described = toNewServer(server, {
    from: from.valuesOf(server, world),
    to,
    isSet: (name) => variableIn(world.env, name) !== undefined,
  })
  // Without `${input:…}` in the target dialect, `lost` already lists each value that uses an input.
  const asked = to.syntaxes.includes('input') ? inputsOf(server, described.server) : []
  const lost = [...described.lost, ...unknownSocket(server, source)]
  return { lost, server: { ...described.server, ...(asked.length > 0 && { inputs: asked }) } }
}

/** Clients known to accept socket addresses. */
const takesSockets: readonly string[] = ['plugboard', 'vscode'] satisfies readonly SourceId[]

function unknownSocket({ transport }: Server, { id, title }: Source): readonly LostField[] {
  const isSocket = transport.kind !== 'stdio' && socketAddress(transport.url) !== undefined
  if (!isSocket || takesSockets.includes(id)) return []
  return [{ field: 'url', reason: `${title} may not support socket addresses.` }]
}

function inputsOf({ inputs = [] }: Server, { transport, auth }: NewServer): readonly Input[] {
  const ids = new Set([...referredIn(transport), ...referredIn(auth ?? {})])
  return inputs.filter(({ id }) => ids.has(id))
}
