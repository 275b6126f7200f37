import { fromRef, isHostError } from '../../../../index.ts'
import type { HostError, Place, ToolExplanation, View } from '../../../../index.ts'
import { describePredicate, hintToAllow, toListedDiagnostics } from '../../../../internal.ts'
import { effectWords } from '../../../facts/call-facts.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Style } from '../../../terminal/style.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { worldOf } from '../../command-context.ts'
import type { Cli, CommandWorld } from '../../command-context.ts'
import { placeOf } from '../../output/draw.ts'
import { withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { viewOf } from '../offers/find-offers.ts'
import { findTool } from '../offers/find-tool.ts'
import type { ViewFlags } from '../offers/find-offers.ts'
import { drawKeyReport } from './key-report.ts'
import type { CallerViews, ClaimsReport, ConfigReport, KeyReport } from './key-report.ts'
import { problemsFor, printProblems } from '../offers/offer-problems.ts'

interface CallerFlags extends ViewFlags {
  readonly key?: string
  readonly claims?: string
  readonly from?: string
}

/** Explains whether a tool is visible, in general or to an agent, whether a call would run, and what decides that. */
export async function whyTool(cli: Cli, flags: CallerFlags, word: string): Promise<void> {
  const config = await openConfig(cli, flags)
  await withHost(
    cli,
    flags,
    async (context) => {
      const { agent } = flags
      // Name clashes are decided among all servers, so load all of them.
      await context.host.ready({ from: 'disk' })
      // A view of a conversation knows the stored approvals as they are now.
      const view = await viewOf({ conversation: 'why', ...context }, flags)
      const callers = await config?.openViews(context.host)
      const found = await explain(context, flags, word, { view, callers })
      const name = fromRef(found.ref)?.server ?? ''
      const server = context.host.discovery.servers.find((each) => each.name === name)
      // A problem in the agent's tool list may be the reason that it does not see a tool.
      const problems = agent === undefined ? [] : problemsFor(view, context.host)
      const report: ToolReport = {
        ...found,
        server: name,
        ...explainInChat(view, found),
        ...(agent !== undefined && { agent }),
        ...(callers && (await explainCallers(callers, found.ref, flags, worldOf(cli, flags)))),
        ...(config?.origin && { from: config.origin }),
        ...(problems.length > 0 && { diagnostics: toListedDiagnostics(problems) }),
      }
      context.output.result({ servers: [], tools: [report] }, (canvas) =>
        draw(report, server?.origin, canvas),
      )
      printProblems(problems, context.output)
    },
    {
      brokenFiles: 'fail',
      ...(config?.origin && { isOwn: true, options: async () => config.discover }),
    },
  )
}

/** The configuration of the gateway whose callers the command names; `undefined` if it names none. */
async function openConfig(cli: Cli, flags: CallerFlags) {
  const { key, claims, from } = flags
  if (key === undefined && claims === undefined) return undefined
  const { openExplained } = await import('../../../gateway/explained/explained-config.ts')
  return openExplained({ from, ...worldOf(cli, flags) })
}

/** What callers of the gateway find, as far as the command names some. */
async function explainCallers(
  callers: CallerViews,
  ref: string,
  { key, claims }: CallerFlags,
  world: CommandWorld,
): Promise<Pick<ToolReport, 'key' | 'claims'>> {
  const { explainForClaims, explainForKey } = await import('./why-key.ts')
  return {
    ...(key !== undefined && { key: await explainForKey(callers, ref, { key, world }) }),
    ...(claims !== undefined && { claims: await explainForClaims(callers, ref, { claims, world }) }),
  }
}

async function explain(
  context: HostContext,
  flags: CallerFlags,
  word: string,
  { view, callers }: { readonly view: View; readonly callers: CallerViews | undefined },
): Promise<ToolExplanation> {
  const { agent: _agent, ...withoutAgent } = flags
  try {
    // Look the tool up without the agent: it exists even if the agent does not see it.
    const { tool } = await findTool(context, withoutAgent, word)
    return view.why(tool.ref)
  } catch (error) {
    if (isHostError(error, 'tool.held')) return whyNot(view, error.data.ref, error)
    if (!isHostError(error, 'tool.unknown')) throw error
    // A view of the gateway may give a tool another name.
    const ref = await callers?.refOfShown(word)
    if (ref !== undefined) return view.why(ref)
    return whyNot(view, error.data.tool, error)
  }
}

/** A tool that is in no list, because of an entry or a missing server, may still have an explanation. */
function whyNot(view: View, word: string, unknown: HostError): ToolExplanation {
  try {
    return view.why(word)
  } catch {
    throw unknown
  }
}

/** Chat and run ask where other commands do not; absent if they decide the same. */
function explainInChat(view: View, { ref, name, decision }: ToolExplanation): Pick<ToolReport, 'inChat'> {
  if (decision.effect === 'deny') return {}
  const known = fromRef(ref) ? ref : name
  const { decision: inChat, depends } = view.why(known, { asks: 'writes' })
  if (inChat.effect === decision.effect) return {}
  return { inChat: { decision: inChat, ...(depends && { depends }) } }
}

interface ToolReport extends ToolExplanation {
  readonly server: string
  readonly inChat?: Pick<ToolExplanation, 'decision' | 'depends'>
  readonly agent?: string
  readonly key?: KeyReport
  readonly claims?: ClaimsReport
  readonly from?: ConfigReport
  readonly diagnostics?: readonly object[]
}

function draw(report: ToolReport, declared: Place | undefined, canvas: Canvas): string {
  const { name, ref, visibility, server, agent } = report
  const { style } = canvas
  const where = visibility.origin ? ` (${placeOf(visibility.origin, canvas)})` : ''
  const rows: readonly (readonly [string, string])[] = [
    ['ref', escapeLine(ref)],
    ['server', `${escapeLine(server)}${declared ? ` (${drawPlace(declared, report.from, canvas)})` : ''}`],
    [
      agent === undefined ? 'seen' : `seen by ${escapeLine(agent)}`,
      `${visibility.visible ? style.green('yes') : style.red('no')}  ${escapeLine(visibility.reason + where)}`,
    ],
    ...drawRuns('runs', report, style),
    ...(report.inChat ? drawInChat(report.inChat, canvas) : []),
    ...(report.key ? drawKeyReport('key', report.key, style) : []),
    ...(report.claims ? drawKeyReport('claims', report.claims, style) : []),
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  return [
    style.bold(escapeLine(name)),
    ...rows.map(([label, text]) => `  ${style.dim(label.padEnd(width))}  ${text}`),
  ].join('\n')
}

/** The text of a published version has lines, but no file that a person could open. */
function drawPlace(declared: Place, from: ConfigReport | undefined, canvas: Canvas): string {
  if (from?.kind !== 'store') return escapeLine(placeOf(declared, canvas))
  const { line } = declared
  return `version ${from.version} in the store${line === undefined ? '' : `, line ${line}`}`
}

function drawInChat(
  inChat: NonNullable<ToolReport['inChat']>,
  { style, path }: Canvas,
): readonly (readonly [string, string])[] {
  const { allowedBy } = inChat.decision
  const file = allowedBy?.file === undefined ? {} : { file: path(allowedBy.file) }
  const hint = allowedBy && escapeLine(hintToAllow({ ...allowedBy, ...file }))
  return [...drawRuns('chat', inChat, style), ...(hint === undefined ? [] : [['', hint] as const])]
}

/** Whether calls run. If it depends on the arguments: one row per condition, and one for all other calls. */
function drawRuns(
  label: string,
  { decision, depends = [] }: Pick<ToolExplanation, 'decision' | 'depends'>,
  style: Style,
): readonly (readonly [string, string])[] {
  const effects = {
    allow: style.green(effectWords.allow),
    ask: style.yellow(effectWords.ask),
    deny: style.red(effectWords.deny),
  }
  if (depends.length === 0) return [[label, `${effects[decision.effect]}  ${escapeLine(decision.reason)}`]]
  const conditions = depends.map(
    ({ effect, when, reason }) =>
      `${effects[effect]}, where ${escapeLine(when.map(describePredicate).join(' and '))}: ${escapeLine(reason)}`,
  )
  const otherwise =
    decision.effect === 'allow'
      ? effects.allow
      : `${effects[decision.effect]}: ${escapeLine(decision.reason)}`
  return [
    [label, style.yellow('that depends on the arguments')],
    ...[...conditions, `otherwise ${otherwise}`].map((text) => ['', text] as const),
  ]
}
