import type { Tool } from '../../../../index.ts'
import { describeModel } from '../../../../models.ts'
import type { ModelDescription } from '../../../../models.ts'
import { weighTool } from '../../../facts/tool-tokens.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { wrap } from '../../../terminal/width.ts'
import type { CommandWorld } from '../../command-context.ts'
import { count } from '../../output/draw.ts'
import { amount } from '../../output/token-figures.ts'

/** What the definitions of tools take in every request to a model. */
export interface ToolCosts {
  /** For `--json`. */
  readonly fields: CostFields
  draw(this: void, canvas: Canvas): string
}

interface CostFields {
  readonly model?: string
  readonly tokens: number
  readonly window?: number
  readonly share?: number
  readonly maxTools?: number
  readonly fits?: boolean
  readonly servers: readonly ServerWeight[]
  readonly tools: readonly ToolWeight[]
  readonly leftOut: readonly { readonly name: string; readonly ref: string; readonly reason: string }[]
}

interface ToolWeight {
  readonly name: string
  readonly ref: string
  readonly server: string
  readonly tokens: number
}

interface ServerWeight {
  readonly server: string
  readonly tools: number
  readonly tokens: number
}

/**
 * Returns a function that estimates the tokens of tools as the chosen model sees them. Without a model, the dialect is that
 * of most providers.
 */
export async function createWeigher(
  ref: string | undefined,
  world: CommandWorld,
): Promise<(tools: readonly Tool[]) => ToolCosts> {
  const model = await describeModel(ref, world)
  return (tools) => {
    const fields = toFields(tools, model)
    return { fields, draw: (canvas) => draw(fields, canvas) }
  }
}

function toFields(tools: readonly Tool[], model: ModelDescription | undefined): CostFields {
  const weighed = tools.map((tool) => ({ tool, weight: weighTool(tool, model?.provider ?? 'openai') }))
  const offered = weighed
    .flatMap(({ tool: { name, ref, server }, weight }) =>
      typeof weight === 'number' ? [{ name, ref, server, tokens: weight }] : [],
    )
    .toSorted((a, b) => b.tokens - a.tokens)
  const tokens = sum(offered)
  const { name, window, maxTools } = model ?? {}
  return {
    ...(name !== undefined && { model: name }),
    tokens,
    ...(window !== undefined && { window, share: Number((tokens / window).toFixed(4)) }),
    ...(maxTools !== undefined && { maxTools, fits: offered.length <= maxTools }),
    servers: byServer(offered),
    tools: offered,
    leftOut: weighed.flatMap(({ tool: { name: left, ref }, weight }) =>
      typeof weight === 'number' ? [] : [{ name: left, ref, reason: weight.reason }],
    ),
  }
}

function byServer(tools: readonly ToolWeight[]): readonly ServerWeight[] {
  const names = [...new Set(tools.map(({ server }) => server))]
  const weights = names.map((server) => {
    const own = tools.filter((tool) => tool.server === server)
    return { server, tools: own.length, tokens: sum(own) }
  })
  return weights.toSorted((a, b) => b.tokens - a.tokens)
}

function sum(tools: readonly ToolWeight[]): number {
  return tools.reduce((all, { tokens }) => all + tokens, 0)
}

/** The defaults of `AgentLimits`: beyond them an agent offers tools by search. */
const searchAbove = { tools: 100, share: 0.2 } as const

function draw(costs: CostFields, { style, width }: Canvas): string {
  const options = { width, paintTitle: style.dim }
  const tools = renderTable<ToolWeight>(
    [
      { title: 'TOOL', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      { title: 'SERVER', value: ({ server }) => server, fit: { shrinkTo: 8 } },
      { title: 'TOKENS', value: ({ tokens }) => amount(tokens), align: 'right', fit: 'essential' },
    ],
    costs.tools,
    options,
  )
  const servers = renderTable<ServerWeight>(
    [
      { title: 'SERVER', value: ({ server }) => server, fit: 'essential', paint: style.bold },
      { title: 'TOOLS', value: (server) => String(server.tools), align: 'right' },
      { title: 'TOKENS', value: ({ tokens }) => amount(tokens), align: 'right', fit: 'essential' },
    ],
    costs.servers,
    options,
  )
  const lines = summary(costs).flatMap((line) =>
    width === undefined ? [line] : wrap(escapeLine(line), width),
  )
  return [tools, servers, lines.join('\n')].join('\n\n')
}

function summary({
  model,
  tokens,
  window,
  share,
  maxTools,
  fits,
  tools,
  leftOut,
}: CostFields): readonly string[] {
  const all = `${count(tools.length, 'tool')} take about ${amount(tokens)} tokens in every request`
  const part =
    model === undefined || window === undefined || share === undefined
      ? '.'
      : `: ${percent(share)} of the window of ${model} (${amount(window)}).`
  const unknown = model !== undefined && window === undefined ? [`The window of ${model} is not known.`] : []
  const limit =
    fits === false
      ? [`${model} takes at most ${maxTools} tools in a request; chat and run let it search for them.`]
      : []
  const isSearched = tools.length > searchAbove.tools || (share ?? 0) > searchAbove.share
  const search =
    isSearched && fits !== false ? ['That is much: chat and run let the model search for tools instead.'] : []
  const left = leftOut.map(({ name, reason }) => `Not offered to it: ${name}: ${reason}`)
  return [`${all}${part}`, ...unknown, ...limit, ...search, ...left]
}

function percent(share: number): string {
  return share < 0.001 ? 'under 0.1 %' : `${(share * 100).toFixed(1)} %`
}
