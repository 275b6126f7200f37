import { HostError, fromRef, toRef } from '../../../../index.ts'
import type { Tool, ToolExplanation, View } from '../../../../index.ts'
import { nearestNames } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { EarlyExit, usage } from '../../errors.ts'
import { checkName, deadlineOf, isTimedOut, throwIfTimedOut } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { isUnexplored, loadOffers, longestMs, viewOf } from './find-offers.ts'
import type { OfferFlags, ViewFlags } from './find-offers.ts'
import { brokenSettings, missingServers, printProblems, warnMissing } from './offer-problems.ts'

/** A tool as it is typed: a name, a ref, `server.tool` or the tool's own name; or the two words `SERVER TOOL`. */
export type TypedTool = string | ToolPair

interface ToolPair {
  readonly server: string
  readonly tool: string
}

interface FoundTool {
  readonly tool: Tool
  readonly view: View
}

interface Search {
  readonly view: View
  readonly isMeant: (tool: { readonly server: string }) => boolean
}

/** Finds a tool. Connects only to the servers that are needed for that. */
export async function findTool(
  context: HostContext,
  flags: OfferFlags,
  typed: TypedTool,
): Promise<FoundTool> {
  const { host } = context
  const pairs = await pairsOf(typed, context, flags)
  const servers = pairs.map(({ server }) => server)
  await host.ready({ from: 'disk', ...(servers.length === 1 && { servers }) })
  const search: Search = { view: await viewOf(context, flags), isMeant: scopeFilter(host, flags) }
  const word = typeof typed === 'string' ? typed : toRef(typed.server, typed.tool)
  const tool =
    pairs.length > 0
      ? await findOfServers(context, flags, {
          pairs,
          word: typeof typed === 'string' ? typed : '',
          ...search,
        })
      : await findNamed(context, flags, { word, ...search })
  if (tool) return { tool, view: search.view }
  throw await missingTool(context, flags, { word: labelOf(word, pairs), view: search.view, servers })
}

/**
 * `a.b` may name the tool `b` of a server `a`, but `a.b` may also be a server, or a tool's own name. A server whose own
 * name has a slash is found as it is written too: only refs write that slash as %2F.
 */
async function pairsOf(
  typed: TypedTool,
  { host, given }: HostContext,
  flags: ViewFlags,
): Promise<readonly ToolPair[]> {
  const names = host.discovery.servers.map(({ name }) => name)
  const pair = typeof typed === 'string' ? fromRef(typed) : typed
  if (pair && given !== undefined && pair.server !== given) {
    if (typeof typed === 'string') return [{ server: given, tool: typed }]
    throw usage(
      `--stdio and --url name the server; leave out "${pair.server}".`,
      `It is called "${given}" here.`,
    )
  }
  const slashed = pair && typeof typed === 'string' ? slashedPairs(typed, names) : []
  if (pair && slashed.length > 0) return names.includes(pair.server) ? [pair, ...slashed] : slashed
  if (pair) return [{ server: await checkName(host, flags, pair.server), tool: pair.tool }]
  if (typeof typed !== 'string') return []
  const pairs = startingPairs(typed, names, ['.'])
  // A server that the command line names is waited for, as with SERVER/TOOL.
  return pairs.length > 0 || given === undefined ? pairs : [{ server: given, tool: typed }]
}

/** The servers with a slash in their name that a text begins with, and what follows. */
export function slashedPairs(typed: string, names: readonly string[]): readonly ToolPair[] {
  return startingPairs(
    typed,
    names.filter((name) => name.includes('/')),
    ['/', '.'],
  )
}

function startingPairs(
  typed: string,
  names: readonly string[],
  separators: readonly string[],
): readonly ToolPair[] {
  return names.flatMap((server) => {
    const isStart = separators.some((separator) => typed.startsWith(server + separator))
    const tool = typed.slice(server.length + 1)
    return isStart && tool !== '' ? [{ server, tool }] : []
  })
}

/** What messages call the tool: its ref, if the server is certain. */
function labelOf(word: string, [pair, ...others]: readonly ToolPair[]): string {
  return pair && others.length === 0 ? toRef(pair.server, pair.tool) : word
}

/** Servers that are named are asked even if their offers are known: they may offer more by now. */
async function findOfServers(
  context: HostContext,
  flags: OfferFlags,
  { pairs, word, ...search }: Search & { readonly pairs: readonly ToolPair[]; readonly word: string },
): Promise<Tool | undefined> {
  const { view, isMeant } = search
  const isPair = ({ server, tool, name }: Tool) =>
    pairs.some((pair) => pair.server === server && (pair.tool === tool || word === name))
  const find = () => onlyOne(view.tools().filter((tool) => isPair(tool) && isMeant(tool)))
  const known = find()
  if (known) return known
  if (flags.noStart) await loadOffers(context, flags, { view })
  else for (const { server } of pairs) await askServer(context, flags, server)
  // The dot of `a.b` may be part of the tool's own name.
  return find() ?? findOwnName(word, search)
}

/**
 * A name that models see comes first. A tool's own name counts if one server alone has it: among the known ones at once,
 * else when all servers have settled (decision 041).
 */
async function findNamed(
  context: HostContext,
  flags: OfferFlags,
  { word, ...search }: Search & { readonly word: string },
): Promise<Tool | undefined> {
  const { host, signal, remainingMs, waitLine, output } = context
  const { view, isMeant } = search
  const find = () => view.tools().find((tool) => tool.name === word && isMeant(tool))
  const known = find()
  if (known) return known
  if (host.discovery.servers.some(({ name }) => name === word)) throw isServer(word)
  const owners = likelyOwners(word, host.servers())
  const isPrefixed = owners.some((server) => isOwner(word, server))
  const own = isPrefixed ? undefined : findOwnName(word, search)
  if (own) return own
  if (flags.noStart) await loadOffers(context, flags, { view })
  else {
    waitLine.awaitServers(owners)
    const timeoutMs = remainingMs()
    await view.ready({ tool: word, signal, ...(timeoutMs !== undefined && { timeoutMs }) })
  }
  const found = find()
  // Only the servers that the name begins with were asked: another one may have a tool of its own with this name.
  if (found || (isPrefixed && host.servers().some(isUnexplored))) return found
  const unique = findOwnName(word, search)
  const isUnsettled = ({ state }: { readonly state: string }) => state === 'connecting'
  if (unique) warnMissing(missingServers(host, flags).filter(isUnsettled), output)
  return unique
}

function findOwnName(word: string, { view, isMeant }: Search): Tool | undefined {
  return onlyOne(view.tools().filter((tool) => tool.tool === word && isMeant(tool)))
}

function onlyOne([tool, ...others]: readonly Tool[]): Tool | undefined {
  if (!tool || others.length === 0) return tool
  const refs = [tool, ...others].map(({ ref }) => quote(ref))
  throw usage(`Several servers have a tool "${tool.tool}".`, `Choose one: ${refs.join(' or ')}`)
}

function isServer(name: string): HostError {
  const hint = `Write SERVER/TOOL. See its tools: plugboard list ${quote(name)}`
  return usage(`"${name}" is a server, not a tool.`, hint)
}

export async function askServer(context: HostContext, flags: OfferFlags, server: string): Promise<void> {
  const { host, signal, remainingMs, waitLine } = context
  waitLine.awaitServers(host.servers().filter(({ name }) => name === server))
  const deadline = deadlineOf(context)
  await host.connect(server, { signal: deadline }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!deadline.aborted) throw error
    throw new EarlyExit('timeout', `"${server}" did not get ready within ${flags.timeout} ms.`)
  })
  await host.ready({ signal, servers: [server], from: 'servers', timeoutMs: remainingMs() ?? longestMs })
}

/**
 * The servers whose name begins the word, else all: names of tools begin with the name of their server. Only for what is
 * shown; the view itself knows better.
 */
export function likelyOwners<T extends { readonly name: string }>(
  word: string,
  servers: readonly T[],
): readonly T[] {
  const owners = servers.filter((server) => isOwner(word, server))
  return owners.length > 0 ? owners : servers
}

export function isOwner(word: string, { name }: { readonly name: string }): boolean {
  return word.startsWith(name) && /^[^a-z\d]/i.test(word.slice(name.length))
}

interface SoughtTool {
  readonly word: string
  readonly view: View
  /** The servers that the word names. */
  readonly servers: readonly string[]
}

/** The error about a tool that was not found, after warnings about what may be the cause. */
async function missingTool(
  context: HostContext,
  flags: OfferFlags,
  { word, view, servers }: SoughtTool,
): Promise<HostError> {
  const { host, output } = context
  const mayOwn = new Set(likelyOwners(word, host.servers()).map(({ name }) => name))
  // The tool may belong to a server that is missing.
  const warn = () => {
    const missing = missingServers(host, flags).filter(({ server }) => mayOwn.has(server))
    if (servers.length === 0) warnMissing(missing, output)
  }
  if (isTimedOut(context)) warn()
  throwIfTimedOut(context, flags)
  throwIfHidden(view, word, flags)
  // By its own name, a tool is found among the visible ones only.
  const hidden = view.hiddenTools().find(({ ref }) => fromRef(ref)?.tool === word)
  if (hidden) throwIfHidden(view, hidden.ref, flags)
  warn()
  printProblems(brokenSettings(view, host), output)
  const isOffered = ({ server }: Tool) => servers.length === 0 || servers.includes(server)
  return unknownTool(word, view.tools().filter(isOffered), flags)
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
  if (visibility.held !== undefined) {
    const data = { ref, server: fromRef(ref)?.server ?? '', reason: visibility.held }
    throw new HostError('tool.held', data, `"${word}" is not offered. ${visibility.reason}`)
  }
  const [isHidden, asAgent] =
    agent === undefined
      ? [`"${word}" is hidden.`, '']
      : [`The agent "${agent}" sees no tool "${word}".`, ` --agent ${quote(agent)}`]
  throw new HostError('tool.unknown', { tool: word, near: [] }, `${isHidden} ${visibility.reason}`, {
    hint: `See what decides that: plugboard why ${quote(ref)}${asAgent}`,
  })
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
