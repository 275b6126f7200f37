import type { Json, OfferedResource, ResourcePart, View } from '../../../index.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Canvas } from '../../terminal/output.ts'
import { renderTable } from '../../terminal/table.ts'
import type { Cli } from '../context.ts'
import { formatOf } from '../format.ts'
import type { FormatFlags } from '../format.ts'
import { learn, viewOf } from '../known.ts'
import type { OfferFlags, ViewFlags } from '../known.ts'
import { showOffers } from '../offers.ts'
import { writeOver } from '../save.ts'
import { bytesOfResult, drawMarkdown, drawResult } from '../tool-result.ts'
import { callOptions, checkName, withHost } from '../with-host.ts'
import type { Opened } from '../with-host.ts'

export interface ReadFlags extends ViewFlags, FormatFlags {
  readonly server?: string
  /** A file. */
  readonly output?: string
}

/** What there is to read: resources, and templates of them. */
export function resources(cli: Cli, flags: OfferFlags, server?: string): Promise<void> {
  return showOffers(cli, flags, { kind: readable, server })
}

const readable = {
  what: 'resources',
  find: (view: View) => view.resources(),
  flat: ({ server, resource }: OfferedResource) => ({ server, ...resource }),
  draw,
} as const

function draw(found: readonly OfferedResource[], { style, width }: Canvas): string {
  return renderTable<OfferedResource>(
    [
      {
        title: 'RESOURCE',
        value: ({ resource }) => textOf(resource['uri'] ?? resource['uriTemplate']),
        fit: 'essential',
        paint: style.bold,
      },
      { title: 'SERVER', value: ({ server }) => server, fit: { shrinkTo: 8 } },
      { title: 'TYPE', value: ({ resource }) => textOf(resource['mimeType']), fit: { shrinkTo: 8 } },
      {
        title: 'NAME',
        value: ({ resource }) => textOf(resource['title'] ?? resource['name']),
        fit: { shrinkTo: 12 },
        paint: style.dim,
      },
    ],
    found,
    { width, paintTitle: style.dim },
  )
}

/** Prints one resource, or puts it into a file. */
export async function read(cli: Cli, flags: ReadFlags, uri: string): Promise<void> {
  const format = formatOf(flags)
  await withHost(cli, { ...flags, json: format === 'json' }, async (opened) => {
    const { host, output } = opened
    const server = flags.server === undefined ? undefined : await checkName(host, flags, flags.server)
    const view = await viewOf(opened, flags)
    await learnOwner(opened, flags, uri, server)
    const parts = await view.read(uri, {
      ...callOptions(opened),
      ...(server !== undefined && { server }),
    })
    const content = { blocks: parts.map(toBlock) }
    if (flags.output !== undefined) {
      const bytes = bytesOfResult(content)
      writeOver(flags.output, bytes)
      const file = flags.output
      return output.result(
        { uri, file, bytes: bytes.length },
        () => `Saved ${bytes.length} bytes in ${escapeLine(file)}.`,
      )
    }
    if (format === 'raw') return output.bytes(bytesOfResult(content), () => drawResult(content))
    output.result({ contents: parts }, () => (format === 'markdown' ? drawMarkdown : drawResult)(content))
    return undefined
  })
}

/** The server that lists it, from disk if possible; without one all are asked. */
async function learnOwner(
  opened: Opened,
  flags: ReadFlags,
  uri: string,
  server: string | undefined,
): Promise<void> {
  const { host, signal } = opened
  if (server !== undefined) {
    await host.connect(server, { signal })
    return learn(opened, flags, [server])
  }
  await host.ready({ from: 'disk' })
  if (!host.resources().some(({ resource }) => resource['uri'] === uri)) await learn(opened, flags)
}

function toBlock(part: ResourcePart) {
  const { kind, bytes, uri, mimeType } = part
  const about = { uri, ...(mimeType !== undefined && { mimeType }) }
  if (kind === 'text') return { type: 'resource', resource: { ...about, text: part.text } }
  if (kind === 'blob') return { type: 'resource', resource: { ...about, blob: part.blob } }
  const why = kind === 'empty' ? 'it is empty' : `${bytes} bytes are too many`
  return { type: 'text', text: `[resource, ${uri}: ${why}]` }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
