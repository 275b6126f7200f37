import { surveySources, turnSource } from '../../../config.ts'
import type { SurveyedSource } from '../../../config.ts'
import type { Canvas } from '../../terminal/output.ts'
import { renderTable } from '../../terminal/table.ts'
import { discoverOptions, outputOf } from '../context.ts'
import type { Cli, CommonFlags } from '../context.ts'
import { drawProblems, shortPath } from '../draw.ts'

export interface SourcesFlags extends CommonFlags {
  readonly all?: boolean
}

/** Every client whose files were found, what they declare, and whether it is used. */
export async function sources(this: Cli, flags: SourcesFlags): Promise<void> {
  const output = outputOf(this, flags)
  const all = await surveySources(discoverOptions(flags))
  const shown = flags.all
    ? all
    : all.filter(({ files, use }) => use !== 'off' || files.some(({ found }) => found))
  output.result(flags.json ? shown.map(toJson) : shown, (rows, canvas) =>
    draw(rows as readonly SurveyedSource[], canvas),
  )
  const broken = shown
    .flatMap(({ diagnostics }) => diagnostics)
    .filter(({ severity }) => severity === 'error')
  for (const line of drawProblems(broken, output.notes)) output.note(line)
  const off = shown.find(({ use, servers }) => use === 'off' && servers.length > 0)
  if (off && !flags.json) output.note(`Use a client’s servers: plugboard sources enable ${off.id}`)
  await output.flush()
}

export async function enableSource(this: Cli, flags: CommonFlags, id: string): Promise<void> {
  await turn(this, flags, id, true)
}

export async function disableSource(this: Cli, flags: CommonFlags, id: string): Promise<void> {
  await turn(this, flags, id, false)
}

async function turn(cli: Cli, flags: CommonFlags, id: string, on: boolean): Promise<void> {
  const output = outputOf(cli, flags)
  const { changed, file } = await turnSource(id, on, discoverOptions(flags))
  const word = on ? 'on' : 'off'
  output.result({ source: id, use: word, changed, file }, () =>
    changed ? `${id} is now ${word} (${shortPath(file)}).` : `${id} was already ${word}.`,
  )
  await output.flush()
}

function draw(rows: readonly SurveyedSource[], { style, width }: Canvas): string {
  return renderTable<SurveyedSource>(
    [
      { title: 'SOURCE', value: ({ id }) => id, fit: 'essential', paint: style.bold },
      {
        title: 'USED',
        value: ({ use }) => (use === 'own' ? 'always' : use),
        paint: (text, { use }) => (use === 'off' ? style.dim(text) : style.green(text)),
      },
      { title: 'SERVERS', value: ({ servers }) => String(servers.length), align: 'right' },
      {
        title: 'NAMES',
        value: ({ servers }) => servers.map(({ name }) => name).join(', '),
        fit: { shrinkTo: 10 },
      },
      { title: 'FILES', value: filesOf, fit: { shrinkTo: 14 }, paint: style.dim },
    ],
    rows,
    { width, paintTitle: style.dim },
  )
}

function filesOf({ files }: SurveyedSource): string {
  return files
    .filter(({ found }) => found)
    .map(({ file }) => shortPath(file))
    .join(', ')
}

function toJson({ id, title, use, files, servers, diagnostics }: SurveyedSource): Record<string, unknown> {
  return {
    id,
    title,
    use,
    files,
    servers: servers.map(({ name, enabled, origin }) => ({
      name,
      enabled,
      file: origin.file,
      scope: origin.scope,
    })),
    diagnostics: diagnostics.map(({ code, severity, message, server, origin }) => ({
      code,
      severity,
      message,
      server,
      ...origin,
    })),
  }
}
