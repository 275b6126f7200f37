import { toListing } from '../../../../index.ts'
import type { Discovery, Host, Tool, View } from '../../../../index.ts'
import { toSignature } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { escapeLine, escapeText } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import { acceptanceFor } from '../../acceptance-note.ts'
import { count, drawProblems } from '../../output/draw.ts'
import { checkName, withHost } from '../../with-host.ts'
import { loadOffers, viewOf } from '../offers/find-offers.ts'
import type { OfferFlags } from '../offers/find-offers.ts'
import {
  brokenSettings,
  exitIfIncomplete,
  missingServers,
  printProblems,
  warnMissing,
} from '../offers/offer-problems.ts'
import { described } from '../offers/tool.ts'
import { toolSummary } from '../../../facts/tool-facts.ts'
import { hang } from './explanation.ts'
import { draw as drawServers } from './list.ts'

/** Lists one server with the signatures of its tools. It is started if its tools are not known yet. */
export async function listServer(
  cli: Cli,
  flags: OfferFlags,
  name: string,
  everything: Discovery,
): Promise<void> {
  await withHost(
    cli,
    flags,
    async (context) => {
      const { host, output } = context
      const server = await checkName(host, flags, name)
      const discovery = about(server, everything)
      const view = await viewOf(context, flags)
      await loadOffers(context, flags, { view, names: [server] })
      const found = view.tools().filter((tool) => tool.server === server)
      const missing = missingServers(host, flags).filter((each) => each.server === server)
      const problems = brokenSettings(view, host)
      const tools = found.map((tool) => ({ ...described(tool), signature: toSignature(tool) }))
      const acceptance = await acceptanceFor(cli, flags, output.notes)
      output.result({ ...toListing(discovery), tools, missing, acceptance }, (canvas) =>
        [drawServers(discovery, canvas), ...found.map((tool) => drawTool(tool, canvas))].join('\n\n'),
      )
      for (const line of drawProblems(discovery.diagnostics, output.notes)) output.note(line)
      if (!flags.json && acceptance.sentence !== undefined) output.note(acceptance.sentence)
      if (found.length === 0 && missing.length === 0 && !flags.noStart)
        output.note(escapeLine(whyNoTools(server, host, view)))
      warnMissing(missing, output)
      printProblems(problems, output)
      exitIfIncomplete(cli, context, { found, missing, problems })
    },
    { brokenFiles: 'fail' },
  )
}

/** Why a server that could be asked has no tools in a list: it is switched off, or they are hidden, or it has none. */
function whyNoTools(server: string, host: Host, view: View): string {
  const status = host.servers().find(({ name }) => name === server)?.status
  if (status?.state === 'disabled')
    return `It is switched off, so it offers no tools. See what decides that: plugboard why ${quote(server)}`
  const hidden = view.hiddenTools().filter((tool) => tool.server === server)
  const [first] = hidden
  if (!first) return 'It offers no tools here.'
  const { reason } = first.visibility
  const isSame = hidden.every(({ visibility }) => visibility.reason === reason)
  const are = `${count(hidden.length, 'tool')} ${hidden.length === 1 ? 'is' : 'are'} hidden here.`
  return `${are} ${isSame ? reason : `See what decides that: plugboard why ${quote(first.ref)}`}`
}

/** What a discovery says about one name. */
function about(name: string, discovery: Discovery): Discovery {
  return {
    ...discovery,
    servers: discovery.servers.filter((server) => server.name === name),
    shadowed: discovery.shadowed.filter(({ server }) => server.name === name),
    diagnostics: discovery.diagnostics.filter(({ server }) => server === name),
  }
}

function drawTool(tool: Tool, { style, width }: Canvas): string {
  const summary = escapeLine(toolSummary(tool))
  const signature = escapeText(toSignature(tool))
    .split('\n')
    .map((line) => hang(line, width))
  const lines = summary === '' ? [] : hang(`  ${summary}`, width).split('\n')
  return [style.bold(signature.join('\n')), ...lines.map((line) => style.dim(line))].join('\n')
}
