import { HostError, fromRef, toRef } from '../../../../index.ts'
import type { Host, ServerStatus, Tool, View } from '../../../../index.ts'
import { nearestNames } from '../../../../internal.ts'
import type { WaitFlags } from '../../command-context.ts'
import { scopeFilter, narrowToScope } from '../../discover-servers.ts'
import { checkName, throwIfTimedOut } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { missingServers, printBrokenSettings, warnMissing } from './offer-problems.ts'

/** Flags of commands that look at what servers offer. */
export interface ViewFlags extends WaitFlags {
  readonly agent?: string
}

/** Flags of commands that only show it. */
export interface OfferFlags extends ViewFlags {
  /** Only what is known from disk. */
  readonly noStart?: boolean
}

/** A server that starts may have its own, shorter limit. */
const longestMs = 120_000

/** Learns what servers offer: from disk where it is known, else by connecting. Without names, all of this scope. */
export async function loadOffers(
  { host, output, signal, remainingMs }: HostContext,
  flags: OfferFlags,
  names?: readonly string[],
): Promise<void> {
  const servers =
    names ?? (flags.scope && narrowToScope(host.discovery, flags.scope).servers.map(({ name }) => name))
  const from = flags.noStart ? ({ from: 'disk' } as const) : {}
  const isWanted = ({ name }: ServerStatus) => servers?.includes(name) ?? true
  await host.ready({ signal, timeoutMs: remainingMs() ?? longestMs, ...from, ...(servers && { servers }) })
  if (flags.noStart && host.servers().some((each) => isWanted(each) && isUnexplored(each)))
    output.note('No server was started: servers that were never connected are not included.')
  signal.throwIfAborted()
}

/** One that could be asked, and nobody has. */
function isUnexplored({ isKnown, status }: ServerStatus): boolean {
  return !isKnown && status.state !== 'disabled' && status.state !== 'untrusted'
}

/** What the agent sees, or everybody. */
export function viewOf(
  { host, conversation }: Pick<HostContext, 'host' | 'conversation'>,
  { agent }: ViewFlags,
): Promise<View> {
  return host.scope({
    ...(agent !== undefined && { agent }),
    ...(conversation !== undefined && { conversation }),
  })
}

/** A tool by the name that models see, or by its ref. Only the servers that must be asked are. */
export async function findTool(
  context: HostContext,
  flags: OfferFlags,
  word: string,
): Promise<{ tool: Tool; view: View }> {
  const { host } = context
  const owner = await ownerOf(word, host, flags)
  await host.ready({ from: 'disk', ...(owner !== undefined && { servers: [owner] }) })
  const view = await viewOf(context, flags)
  const isMeant = scopeFilter(host, flags)
  const find = () => {
    const ref = owner === undefined ? undefined : fromRef(word)
    return view
      .tools()
      .find((tool) =>
        ref ? tool.server === owner && tool.tool === ref.tool : tool.name === word && isMeant(tool),
      )
  }
  let tool = find()
  if (!tool) await askServers(context, flags, owner)
  tool ??= find()
  if (tool) return { tool, view }
  throwIfTimedOut(context, flags)
  throwIfUnavailable(view, word)
  // It may be one of theirs.
  if (owner === undefined) warnMissing(missingServers(host, flags), context.output)
  printBrokenSettings(view, context.output)
  throw await unknownTool(
    word,
    view.tools().filter((each) => owner === undefined || each.server === owner),
    flags,
  )
}

/** The server that it would be of may be switched off, wait for a person, or have failed. */
function throwIfUnavailable(view: View, word: string): void {
  try {
    view.why(word)
  } catch (error) {
    if (!(error instanceof HostError) || error.code === 'tool.unknown') return
    throw error.cause instanceof HostError ? error.cause : error
  }
}

/** Whose tool a ref names; a name says nothing about that. */
async function ownerOf(word: string, host: Host, flags: ViewFlags): Promise<string | undefined> {
  const ref = fromRef(word)
  return ref && checkName(host, flags, ref.server)
}

/** One server that is named is asked also if it is known: it may offer more by now. */
async function askServers(context: HostContext, flags: OfferFlags, owner: string | undefined): Promise<void> {
  const { host, signal, remainingMs } = context
  if (owner === undefined || flags.noStart) return loadOffers(context, flags)
  await host.connect(owner, { signal })
  await host.ready({ signal, servers: [owner], from: 'servers', timeoutMs: remainingMs() ?? longestMs })
}

async function unknownTool(word: string, tools: readonly Tool[], { agent }: ViewFlags): Promise<HostError> {
  const ref = fromRef(word)
  // All refs of a server begin alike, which is no likeness.
  const near = ref
    ? nearestNames(
        ref.tool,
        tools.map(({ tool }) => tool),
      ).map((name) => toRef(ref.server, name))
    : nearestNames(
        word,
        tools.map(({ name }) => name),
        new Map(tools.map(({ name, tool }) => [name, tool])),
      )
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is: plugboard tools'
  const sees = agent === undefined ? 'There is no tool' : `The agent "${agent}" sees no tool`
  return new HostError('tool.unknown', { tool: word, near }, `${sees} "${word}".`, { hint })
}
