import { holdsSecret } from './check-server.ts'
import { hasSwitch, targetIn } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'
import { toNewServer } from './to-new-server.ts'
import { valuesIn } from './translate-value.ts'
import { discover } from '../discover.ts'
import { knownSource } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { addOrReplace } from './declarations.ts'
import { openWorkbench } from './workbench.ts'
import type { EditOptions, Edited, Workbench } from './workbench.ts'
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
import type { Lost, NewServer } from '../../sources/entries/write-rules.ts'

export interface TransferOptions extends EditOptions {
  /** Only these servers, also those that are switched off. */
  readonly only?: readonly string[]
}

export interface Skipped {
  readonly name: string
  readonly reason: string
}

/** What happened to each server that was to be copied. */
export interface Transfer extends Edited {
  readonly copied: readonly string[]
  readonly skipped: readonly Skipped[]
}

/** Another client's servers into our own file. */
export async function importServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const found = await discover({ ...lasting(options), sources: [id], config: undefined })
  const bench = await openWorkbench({ ...options, sources: ['plugboard'] })
  return copyInto('plugboard', found, bench, options)
}

/** The servers in force here into another client's file. */
export async function exportServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const found = await discover(lasting(options))
  const servers = found.servers.filter(({ origin }) => origin.source !== id)
  const bench = await openWorkbench({ ...options, config: undefined })
  return copyInto(id, { ...found, servers }, bench, options)
}

/** T01: trust for one call does not reach as far as a copy, which stays. */
function lasting({ trust: _once, ...options }: TransferOptions): DiscoverOptions {
  return options
}

function otherClient(client: string): SourceId {
  const id = knownSource(client)
  if (id === 'plugboard' || namedOnly.has(id)) {
    throw new HostError('usage', {}, `"${client}" is not another client.`, {
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
  const skipped: Skipped[] = unusable.filter(isChosen)
  const refusals: HostError[] = []
  const lost: Lost[] = []
  let changed = false
  for (const server of found.servers.filter(isChosen)) {
    try {
      const edited = await copy(server, { target, found, options })
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

/** Who names servers and gets none of them has not got what they asked for. */
function nothingCopied(skipped: readonly Skipped[], [first]: readonly HostError[]): HostError {
  const message = skipped.map(({ name, reason }) => `"${name}" is not copied: ${reason}`).join('\n')
  const [one] = skipped
  return first
    ? new HostError(first.code, first.data, message, first.hint === undefined ? {} : { hint: first.hint })
    : new HostError('config.invalid', one ? { server: one.name } : {}, message)
}

/** Entries that cannot be copied because they cannot be used; a file that cannot be read at all ends the matter. */
function unusableIn({ servers, diagnostics }: Discovery): readonly Skipped[] {
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

interface Copying {
  readonly target: EditTarget
  readonly found: Discovery
  readonly options: TransferOptions
}

async function copy(server: Server, { target, found, options }: Copying) {
  const described = await describeFor(server, target)
  const why = await whyNot(server, described.server, { target, found, options })
  if (why !== undefined) throw new HostError(why.code, { server: server.name }, why.reason)
  const edited = await addOrReplace(target, described.server, options)
  return { ...edited, lost: [...described.lost, ...edited.lost] }
}

/** Copying must not do what a person did not ask for: trust a project, turn a server on, or publish a secret. */
async function whyNot(
  server: Server,
  described: NewServer,
  { target, found, options }: Copying,
): Promise<{ readonly code: 'config.invalid' | 'trust.refused'; readonly reason: string } | undefined> {
  const isNamed = options.only?.includes(server.name) ?? false
  const isShared = target.place.authority === 'project'
  if (isShared && server.origin.authority !== 'project' && holdsSecret(described)) {
    const reason =
      'It holds a literal secret, and the project’s file is shared. Put the secret into a variable first.'
    return { code: 'config.invalid', reason }
  }
  if (!isShared && found.trust.get(server) !== 'trusted') {
    const reason = `The project declares it and nobody has trusted it. Run: ${nextCommand('trust', server.name)}`
    return { code: 'trust.refused', reason }
  }
  if (!server.enabled && !isNamed && !(await hasSwitch(target))) {
    const reason = `It is switched off, and ${target.source.title} has no way to say so. Name it with --only to copy it all the same.`
    return { code: 'config.invalid', reason }
  }
  return undefined
}

/** In the words of the file it goes to. */
async function describeFor(server: Server, { source, place, world }: EditTarget) {
  const from = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  const to = valuesIn(source, place, world)
  const described = toNewServer(server, {
    from: from.valuesOf(server, world),
    to,
    isSet: (name) => world.env[name] !== undefined,
  })
  // A file that has no `${input:…}` at all was said to have none, value by value.
  const asked = to.syntaxes.includes('input') ? inputsOf(server, described.server) : []
  const lost = [...described.lost, ...unknownSocket(server, source)]
  return { lost, server: { ...described.server, ...(asked.length > 0 && { inputs: asked }) } }
}

/** Sources whose owners take an address of a socket. */
const takesSockets: readonly string[] = ['plugboard', 'vscode'] satisfies readonly SourceId[]

function unknownSocket({ transport }: Server, { id, title }: Source): readonly Lost[] {
  const isSocket = transport.kind !== 'stdio' && socketAddress(transport.url) !== undefined
  if (!isSocket || takesSockets.includes(id)) return []
  return [{ field: 'url', reason: `${title} is not known to take an address of a socket.` }]
}

function inputsOf({ inputs = [] }: Server, { transport, auth }: NewServer): readonly Input[] {
  const ids = new Set([...referredIn(transport), ...referredIn(auth ?? {})])
  return inputs.filter(({ id }) => ids.has(id))
}
