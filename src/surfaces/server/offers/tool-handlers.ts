import { setImmediate } from 'node:timers/promises'
import { HostError, fromRef } from '../../../index.ts'
import type { Host, Json, Tool } from '../../../index.ts'
import { checkArguments, nearestNames, toExample, toPointer, toSignature } from '../../../internal.ts'
import type { ToolRow } from '../../api/tool-routes.ts'
import { describeHeld, heldItems } from '../../facts/definitions/held-facts.ts'
import { toForm } from '../../facts/forms/form-fields.ts'
import { describeState } from '../../facts/state-facts.ts'
import { toolSummary } from '../../facts/tool-facts.ts'
import { marksOf } from '../../facts/tool-marks.ts'
import { toolTokens } from '../../facts/tool-tokens.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { readArgumentPath } from './argument-path.ts'
import { offersOf } from './offer-state.ts'

const maxFound = 100
/** Weighing many tools takes a while: other requests get their turn after this many. */
const rowsAtOnce = 200

export const toolHandlers = {
  async 'GET /api/tools'(context) {
    const { host } = context
    await host.ready({ from: 'disk' })
    offersOf(context).load()
    const tools = await rowsOf(host.tools())
    return {
      tools,
      tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
      hidden: host.hiddenTools().map(({ ref, name, server, visibility: { reason } }) => ({
        ref,
        name,
        server,
        reason,
      })),
      held: heldItems(host)
        .filter(({ kind }) => kind === 'tool')
        .map(describeHeld)
        .map(({ id, title, server, why }) => ({ id, ref: title, server, reason: why })),
      waiting: waitingServers(context),
    }
  },

  async 'GET /api/tools/:ref'({ host }, { params }, { signal }) {
    const tool = await findTool(host, params.ref, signal)
    const [row] = await rowsOf([tool])
    if (!row) throw unknownTool(host, params.ref)
    const { description, inputSchema, outputSchema } = tool
    return {
      row,
      description,
      signature: toSignature(tool),
      inputSchema,
      ...(outputSchema && { outputSchema }),
      form: toForm(inputSchema),
      example: toExample(tool),
      why: host.why(tool.ref),
    }
  },

  async 'POST /api/tools/:ref/check'({ host }, { params, body }, { signal }) {
    const tool = await findTool(host, params.ref, signal)
    return checkOf(tool, body.args)
  },

  async 'GET /api/search'({ host }, { query }) {
    const words = query?.words ?? ''
    await host.ready({ from: 'disk' })
    const found = host.search(words, { limit: maxFound })
    const names = host.tools().flatMap(({ name, tool }) => [name, tool])
    const [meant] = found.length > 0 ? [] : nearestNames(words, names)
    return { tools: await rowsOf(found), ...(meant !== undefined && { meant }) }
  },
} satisfies Partial<Handlers>

async function rowsOf(tools: readonly Tool[]): Promise<readonly ToolRow[]> {
  const rows: ToolRow[] = []
  for (const [at, tool] of tools.entries()) {
    if (at > 0 && at % rowsAtOnce === 0) await setImmediate()
    rows.push(toRow(tool))
  }
  return rows
}

function toRow(tool: Tool): ToolRow {
  const { ref, name, title, server, annotations, hash } = tool
  return {
    ref,
    name,
    tool: tool.tool,
    server,
    ...(title !== undefined && { title }),
    summary: toolSummary(tool),
    tokens: toolTokens(tool),
    isReadOnly: annotations.readOnlyHint === true,
    ...(tool.app !== undefined && { app: tool.app }),
    marks: marksOf(annotations),
    hash,
  }
}

/** Servers whose tools are not known, with the reason. One that is switched off is not missed. */
function waitingServers({ host, running }: ServeContext) {
  return host
    .servers()
    .filter(({ isKnown, status }) => !isKnown && status.state !== 'disabled')
    .map(({ name, server, status }) => {
      const unlisted = running.unlistedOf(name)
      const { sentence, word } = describeState({ name, server, status, unlisted })
      return { server: name, reason: sentence ?? word }
    })
}

/** Finds a tool by its ref or name; waits for its server if its tools are not known yet. */
async function findTool(host: Host, ref: string, signal: AbortSignal): Promise<Tool> {
  const find = () => host.tools().find((tool) => tool.ref === ref || tool.name === ref)
  await host.ready({ from: 'disk' })
  const known = find()
  if (known) return known
  await host.ready({ tool: ref, signal })
  const found = find()
  if (!found) throw heldTool(host, ref) ?? unknownTool(host, ref)
  return found
}

function heldTool(host: Host, ref: string): HostError | undefined {
  const hidden = host.hiddenTools().find((tool) => tool.ref === ref || tool.name === ref)
  if (hidden?.visibility.held === undefined) return undefined
  const data = { ref: hidden.ref, server: hidden.server, reason: hidden.visibility.held }
  return new HostError('tool.held', data, `"${ref}" is not offered. ${hidden.visibility.reason}`)
}

function unknownTool(host: Host, ref: string): HostError {
  const server = host.servers().find(({ name }) => name === fromRef(ref)?.server)
  const near = nearestNames(
    ref,
    host.tools().map((tool) => tool.ref),
  )
  const facts = server && !server.isKnown ? describeState(server) : undefined
  const why = facts ? ` "${server?.name ?? ''}" is ${facts.word}. ${facts.sentence ?? ''}` : ''
  return new HostError('tool.unknown', { tool: ref, near }, `There is no tool "${ref}" now.${why}`.trim(), {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is: plugboard tools',
  })
}

async function checkOf({ inputSchema }: Tool, args: Json) {
  const checked = await checkArguments(inputSchema, args)
  if (checked.kind === 'unchecked')
    return { problems: [], unchecked: `Not checked: ${checked.reason}. The server of the tool checks them.` }
  const problems = checked.kind === 'invalid' ? checked.problems : []
  return {
    problems: problems.map(({ path, message }) => ({ pointer: toPointer(readArgumentPath(path)), message })),
  }
}
