import { HostError, fromRef, toRef } from '../../../../index.ts'
import type { Host, ServerStatus, Tool, ToolExplanation, View } from '../../../../index.ts'
import { nearestNames } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import type { WaitFlags } from '../../command-context.ts'
import { EarlyExit } from '../../errors.ts'
import { scopeFilter, narrowToScope } from '../../discover-servers.ts'
import { checkName, deadlineOf, isTimedOut, throwIfTimedOut } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { brokenSettings, missingServers, printProblems, warnMissing } from './offer-problems.ts'

/** Flags of commands that use what servers offer. */
export interface ViewFlags extends WaitFlags {
  readonly agent?: string
}

/** Flags of commands that only show offers. */
export interface OfferFlags extends ViewFlags {
  /** Only what is known from disk. */
  readonly noStart?: boolean
}

/** The longest wait for a server that a command names; its entry may say less. */
const longestMs = 120_000

/** What to load: the named servers, or those that a view may show. */
interface OfferChoice {
  readonly names?: readonly string[] | undefined
  readonly view: View
}

/**
 * Loads what servers offer: from disk if known, else by connecting. Named servers are waited for until they are known or
 * failed; without names, all servers of the scope that the view may show, each as long as the host finds sensible.
 */
export async function loadOffers(
  { host, output, waitLine, signal, remainingMs }: HostContext,
  flags: OfferFlags,
  { names, view }: OfferChoice,
): Promise<void> {
  const servers =
    names ?? (flags.scope && narrowToScope(host.discovery, flags.scope).servers.map(({ name }) => name))
  const isWanted = ({ name }: ServerStatus) => servers?.includes(name) ?? true
  // Names of tools depend on all servers that are known.
  await host.ready({ from: 'disk' })
  if (flags.noStart) {
    if (host.servers().some((each) => isWanted(each) && isUnexplored(each)))
      output.note('No server was started: servers that were never connected are not included.')
    return
  }
  waitLine.awaitServers(host.servers().filter(isWanted))
  const timeoutMs = remainingMs() ?? (names && longestMs)
  const limits = { signal, ...(timeoutMs !== undefined && { timeoutMs }) }
  await (servers ? host.ready({ ...limits, servers }) : view.ready(limits))
  signal.throwIfAborted()
}

/** How long others are waited for once a server has something. */
const moreMs = 1000

/** Loads offers until something is found, and a little longer: one slow server must not delay the answer. */
export async function loadUntil(
  isFound: () => boolean,
  context: HostContext,
  flags: OfferFlags,
  view: View,
): Promise<void> {
  await context.host.ready({ from: 'disk' })
  if (isFound()) return
  const enough = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const listening = context.host.on(({ type }) => {
    if (type === 'catalog.changed' && isFound()) timer ??= setTimeout(() => enough.abort(), moreMs)
  })
  try {
    await loadOffers({ ...context, signal: AbortSignal.any([context.signal, enough.signal]) }, flags, {
      view,
    })
  } catch (error) {
    if (!enough.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    listening[Symbol.dispose]()
  }
}

/** A server that could be connected, but never was. */
function isUnexplored({ isKnown, status }: ServerStatus): boolean {
  return !isKnown && status.state !== 'disabled' && status.state !== 'untrusted'
}

/** The view of the agent, or the general one. */
export function viewOf(
  { host, conversation }: Pick<HostContext, 'host' | 'conversation'>,
  { agent }: ViewFlags,
): Promise<View> {
  return host.scope({
    ...(agent !== undefined && { agent }),
    ...(conversation !== undefined && { conversation }),
  })
}

/** Finds a tool by its name or ref. Connects only to the servers that are needed for that. */
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
  if (!tool) await askServers(context, flags, { owner, view, word })
  tool ??= find()
  if (tool) return { tool, view }
  const mayOwn = new Set(likelyOwners(word, host.servers()).map(({ name }) => name))
  // The tool may belong to a server that is missing.
  const warn = () => {
    const missing = missingServers(host, flags).filter(({ server }) => mayOwn.has(server))
    if (owner === undefined) warnMissing(missing, context.output)
  }
  if (isTimedOut(context)) warn()
  throwIfTimedOut(context, flags)
  throwIfHidden(view, word, flags)
  warn()
  printProblems(brokenSettings(view, host), context.output)
  throw await unknownTool(
    word,
    view.tools().filter((each) => owner === undefined || each.server === owner),
    flags,
  )
}

/** Throws the better error if the tool is hidden, or if its server is switched off, untrusted or failed. */
function throwIfHidden(view: View, word: string, { agent }: ViewFlags): void {
  let found: ToolExplanation
  try {
    found = view.why(word)
  } catch (error) {
    if (!(error instanceof HostError) || error.code === 'tool.unknown') return
    throw error.cause instanceof HostError ? error.cause : error
  }
  const { ref, visibility } = found
  if (visibility.visible) return
  const [isHidden, asAgent] =
    agent === undefined
      ? [`"${word}" is hidden.`, '']
      : [`The agent "${agent}" sees no tool "${word}".`, ` --agent ${quote(agent)}`]
  throw new HostError('tool.unknown', { tool: word, near: [] }, `${isHidden} ${visibility.reason}`, {
    hint: `See what decides that: plugboard why ${quote(ref)}${asAgent}`,
  })
}

/** The server of a ref; `undefined` for a plain name. */
async function ownerOf(word: string, host: Host, flags: ViewFlags): Promise<string | undefined> {
  const ref = fromRef(word)
  return ref && checkName(host, flags, ref.server)
}

interface SoughtTool {
  readonly word: string
  readonly view: View
  /** The server that its ref names. */
  readonly owner: string | undefined
}

/** Connects to a server that a ref names even if its offers are known: it may offer more by now. */
async function askServers(
  context: HostContext,
  flags: OfferFlags,
  { owner, view, word }: SoughtTool,
): Promise<void> {
  const { host, signal, remainingMs, waitLine } = context
  if (flags.noStart) return loadOffers(context, flags, { view })
  waitLine.awaitServers(likelyOwners(word, host.servers()))
  const timeoutMs = remainingMs()
  if (owner === undefined)
    return view.ready({ tool: word, signal, ...(timeoutMs !== undefined && { timeoutMs }) })
  const deadline = deadlineOf(context)
  await host.connect(owner, { signal: deadline }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!deadline.aborted) throw error
    throw new EarlyExit('timeout', `"${owner}" did not get ready within ${flags.timeout} ms.`)
  })
  await host.ready({ signal, servers: [owner], from: 'servers', timeoutMs: remainingMs() ?? longestMs })
}

/**
 * The servers whose name begins the word, else all: names of tools begin with the name of their server. Only for what is
 * shown; the view itself knows better.
 */
export function likelyOwners<T extends { readonly name: string }>(
  word: string,
  servers: readonly T[],
): readonly T[] {
  const isOwner = ({ name }: T) => word.startsWith(name) && /^[^a-z\d]/i.test(word.slice(name.length))
  const owners = servers.filter(isOwner)
  return owners.length > 0 ? owners : servers
}

async function unknownTool(word: string, tools: readonly Tool[], { agent }: ViewFlags): Promise<HostError> {
  const ref = fromRef(word)
  // Compare only the tool part of refs: all refs of a server share a prefix.
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
