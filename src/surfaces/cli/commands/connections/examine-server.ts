import { readServerLog } from '../../../../index.ts'
import type { Discovery, Explanation, HostEvent, LogLine, Platform, Server } from '../../../../index.ts'
import type { ServerOffers } from '../../../../scan.ts'
import type { PlacedFinding } from '../../../facts/findings/finding-facts.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { quote } from '../../../terminal/argv.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { drawFault } from '../../errors.ts'
import { drawExplanation, hang, toExplanationJson } from '../servers/explanation.ts'
import { probe, rowsOf } from './probe-server.ts'
import type { Probe, ProbeContext } from './probe-server.ts'

/** A server's health, in a word or two. */
export type Health =
  | 'ok'
  | 'off'
  | 'needs trust'
  | 'changed'
  | 'not started'
  | 'needs login'
  | 'broken'
  | 'unusable'

/** Everything known about one server, and the next step. */
export interface Examination {
  readonly health: Health
  readonly explanation: Explanation
  /** The absolute path of its command. */
  readonly program?: string
  readonly probe?: Probe
  /** Its last stderr lines, from any host that ran it. */
  readonly said: readonly LogLine[]
  /** Recent failures, each with its code. */
  readonly failures: readonly LogLine[]
  /** Everything that it listed, as it sent it. */
  readonly offers?: ServerOffers
  /** What the scanner found in its declaration and its offers. */
  readonly findings?: readonly PlacedFinding[]
  /** The command to run next. */
  readonly next: string
}

/** Examines one server from its declaration to its offers; starts it only if allowed. */
export async function examine(
  explanation: Explanation,
  context: ProbeContext,
  { starts, ...own }: { readonly starts: boolean; readonly platform?: Partial<Platform> },
): Promise<Examination> {
  const { winner, trust = 'trusted' } = explanation
  if (!winner) return { health: 'unusable', explanation, said: [], failures: [], next: nextFor(explanation) }
  const known = { explanation, ...splitLog(await readServerLog(winner, { ...own, lines: loggedLines })) }
  const name = quote(winner.name)
  if (!winner.enabled) return { ...known, health: 'off', next: `plugboard enable ${name}` }
  if (trust !== 'trusted')
    return {
      ...known,
      health: trust === 'changed' ? 'changed' : 'needs trust',
      next: serverCommand('trust', winner.name),
    }
  if (!starts) return { ...known, health: 'not started', next: `plugboard doctor ${name}` }
  return { ...known, ...(await start(winner, context, explanation)) }
}

type StartResult = Pick<Examination, 'health' | 'probe' | 'program' | 'next' | 'offers'>

async function start(server: Server, context: ProbeContext, explanation: Explanation): Promise<StartResult> {
  const seen = watchStart(server, context)
  let offers: ServerOffers | undefined
  const probed = await probe(server, { ...context, onOffers: (listed) => (offers = listed) })
  seen[Symbol.dispose]()
  const program = seen.program()
  const found = { probe: probed, ...(program !== undefined && { program }), ...(offers && { offers }) }
  const { error } = probed
  if (!error && probed.held !== undefined)
    return { ...found, health: 'ok', next: serverCommand('review', server.name) }
  if (!error) return { ...found, health: 'ok', next: `plugboard tools ${quote(`${server.name}/*`)}` }
  const health = error.code === 'server.needs-auth' ? 'needs login' : 'broken'
  return { ...found, health, next: commandIn(error.hint) ?? nextFor(explanation) }
}

function watchStart({ name }: Server, { host }: Pick<ProbeContext, 'host'>) {
  let program: string | undefined
  const listening = host.on((event: HostEvent) => {
    if (event.type === 'server.started' && event.server === name) program = event.command
  })
  return { program: () => program, [Symbol.dispose]: () => listening[Symbol.dispose]() }
}

const loggedLines = 200
const shownSaid = 5
const shownFailures = 3
const ours = '[plugboard] '

/** Separates a server's own output from the failures that hosts noted in its log. */
function splitLog(lines: readonly LogLine[]): Pick<Examination, 'said' | 'failures'> {
  return {
    said: lines.filter(({ text }) => !text.startsWith(ours)).slice(-shownSaid),
    failures: lines
      .filter(({ text }) => text.startsWith(ours))
      .map((line) => ({ ...line, text: line.text.slice(ours.length) }))
      .slice(-shownFailures),
  }
}

/** The first command that a problem proposes, else `why`. */
function nextFor({ name, diagnostics }: Explanation): string {
  const hints = diagnostics.map(({ hint }) => commandIn(hint))
  return hints.find((command) => command !== undefined) ?? `plugboard why ${quote(name)}`
}

/** The command in a hint, if it has one. */
function commandIn(hint: string | undefined): string | undefined {
  return /plugboard (?!list\b)[a-z-]+(?: [^ .,;)][^,;)]*)?/.exec(hint ?? '')?.[0].replace(/\.$/, '')
}

/** Examinations in the form of `doctor --json`. */
export function toExaminationJson(found: readonly Examination[], discovery: Discovery): readonly object[] {
  return found.map(({ explanation, probe, offers: _offers, ...rest }) => {
    const { greeting, exit: _exit, name: _name, ...probed } = probe ?? {}
    return {
      ...toExplanationJson(explanation, discovery),
      ...rest,
      ...(probe && { connection: { ...greeting, ...probed } }),
    }
  })
}

/** Draws one server, from its declaration to its last output. */
export function drawExamination(found: Examination, canvas: Canvas): string {
  const { style } = canvas
  const { explanation, health, probe, program, said, failures, next } = found
  const lines = [drawExplanation(explanation, canvas, paint(health, canvas))]
  const rows = [
    ...(program === undefined ? [] : [['program', program] as const]),
    ...(probe?.greeting ? rowsOf(probe) : []),
  ]
  const details = [
    ...rows.map(([label, text]) => `  ${label.padEnd(11)}  ${escapeLine(text)}`),
    ...(probe?.error ? indent(canvas.proposed(drawFault(probe.error))).split('\n') : []),
  ]
  if (details.length > 0)
    lines.push('', style.dim('connection'), ...details.map((line) => hang(line, canvas.width)))
  lines.push(...drawFindings(found, canvas))
  lines.push(...drawLines('it last said', said, canvas), ...drawLines('recent failures', failures, canvas))
  return [...lines, '', `${style.dim('next')}  ${escapeLine(canvas.proposed(next))}`].join('\n')
}

/** The findings that matter, one line each; the others are counted. */
function drawFindings({ findings = [] }: Examination, { style, width }: Canvas): readonly string[] {
  if (findings.length === 0) return []
  const severe = findings.filter(({ severity }) => severity !== 'low' && severity !== 'info')
  const rest = findings.length - severe.length
  const drawn = severe.map(({ severity, rule, subject, message }) =>
    hang(
      `  ${severity}  ${rule}  ${escapeLine(subject.name ?? subject.kind)}: ${escapeLine(message)}`,
      width,
    ),
  )
  const more = rest === 0 ? [] : [`  ${rest} of low severity; see plugboard scan`]
  return ['', style.dim('findings'), ...drawn, ...more]
}

function paint(health: Health, { style }: Canvas): string {
  if (health === 'ok') return style.green(health)
  return health === 'broken' || health === 'unusable' ? style.red(health) : style.yellow(health)
}

function drawLines(title: string, lines: readonly LogLine[], { style, width }: Canvas): readonly string[] {
  if (lines.length === 0) return []
  const drawn = lines.map(({ at, text }) => hang(`  ${style.dim(escapeLine(at))} ${escapeLine(text)}`, width))
  return ['', style.dim(title), ...drawn]
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
