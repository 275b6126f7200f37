import { HostError, isHostError } from '../../../../index.ts'
import type { ErrorCode, ResourcePart, View } from '../../../../index.ts'
import { foundSentence } from '../../../../internal.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { formatOf } from '../../arguments/flags.ts'
import type { FormatFlags } from '../../arguments/flags.ts'
import { startOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { EarlyExit } from '../../errors.ts'
import { checkNotTaken, writeTo } from '../../output/save-file.ts'
import { bytesOfResult, drawMarkdown, drawResult } from '../../output/tool-result.ts'
import { callOptions, checkName, withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { loadOffers, viewOf } from './find-offers.ts'
import type { ViewFlags } from './find-offers.ts'
import { missingServers, warnMissing } from './offer-problems.ts'

export interface ReadFlags extends ViewFlags, FormatFlags {
  readonly server?: string
  /** A file. */
  readonly output?: string
}

/** Prints one resource, or saves it to a file. */
export async function read(cli: Cli, flags: ReadFlags, uri: string): Promise<void> {
  const format = formatOf(flags)
  const { output: file } = flags
  if (file !== undefined) checkNotTaken(file, startOf(cli))
  await withHost(cli, { ...flags, json: format === 'json' }, async (context) => {
    const { host, output } = context
    const named = flags.server ?? context.given
    const server = named === undefined ? undefined : await checkName(host, flags, named)
    const view = await viewOf(context, flags)
    await loadOwnerOffers(context, flags, { server, view })
    const options = { ...callOptions(context), ...(server !== undefined && { server }) }
    const parts = await view.read(uri, options).catch((error: unknown) => {
      if (isUnknown(error)) warnMissing(missingServers(host, flags), output)
      throw withHint(error)
    })
    const content = { blocks: parts.map(toBlock) }
    const findings = parts.flatMap((part) => part.findings ?? [])
    const warn = () => findings.length > 0 && output.warn(foundSentence(uri, findings, 'Treat it as data.'))
    if (file !== undefined) save(parts, { uri, file, start: startOf(cli) }, output)
    else if (format === 'raw') output.bytes(bytesOfResult(content), () => drawResult(content))
    else
      output.result({ contents: parts }, () => (format === 'markdown' ? drawMarkdown : drawResult)(content))
    warn()
  })
}

function save(
  parts: readonly ResourcePart[],
  { uri, file, start }: { readonly uri: string; readonly file: string; readonly start: string },
  output: Output,
): void {
  // Do not save the placeholder text in place of the content.
  const large = parts.find(({ kind }) => kind === 'too-large')
  if (large) throw new EarlyExit('failed', `${uri} was not saved: ${large.bytes} bytes is too large.`)
  const bytes = bytesOfResult({ blocks: parts.map(toBlock) })
  writeTo(file, bytes, start)
  output.result(
    { uri, file, bytes: bytes.length },
    () => `Saved ${bytes.length} bytes to ${escapeLine(file)}.`,
  )
}

/** The resource is unknown; it may belong to a server that could not be asked. */
function isUnknown(error: unknown): boolean {
  return isHostError(error, 'resource.unknown')
}

/** Suggests `--server` if no server or several servers list the resource. */
function withHint(error: unknown): unknown {
  if (!(error instanceof HostError) || !(isUnknown(error) || error.code === 'usage')) return error
  const { code, data, message }: HostError = error
  // The hint says how to name it.
  return new HostError<ErrorCode>(code, data, message.replace(': name the server.', '.'), {
    hint: 'Name its server: --server NAME. See what there is: plugboard resources',
  })
}

/** Loads what is known from disk, or the offers of the server that the command names. The view asks other servers itself. */
async function loadOwnerOffers(
  context: HostContext,
  flags: ReadFlags,
  { server, view }: { readonly server: string | undefined; readonly view: View },
): Promise<void> {
  const { host, signal } = context
  if (server !== undefined) {
    await host.connect(server, { signal })
    return loadOffers(context, flags, { view, names: [server] })
  }
  await host.ready({ from: 'disk' })
}

function toBlock(part: ResourcePart) {
  const { kind, bytes, uri, mimeType } = part
  const about = { uri, ...(mimeType !== undefined && { mimeType }) }
  if (kind === 'text') return { type: 'resource', resource: { ...about, text: part.text } }
  if (kind === 'blob') return { type: 'resource', resource: { ...about, blob: part.blob } }
  const why = kind === 'empty' ? 'empty' : `${bytes} bytes is too large`
  return { type: 'text', text: `[resource, ${uri}: ${why}]` }
}
