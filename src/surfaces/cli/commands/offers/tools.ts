import { fromRef, toRef } from '../../../../index.ts'
import type { Diagnostic, HiddenTool, ServerInstructions, Tool } from '../../../../index.ts'
import { matchGlob, toListedDiagnostics } from '../../../../internal.ts'
import { toolSummary } from '../../../facts/tool-facts.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Style } from '../../../terminal/style.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas, Output } from '../../../terminal/terminal-output.ts'
import { wrap } from '../../../terminal/width.ts'
import { worldOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import { withHost } from '../../with-host.ts'
import { loadOffers } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import {
  exitIfIncomplete,
  missingServers,
  noteHeld,
  problemsFor,
  warnMissing,
  printProblems,
} from './offer-problems.ts'
import type { MissingServer } from './offer-problems.ts'
import type { ToolCosts } from './tool-costs.ts'

export interface ToolsFlags extends OfferFlags {
  /** Also the tools that are not offered. */
  readonly all?: boolean
  /** Also what the definitions weigh in tokens. */
  readonly cost?: boolean
  /** The model whose window and dialect count for that. */
  readonly model?: string
}

/** Lists the tools. Servers that were connected before are not started again. */
export async function tools(cli: Cli, flags: ToolsFlags, pattern?: string): Promise<void> {
  if (flags.model !== undefined && !flags.cost) throw usage('--model belongs to --cost.')
  const weigh = flags.cost
    ? await (await import('./tool-costs.ts')).createWeigher(flags.model, worldOf(cli, flags))
    : undefined
  await withHost(
    cli,
    flags,
    async (context) => {
      const isMeant = scopeFilter(context.host, flags)
      const { conversation } = context
      const scope = {
        ...(flags.agent !== undefined && { agent: flags.agent }),
        ...(conversation !== undefined && { conversation }),
      }
      const isGlob = pattern?.includes('*') === true
      const whole = await context.host.scope(scope)
      const view = isGlob ? await context.host.scope({ ...scope, tools: [pattern] }) : whole
      await loadOffers(context, flags, { view })
      const found = view.tools().filter((tool) => isMeant(tool) && (isGlob || nameContains(tool, pattern)))
      const isAsked = (tool: HiddenTool) =>
        isMeant(tool) && (isGlob ? matches(tool, pattern) : nameContains(tool, pattern))
      const asked = flags.all ? whole.hiddenTools().filter(isAsked) : undefined
      const hidden = asked && (await forReader(cli, asked))
      const missing = missingServers(context.host, flags)
      const problems = problemsFor(whole, context.host)
      const instructions = view.instructions()
      printTools(
        { found, hidden, missing, problems, instructions, cost: weigh?.(found) },
        context.output,
        flags,
      )
      if (found.length === 0 && !hidden?.length && !flags.json)
        context.output.note(nothingFound(pattern, 'tools'))
      warnMissing(missing, context.output)
      if (!flags.all) noteHeld(context.host, context.output, isMeant)
      printProblems(problems, context.output)
      exitIfIncomplete(cli, context, { found, missing, problems })
    },
    { brokenFiles: 'fail' },
  )
}

/** A name with spaces is a text, which an agent would read (T12, T48). */
async function forReader(cli: Cli, hidden: readonly HiddenTool[]): Promise<readonly HiddenTool[]> {
  // Loaded here: most lists show no hidden tools.
  const { whyWithheld } = await import('../../agent-environment.ts')
  if (whyWithheld(cli, {}) === undefined) return hidden
  const { plainName } = await import('../../../facts/findings/withheld-texts.ts')
  return hidden.map((tool) => {
    const own = fromRef(tool.ref)?.tool ?? ''
    const shown = plainName(own)
    if (tool.visibility.held === undefined || shown === own) return tool
    return { ...tool, name: shown, ref: toRef(tool.server, shown) }
  })
}

/** As the globs of settings: a pattern with a `/` is one of refs. */
function matches({ name, ref }: HiddenTool, pattern: string): boolean {
  return matchGlob(pattern, pattern.includes('/') ? ref : name)
}

/** A pattern without `*` matches anywhere in the name or ref. */
function nameContains({ name, ref }: Pick<Tool, 'name' | 'ref'>, word = ''): boolean {
  const wanted = word.toLowerCase()
  return name.toLowerCase().includes(wanted) || ref.toLowerCase().includes(wanted)
}

export function nothingFound(pattern: string | undefined, what: string): string {
  return pattern === undefined ? `There are no ${what} here.` : `No ${what} here match "${pattern}".`
}

interface ToolList {
  readonly found: readonly Tool[]
  readonly hidden?: readonly HiddenTool[] | undefined
  readonly missing: readonly MissingServer[]
  /** Usage instructions of their servers. */
  readonly instructions: readonly ServerInstructions[]
  readonly problems?: readonly Diagnostic[]
  /** Drawn instead of the tools. */
  readonly cost?: ToolCosts | undefined
}

export function printTools(offered: ToolList, output: Output, { json }: OfferFlags): void {
  const { found, hidden, missing, instructions, problems = [], cost } = offered
  const servers = new Set(found.map(({ server }) => server))
  const said = instructions.filter(({ server }) => servers.has(server))
  const told = {
    ...(hidden && { hidden }),
    ...(said.length > 0 && { instructions: said }),
    missing,
    ...(cost && { cost: cost.fields }),
    ...(problems.length > 0 && { diagnostics: toListedDiagnostics(problems) }),
  }
  if (!json && found.length + (hidden?.length ?? 0) === 0) return
  output.result({ tools: found, ...told }, (canvas) =>
    [
      ...(found.length > 0 ? [cost?.draw(canvas) ?? draw(found, canvas)] : []),
      ...(hidden?.length ? [drawHidden(hidden, canvas)] : []),
    ].join('\n\n'),
  )
}

function drawHidden(hidden: readonly HiddenTool[], { style, width }: Canvas): string {
  return renderTable<HiddenTool>(
    [
      { title: 'NOT OFFERED', value: ({ name }) => name, fit: 'essential' },
      { title: 'SERVER', value: ({ server }) => server, fit: { shrinkTo: 8 } },
      { title: 'WHY', value: ({ visibility }) => visibility.reason, fit: { shrinkTo: 20 }, paint: style.dim },
    ],
    hidden,
    { width, paintTitle: style.dim },
  )
}

/** What a row needs beside the name; with less, each tool has a block of lines. */
const besideName = 32

function draw(found: readonly Tool[], { style, width }: Canvas): string {
  const longest = found.reduce((most, { name }) => Math.max(most, name.length), 0)
  if (width !== undefined && longest + besideName > width) return drawBlocks(found, width, style)
  return renderTable<Tool>(
    [
      { title: 'TOOL', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      { title: 'SERVER', value: ({ server }) => server, fit: { shrinkTo: 8 } },
      { title: 'DOES', value: toolSummary, fit: { shrinkTo: 20 }, paint: style.dim },
    ],
    found,
    { width, paintTitle: style.dim },
  )
}

/** Names stay whole, because they are typed again. */
function drawBlocks(found: readonly Tool[], width: number, style: Style): string {
  const blocks = found.flatMap((tool) => {
    const about = [tool.server, toolSummary(tool)].filter((part) => part !== '').join(' · ')
    const lines = wrap(escapeLine(about), Math.max(20, width - 2))
    return [style.bold(escapeLine(tool.name)), ...lines.map((line) => `  ${style.dim(line)}`)]
  })
  return blocks.join('\n')
}
