import { fromRef, HostError, isHostError, toRef } from '../../../../index.ts'
import type { ErrorCode, Json, PromptMessages, View } from '../../../../index.ts'
import { foundSentence, nearestNames } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { formatOf } from '../../arguments/flags.ts'
import type { FormatFlags, MessageFormat } from '../../arguments/flags.ts'
import { folderOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import { drawMarkdown, drawResult, textOf } from '../../output/tool-result.ts'
import { parsePairs } from '../../arguments/tool-arguments.ts'
import { callOptions, checkName, redactJson, throwIfTimedOut, withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { parseObject } from '../connections/request.ts'
import { loadOffers, loadUntil, viewOf } from './find-offers.ts'
import { slashedPairs } from './find-tool.ts'
import type { ViewFlags } from './find-offers.ts'
import { missingServers, warnMissing } from './offer-problems.ts'

export interface PromptFlags extends ViewFlags, FormatFlags<MessageFormat> {
  readonly args?: string
}

/** Fills in one prompt and prints its messages. */
export async function prompt(cli: Cli, flags: PromptFlags, word: string, ...words: string[]): Promise<void> {
  const format = formatOf(flags)
  const args = readArguments(flags, words, folderOf(cli, flags))
  await withHost(cli, { ...flags, json: format === 'json' }, async (context) => {
    const { host, output } = context
    const view = await viewOf(context, flags)
    const { server, name } = await findPrompt(context, flags, { word, view })
    const found = await view.prompt(server, name, args, callOptions(context)).catch((error: unknown) => {
      throw withHint(error, server)
    })
    const clean = redactJson(found as unknown as Json, host) as unknown as PromptMessages // messages are plain JSON
    output.result(toProtocol(clean), () =>
      drawMessages(clean, format === 'markdown' ? drawMarkdown : drawResult),
    )
    if (clean.findings) output.warn(foundSentence(`The prompt ${toRef(server, name)}`, clean.findings))
  })
}

function readArguments(
  { args }: PromptFlags,
  words: readonly string[],
  folder: string,
): Readonly<Record<string, string>> {
  if (args !== undefined && words.length > 0) throw usage('The arguments were given twice.')
  const whole = args ?? (words.length === 1 && words[0]?.trimStart().startsWith('{') ? words[0] : undefined)
  const pairs: readonly (readonly [string, unknown])[] =
    whole === undefined
      ? parsePairs(words, folder).map(({ key, value }) => [key, String(value)] as const)
      : Object.entries(parseObject(whole, 'The arguments'))
  // Prompt arguments are always strings.
  return Object.fromEntries(
    pairs.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

/** Finds `SERVER/NAME`, or a plain name that only one server offers. */
async function findPrompt(
  context: HostContext,
  flags: PromptFlags,
  { word, view }: { readonly word: string; readonly view: View },
): Promise<{ readonly server: string; readonly name: string }> {
  const { host, signal, given } = context
  const [slashed] = slashedPairs(
    word,
    host.discovery.servers.map(({ name }) => name),
  )
  const ref = slashed ?? fromRef(word) ?? (given === undefined ? undefined : { server: given, tool: word })
  if (ref) {
    const server = await checkName(host, flags, ref.server)
    await host.connect(server, { signal })
    await loadOffers(context, flags, { view, names: [server] })
    return { server, name: ref.tool }
  }
  const isMeant = scopeFilter(host, flags)
  const find = () =>
    view
      .prompts()
      .filter(isMeant)
      .filter(({ prompt: offered }) => offered['name'] === word)
  await loadUntil(() => find().length > 0, context, flags, view)
  const [found, ...others] = find()
  if (found && others.length === 0) return { server: found.server, name: word }
  if (found)
    throw usage(
      `Several servers offer "${word}".`,
      `Choose one: ${[found, ...others].map(({ server }) => toRef(server, word)).join(' or ')}`,
    )
  throwIfTimedOut(context, flags)
  const [held, ...rest] = host
    .held()
    .filter(({ server, offers }) => isMeant({ server }) && offers.some(isPromptNamed(word)))
  // The view says why it is held.
  if (held && rest.length === 0) return { server: held.server, name: word }
  // The prompt may belong to a server that is missing.
  warnMissing(missingServers(host, flags), context.output)
  const near = nearestNames(
    word,
    view
      .prompts()
      .filter(isMeant)
      .map(({ prompt: offered }) => textOf(offered['name'])),
  )
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is: plugboard prompts'
  throw new HostError('prompt.unknown', { prompt: word, near }, `There is no prompt "${word}".`, { hint })
}

function isPromptNamed(word: string) {
  return ({ kind, name }: { readonly kind: string; readonly name: string }) =>
    kind === 'prompt' && name === word
}

function withHint(error: unknown, server: string): unknown {
  const isOurs = isHostError(error, 'call.invalid-args') || isHostError(error, 'prompt.unknown')
  if (!isOurs) return error
  const { code, data, message }: HostError = error
  const near = 'prompt' in data ? data.near.map((name) => toRef(server, name)) : []
  const see = `See ${code === 'prompt.unknown' ? 'what there is' : 'its arguments'}: plugboard prompts ${quote(server)}`
  return new HostError<ErrorCode>(code, data, message, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : see,
  })
}

function toProtocol({ description, messages, findings }: PromptMessages) {
  return {
    ...(description !== undefined && { description }),
    messages: messages.map(({ role, blocks }) => ({
      role,
      content: blocks.length === 1 ? blocks[0] : blocks,
    })),
    ...(findings && { findings }),
  }
}

/** A single user message is printed as it is; several messages are labelled with their roles. */
function drawMessages({ messages }: PromptMessages, draw: typeof drawResult): string {
  const [first] = messages
  if (first?.role === 'user' && messages.length === 1) return draw(first)
  return messages.map(({ role, blocks }) => `${role}: ${draw({ blocks })}`).join('\n\n')
}
