import { HostError, createHost, explain, fromRef } from '../../../../index.ts'
import type { Discovery, Explanation, Host } from '../../../../index.ts'
import { nearestNames } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { exitIfFilesBroken, reportBrokenFiles, withFileDiagnostics } from '../../broken-files.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli, Scope } from '../../command-context.ts'
import {
  discoverFor,
  discoverOptions,
  isBrokenFile,
  isDamage,
  isInScope,
  problemsInScope,
} from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import type { ViewFlags } from '../offers/find-offers.ts'
import { drawExplanation, toExplanationJson } from './explanation.ts'

export interface WhyFlags extends ViewFlags {
  readonly server?: boolean
  readonly tool?: boolean
  readonly key?: string
  readonly claims?: string
  readonly from?: string
}

/** Explains a server or, if there is no server of that name, a tool. */
export async function why(cli: Cli, flags: WhyFlags, name: string): Promise<void> {
  if (flags.server && flags.tool) throw usage('Use --server or --tool, not both.')
  const isForCaller = flags.key !== undefined || flags.claims !== undefined
  if (flags.server && isForCaller) throw usage('--key and --claims explain a tool; leave out --server.')
  if (flags.from !== undefined && !isForCaller)
    throw usage('--from explains what callers of the gateway find; add --key NAME or --claims FILE.')
  if (flags.tool || isForCaller) return (await import('./why-tool.ts')).whyTool(cli, flags, name)
  if (await whyServer(cli, flags, name)) return undefined
  return (await import('./why-tool.ts')).whyTool(cli, flags, name)
}

/**
 * Explains every declaration of a name: which one is in force, why, and its resolved values. Starts no server. Returns
 * `false` if the name may be a tool.
 */
async function whyServer(cli: Cli, flags: WhyFlags, name: string): Promise<boolean> {
  const everything = await discoverFor(cli, flags, { preview: true, trustKeys: flags.json ?? false })
  const discovery = { ...everything, diagnostics: problemsInScope(everything, cli, flags) }
  // A damaged file of our own concerns every scope.
  const broken = [...new Set([...discovery.diagnostics, ...everything.diagnostics.filter(isDamage)])].filter(
    isBrokenFile,
  )
  const output = withFileDiagnostics(outputOf(cli, flags), broken)
  const found = explain(discovery, name).flatMap((each) => narrowExplanation(each, flags.scope))
  if (found.length === 0) {
    const guess = flags.server ? noTool : await lookForTool(cli, flags, name)
    if (guess.isTool) return false
    reportBrokenFiles(cli, broken, output)
    throw unknown(name, discovery, flags.scope, guess)
  }
  const servers = flags.json ? found.map((each) => toExplanationJson(each, discovery)) : []
  output.result({ servers, tools: [] }, (canvas) =>
    found.map((each) => drawExplanation(each, canvas)).join('\n\n'),
  )
  reportBrokenFiles(cli, broken, output)
  exitIfFilesBroken(cli, broken)
  await output.flush()
  return true
}

/** Whether a name that is not a server may be a tool. */
interface ToolGuess {
  readonly isTool: boolean
  readonly near: readonly string[]
  /** The next step, if the name starts with the name of a server. */
  readonly next?: string
}

const noTool: ToolGuess = { isTool: false, near: [] }

/** Uses what is known from disk. A ref is a tool if its server is declared. */
async function lookForTool(cli: Cli, flags: WhyFlags, name: string): Promise<ToolGuess> {
  const ref = fromRef(name)
  const host =
    cli.live?.host ??
    (await createHost({ ...discoverOptions(cli, flags), lifecycle: 'on-demand', accept: 'person' }))
  if (ref) {
    const names = host.discovery.servers.map((server) => server.name)
    const { slashedPairs } = await import('../offers/find-tool.ts')
    return { ...noTool, isTool: names.includes(ref.server) || slashedPairs(name, names).length > 0 }
  }
  await host.ready({ from: 'disk' })
  try {
    host.why(name)
    return { ...noTool, isTool: true }
  } catch (error) {
    // An error about the server of the tool is an answer too.
    if (!(error instanceof HostError) || !('near' in error.data) || error.code !== 'tool.unknown')
      return { ...noTool, isTool: error instanceof HostError }
    const next = nextFor(name, host)
    return { isTool: false, near: error.data.near ?? [], ...(next !== undefined && { next }) }
  }
}

/** Tool names start with the name of their server. */
function nextFor(name: string, host: Host): string | undefined {
  const isOf = (server: string) => name.startsWith(server) && /^[^a-z\d]/i.test(name.slice(server.length))
  const [owner] = host.discovery.servers
    .map((server) => server.name)
    .filter(isOf)
    .sort((a, b) => b.length - a.length)
  if (owner === undefined) return undefined
  return host.tools().some(({ server }) => server === owner)
    ? `See what "${owner}" offers: plugboard tools ${quote(owner)}`
    : `If it is a tool of "${owner}", connect to it: plugboard why ${quote(name)} --tool`
}

/** Limits an explanation to one scope; a winner of another scope is only mentioned in the reason. */
function narrowExplanation(explanation: Explanation, scope: Scope | undefined): readonly Explanation[] {
  if (scope === undefined) return [explanation]
  const hidden = explanation.hidden.filter(({ server }) => isInScope(server, scope))
  const { winner, trust: _trust, resolved: _resolved, ...rest } = explanation
  if (winner === undefined || isInScope(winner, scope))
    return winner || hidden.length > 0 || rest.diagnostics.length > 0 ? [{ ...explanation, hidden }] : []
  const reason = `It is not in force: ${winner.origin.file} (${winner.origin.scope}) declares the same name.`
  return hidden.length > 0 ? [{ ...rest, reason, hidden }] : []
}

function unknown(
  name: string,
  { servers }: Discovery,
  scope: Scope | undefined,
  { near: tools, next }: ToolGuess,
): HostError {
  const names = servers.filter((server) => isInScope(server, scope)).map((server) => server.name)
  const near = [...nearestNames(name, names), ...tools]
  const where = scope === undefined ? 'here' : `in the ${scope}’s files`
  const message =
    tools.length === 0 && next === undefined
      ? `No server "${name}" is declared ${where}.`
      : `No server "${name}" is declared ${where}, and no tool of that name is known.`
  return new HostError('server.unknown', { server: name, near }, message, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : (next ?? 'See: plugboard list'),
  })
}
