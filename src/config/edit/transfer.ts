import { holdsSecret } from './check-server.ts'
import { hasSwitch, targetIn } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'
import { toNewServer } from './to-new-server.ts'
import { valueRulesIn } from './translate-value.ts'
import { discover } from '../discover.ts'
import { knownSource } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { addOrReplace } from './declarations.ts'
import { openWorkbench } from './workbench.ts'
import type { EditOptions, EditResult, Workbench } from './workbench.ts'
import { HostError } from '../../model/error.ts'
import { nearest } from '../../model/near.ts'
import type { Discovery, Input, Server } from '../../model/server.ts'
import { nextCommand } from '../../model/next-command.ts'
import { referredIn } from '../../sources/clients/editor-inputs.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { namedOnly } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import { socketAddress } from '../../sources/clients/socket-address.ts'
import type { Source } from '../../sources/source.ts'
import type { LostField, NewServer } from '../../sources/entries/write-rules.ts'

export interface TransferOptions extends EditOptions {
  /** Only these servers, including disabled ones. */
  readonly only?: readonly string[]
}

export interface SkippedServer {
  readonly name: string
  readonly reason: string
}

/** The servers that were copied, and those that were not with the reason. */
export interface Transfer extends EditResult {
  readonly copied: readonly string[]
  readonly skipped: readonly SkippedServer[]
}

/** Copies another client's servers into our own file. */
export async function importServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const found = await discover({ ...withoutOneTimeTrust(options), sources: [id], config: undefined })
  const bench = await openWorkbench({ ...options, sources: ['plugboard'] })
  return copyInto('plugboard', found, bench, options)
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

async function copyInto(
  id: SourceId,
  found: Discovery,
  bench: Workbench,
  options: TransferOptions,
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
  let changed = false
  for (const server of found.servers.filter(isChosen)) {
    try {
      const edited = await copyServer(server, { target, found, options })
      copied.push(server.name)
      changed ||= edited.changed
      lost.push(...edited.lost.map((item) => ({ ...item, field: `${server.name}.${item.field}` })))
    } catch (error) {
      if (!(error instanceof HostError) || error.code === 'config.unwritable') throw error
      skipped.push({ name: server.name, reason: error.message })
      refusals.push(error)
    }
  }
  if (only && copied.length === 0 && skipped.length > 0) throw nothingCopied(skipped, refusals)
  return { ...bench.finish({ file: target.place.path, changed, lost }), copied, skipped }
}

/** With `only`, copying none of the named servers is an error. */
function nothingCopied(skipped: readonly SkippedServer[], [first]: readonly HostError[]): HostError {
  const message = skipped.map(({ name, reason }) => `"${name}" is not copied: ${reason}`).join('\n')
  const [one] = skipped
  return first
    ? new HostError(first.code, first.data, message, first.hint === undefined ? {} : { hint: first.hint })
    : new HostError('config.invalid', one ? { server: one.name } : {}, message)
}

/** Invalid entries, as skipped ones. Throws if nothing at all can be read because the file itself is broken. */
function unusableIn({ servers, diagnostics }: Discovery): readonly SkippedServer[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const named = errors.flatMap(({ server, message }) =>
    server === undefined || servers.some(({ name }) => name === server)
      ? []
      : [{ name: server, reason: message }],
  )
  const [broken] = errors.filter(({ server }) => server === undefined)
  if (broken && servers.length === 0 && named.length === 0) {
    const { origin, message, hint } = broken
    const file = origin?.file
    throw new HostError(
      'config.invalid',
      file === undefined ? {} : { file },
      file === undefined ? message : `${file}: ${message}`,
      hint === undefined ? {} : { hint },
    )
  }
  return named.filter(({ name }, index) => named.findIndex((other) => other.name === name) === index)
}

function checkNames(only: readonly string[], known: readonly { readonly name: string }[]): void {
  const names = known.map(({ name }) => name)
  const missing = only.filter((name) => !names.includes(name))
  if (missing.length === 0) return
  const near = missing.flatMap((name) => nearest(name, names))
  const server = missing.join('", "')
  throw new HostError('server.unknown', { server, near }, `There is no server "${server}" to copy.`, {
    ...(near.length > 0 && { hint: `Did you mean ${near.join(' or ')}?` }),
  })
}

interface CopyContext {
  readonly target: EditTarget
  readonly found: Discovery
  readonly options: TransferOptions
}

async function copyServer(server: Server, { target, found, options }: CopyContext) {
  const described = await describeFor(server, target)
  const refusal = await refusalFor(server, described.server, { target, found, options })
  if (refusal !== undefined) throw new HostError(refusal.code, { server: server.name }, refusal.reason)
  const edited = await addOrReplace(target, described.server, options)
  return { ...edited, lost: [...described.lost, ...edited.lost] }
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
  if (!isShared && found.trust.get(server) !== 'trusted') {
    const reason = `The project declares it, and it is not trusted. Run: ${nextCommand('trust', server.name)}`
    return { code: 'trust.refused', reason }
  }
  if (!server.enabled && !isNamed && !(await hasSwitch(target))) {
    const reason = `It is switched off, and ${target.source.title} cannot express that. Name it with --only to copy it anyway.`
    return { code: 'config.invalid', reason }
  }
  return undefined
}

/** Translates a server into the dialect of the target file. */
async function describeFor(server: Server, { source, place, world }: EditTarget) {
  const from = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  const to = valueRulesIn(source, place, world)
  const described = toNewServer(server, {
    from: from.valuesOf(server, world),
    to,
    isSet: (name) => world.env[name] !== undefined,
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
