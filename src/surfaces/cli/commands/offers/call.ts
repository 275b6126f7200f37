import { HostError, fromRef, nodePlatform, toRef } from '../../../../index.ts'
import type { CallResult, Host, JsonObject, Tool, View } from '../../../../index.ts'
import { markSentence } from '../../../../internal.ts'
import { callAddress, viewPlace } from '../../../facts/view-place.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { formatOf } from '../../arguments/flags.ts'
import type { Format, FormatFlags } from '../../arguments/flags.ts'
import { folderOf, isInteractive, setExit, startOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { EarlyExit, usage } from '../../errors.ts'
import { recordCall } from '../../output/record-call.ts'
import type { EndedCall } from '../../output/record-call.ts'
import { makeFolder, saveBlobs } from '../../output/save-file.ts'
import { bytesOfResult, drawMarkdown, drawResult, toProtocol } from '../../output/tool-result.ts'
import type { SavedFiles } from '../../output/tool-result.ts'
import { parsePairs, toArguments } from '../../arguments/tool-arguments.ts'
import { callOptions, withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { parseObject } from '../connections/request.ts'
import { findTool } from './find-tool.ts'
import type { TypedTool } from './find-tool.ts'
import type { ViewFlags } from './find-offers.ts'

export interface CallFlags extends ViewFlags, FormatFlags {
  readonly args?: string
  /** A folder. */
  readonly output?: string
}

/** Calls one tool and prints its result. */
export async function call(cli: Cli, flags: CallFlags, first: string, ...words: string[]): Promise<void> {
  const format = formatOf(flags)
  const { typed, argumentsFor } = await readCall(cli, flags, first, words)
  await withHost(
    cli,
    { ...flags, json: format === 'json' },
    async (context) => {
      const { output } = context
      const called = await typed(context.host)
      const { tool, view } = await findTool(context, flags, called).catch(async (error: unknown) => {
        await auditMissing(error, { called, argumentsFor, agent: flags.agent }, context)
        throw error
      })
      // Check the folder before the call: a result that cannot be saved would be lost.
      if (flags.output !== undefined) makeFolder(flags.output, startOf(cli))
      const args = argumentsFor(tool.inputSchema)
      const record = recorderOf(cli, tool, args, context)
      const result = await run(tool, view, args, context).catch(async (error: unknown) => {
        await record({ error })
        throw error
      })
      if (result.rpcError) await record({ result })
      refuseError(result, tool)
      const saved =
        flags.output === undefined
          ? new Map<number, string>()
          : saveBlobs(result.blocks, flags.output, tool.tool, { start: startOf(cli) })
      const shown =
        tool.app === undefined
          ? undefined
          : await viewOf(cli, flags, { app: tool.app, call: await record({ result }) })
      show(result, saved, shown, format, context)
      if (tool.app === undefined) await record({ result })
      if (shown) output.note(drawView(shown))
      if (result.findings) output.warn(markSentence(tool.ref, result.findings))
      if (saved.size > 0 && format !== 'text') for (const file of saved.values()) output.note(`Saved ${file}`)
      if (!result.failed) return
      setExit(cli, 'refused')
      output.note(`"${tool.tool}" reported a failure.`)
    },
    { mayAsk: true },
  )
}

/** A call of a tool that is held or that there is none of is a call, too: the audit trail has a row of it. */
async function auditMissing(
  error: unknown,
  { called, argumentsFor, agent }: MissingCall,
  { host }: HostContext,
): Promise<void> {
  if (!(error instanceof HostError) || error.code === 'usage') return
  const tool = typeof called === 'string' ? called : toRef(called.server, called.tool)
  await host.auditRefused({ tool, args: withoutSchema(argumentsFor), error, agent })
}

interface MissingCall {
  readonly called: TypedTool
  readonly argumentsFor: ArgumentsFor
  readonly agent: string | undefined
}

function withoutSchema(argumentsFor: ArgumentsFor): JsonObject {
  try {
    return argumentsFor({})
  } catch {
    return {}
  }
}

/** Keeps the call where calls are kept, for the timeline of the page. */
function recorderOf(
  cli: Cli,
  { ref }: Tool,
  args: JsonObject,
  { host }: HostContext,
): (outcome: EndedCall['outcome']) => Promise<string | undefined> {
  const began = performance.now()
  const by = cli.isProgram ? 'program' : 'terminal'
  const place = nodePlatform(cli.platform)
  return (outcome) =>
    recordCall({ ref, args, by, ms: Math.round(performance.now() - began), outcome }, host, place)
}

async function run(tool: Tool, view: View, args: JsonObject, context: HostContext): Promise<CallResult> {
  const { host, waitLine } = context
  const label = `${tool.server}: ${tool.tool}`
  waitLine.awaitServers(host.servers().filter(({ name }) => name === tool.server))
  waitLine.show(label)
  try {
    return await view.call(tool.ref, args, {
      ...callOptions(context),
      isWhole: true,
      onProgress: (progress) => waitLine.showProgress(label, progress),
    })
  } catch (error) {
    // Cancelling the question is not a denial: exit as cancelled.
    throw error instanceof HostError && error.cause instanceof EarlyExit ? error.cause : error
  }
}

export type ArgumentsFor = (schema: JsonObject) => JsonObject

export interface CallWords {
  /** The tool; which word is a server is known when the host is open. */
  readonly typed: (host: Host) => Promise<TypedTool>
  readonly argumentsFor: ArgumentsFor
}

/** `TOOL key=value…`, and the forms of other tools: `SERVER TOOL key=value…`, `server.tool(key: "value")`. */
async function readCall(
  cli: Cli,
  flags: CallFlags,
  first: string,
  words: readonly string[],
): Promise<CallWords> {
  if (cli.isProgram)
    return {
      typed: async () => fromRef(first) ?? first,
      argumentsFor: await readArguments(cli, flags, words),
    }
  const [second] = words
  const isPair = second !== undefined && !isArgument(second)
  if (first.includes('('))
    return (await import('./call-expression.ts')).readExpression(first, words, flags.args)
  const argumentsFor = await readArguments(cli, flags, isPair ? words.slice(1) : words)
  if (!isPair) return { typed: async () => first, argumentsFor }
  const { toPair } = await import('./call-pair.ts')
  return { typed: (host) => toPair(host, first, second), argumentsFor }
}

/** Whether a word is one of the forms of arguments. */
function isArgument(word: string): boolean {
  return word === '-' || word.trimStart().startsWith('{') || /^[^=]+=/.test(word)
}

/** `--json '{…}'`, `'{…}'`, `-`, or `key=value …`. */
async function readArguments(cli: Cli, flags: CallFlags, words: readonly string[]): Promise<ArgumentsFor> {
  const { args } = flags
  const [first = ''] = words
  const isWhole = words.length === 1 && (first === '-' || first.trimStart().startsWith('{'))
  if (args !== undefined && words.length > 0) throw usage('The arguments were given twice.')
  const text = args ?? (isWhole ? first : undefined)
  if (text !== undefined) {
    const read = parseObject(text === '-' ? await readInput(cli) : text, 'The arguments')
    return () => read
  }
  const pairs = parsePairs(words, folderOf(cli, flags))
  return (schema) => toArguments(pairs, schema)
}

async function readInput(cli: Cli): Promise<string> {
  const { stdin } = cli.process
  if (isInteractive(cli))
    cli.process.stderr.write('Enter the arguments as a JSON object, then press Ctrl-D:\n')
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) text += String(chunk)
  return text
}

/** Throws if the server rejected the request instead of running the tool. */
function refuseError({ rpcError }: CallResult, { server }: Tool): void {
  if (!rpcError) return
  const data = { server, method: 'tools/call', error: rpcError }
  throw new HostError('request.refused', data, `"${server}" answered: ${rpcError.message}`)
}

/** The view of a result, and where it is shown. */
interface ShownView {
  readonly app: string
  /** Absent where no calls are kept. */
  readonly call?: string
  readonly page?: string
}

async function viewOf(
  cli: Cli,
  flags: CallFlags,
  { app, call }: { readonly app: string; readonly call: string | undefined },
): Promise<ShownView> {
  if (call === undefined) return { app }
  const { addressOfPage } = await import('../../../server/call-link.ts')
  const page = await addressOfPage(discoverOptions(cli, flags))
  return { app, call, ...(page !== undefined && { page }) }
}

function documentOf({ app, call, page }: ShownView): JsonObject {
  return {
    app,
    ...(call !== undefined && { call }),
    ...(call !== undefined && page !== undefined && { address: callAddress(page, call) }),
  }
}

function drawView({ call, page }: ShownView): string {
  if (call === undefined) return 'This result has a view, which plugboard serve shows.'
  return `This result has a view: ${viewPlace(call, page)}`
}

function show(
  result: CallResult,
  saved: SavedFiles,
  view: ShownView | undefined,
  format: Format,
  { output }: HostContext,
): void {
  if (format === 'raw') return output.bytes(bytesOfResult(result), () => drawResult(result, saved))
  const files = saved.size === 0 ? {} : { saved: [...saved.values()] }
  const draw = format === 'markdown' ? drawMarkdown : drawResult
  output.result(
    { ...toProtocol(result), ...files, ...(view && { view: documentOf(view) }), ...findingsOf(result) },
    () => draw(result, saved),
  )
}

/** Beside the result, not in it: programs parse the content. */
function findingsOf({ findings }: CallResult): Pick<CallResult, 'findings'> {
  return findings ? { findings } : {}
}
