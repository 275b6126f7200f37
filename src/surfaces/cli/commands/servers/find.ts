import { searchRegistry } from '../../../../internal.ts'
import type { ListedServer } from '../../../../internal.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Column } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { wrap } from '../../../terminal/width.ts'
import { outputOf, worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { usage } from '../../errors.ts'

export interface FindFlags extends CommonFlags {
  readonly limit?: number
  /** Milliseconds. */
  readonly timeout?: number
}

/** Searches the registry. Nothing is added or started. */
export async function find(cli: Cli, flags: FindFlags, ...given: string[]): Promise<void> {
  const output = outputOf(cli, flags)
  const words = given.flatMap((word) => word.split(/\s+/)).filter((word) => word !== '')
  if (words.length === 0) throw usage('Say what to find: plugboard find WORDS')
  const { limit = 20, timeout } = flags
  const found = await cli.signals.guard(
    ({ signal }) => searchRegistry(words, { limit, signal, timeoutMs: timeout, ...worldOf(cli, flags) }),
    { timeoutMs: timeout, graceMs: 500 },
  )
  const servers = found.servers.map(({ isLatest: _newest, ...shown }) => shown)
  if (flags.json || servers.length > 0)
    output.result({ ...found, servers }, (canvas) => draw(found.servers, canvas))
  if (servers.length === 0) output.note(nothingFound(words))
  else {
    const more = found.hasMore ? ` There are more: use --limit, or further words.` : ''
    output.note(
      `Add one: plugboard add --from registry:NAME. The registry knows who published a server; it does not review it.${more}`,
    )
  }
  return output.flush()
}

/** Registries search names only, so a server may exist under a name without the words. */
function nothingFound(words: readonly string[]): string {
  const [first = ''] = words
  if (words.length === 1)
    return `No server of the registry has "${first}" in its name. Only names are searched.`
  const all = words.map((word) => `"${word}"`).join(', ')
  return `No server of the registry has one of ${all} in its name, and the others in its name, title or description.`
}

/** What a row needs beside the name; with less, each server has a block of lines. */
const besideName = 40

function draw(servers: readonly ListedServer[], canvas: Canvas): string {
  const { width, style } = canvas
  const longest = Math.max(...servers.map(({ name }) => name.length))
  if (width !== undefined && longest + besideName > width) return drawBlocks(servers, width, canvas)
  const columns: readonly Column<ListedServer>[] = [
    { title: 'NAME', value: ({ name }) => name, fit: 'essential', paint: (text) => style.bold(text) },
    { title: 'VERSION', value: ({ version }) => version, fit: { shrinkTo: 7 } },
    { title: 'RUNS AS', value: ({ ways }) => ways.join(', '), fit: { shrinkTo: 6 } },
    {
      title: 'DESCRIPTION',
      value: describe,
      fit: { shrinkTo: 16 },
      paint: (text, { status }) => (status === 'deprecated' ? style.yellow(text) : text),
    },
  ]
  return renderTable(columns, servers, { width, paintTitle: (text) => style.dim(text) })
}

/** Names stay whole, because they are typed again. */
function drawBlocks(servers: readonly ListedServer[], width: number, { style }: Canvas): string {
  const blocks = servers.map((server) => {
    const about = escapeLine(
      [server.version, server.ways.join(', ')].filter((part) => part !== '').join(' · '),
    )
    const lines = [about, escapeLine(describe(server))].flatMap((text) => wrap(text, Math.max(20, width - 2)))
    return [style.bold(escapeLine(server.name)), ...lines.map((line) => `  ${line}`)].join('\n')
  })
  return blocks.join('\n')
}

function describe({ status, statusMessage, title, description }: ListedServer): string {
  const about = description === '' ? (title ?? '') : description
  if (status !== 'deprecated') return about
  return `deprecated${statusMessage === undefined ? '' : `: ${statusMessage}`} · ${about}`
}
