import { surveySources, setSourceEnabled } from '../../../../config.ts'
import type { SurveyedSource } from '../../../../config.ts'
import { HostError } from '../../../../index.ts'
import type { Diagnostic } from '../../../../index.ts'
import { toListedDiagnostics } from '../../../../internal.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { notClients } from '../../arguments/positionals.ts'
import { exitIfFilesBroken } from '../../broken-files.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli, CommonFlags, Scope } from '../../command-context.ts'
import { discoverFor, discoverOptions, isDamage, isInScope } from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import { drawProblems } from '../../output/draw.ts'

export interface SourcesFlags extends CommonFlags {
  readonly all?: boolean
}

/** Lists the clients whose files were found, what they declare, and whether they are used. */
export async function sources(cli: Cli, flags: SourcesFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const surveyed = (await surveySources(discoverOptions(cli, flags))).map((source) =>
    narrowSource(source, flags.scope),
  )
  const shown = flags.all ? surveyed : surveyed.filter(isOfInterest)
  output.result({ sources: shown.map(toJson) }, (canvas) => draw(shown, canvas))
  const problems = withoutRepeats(shown.flatMap(({ diagnostics }) => diagnostics))
  const broken = problems.filter(({ severity }) => severity === 'error')
  for (const line of drawProblems(broken, output.notes)) output.note(line)
  const inUse = shown.filter(({ use }) => use !== 'off').flatMap(({ diagnostics }) => diagnostics)
  exitIfFilesBroken(cli, inUse)
  if (!flags.json) for (const line of nextSteps(shown)) output.note(line)
  await output.flush()
}

/** Only the default preset uses clients that were turned on. */
function nextSteps(shown: readonly SurveyedSource[]): readonly string[] {
  if (!shown.some(({ id, use }) => id === 'plugboard' && use === 'own')) return []
  const off = shown.find(
    ({ use, servers, files }) =>
      use === 'off' && servers.length > 0 && files.some(({ found, own }) => found && own),
  )
  return off ? [`Use a client’s servers: plugboard sources enable ${off.id}`] : []
}

/** In use, or with a file of its own: a file shared by many clients would add a row for each of them. */
function isOfInterest({ use, files }: SurveyedSource): boolean {
  return use !== 'off' || files.some(({ found, own }) => found && own)
}

function narrowSource(source: SurveyedSource, scope: Scope | undefined): SurveyedSource {
  return { ...source, servers: source.servers.filter((server) => isInScope(server, scope)) }
}

/** Reports a problem once, even if several clients read the same file. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>()
  return diagnostics.filter(({ code, server, origin }) => {
    const place = JSON.stringify([code, server, origin?.file, origin?.pointer, origin?.line])
    return !seen.has(place) && Boolean(seen.add(place))
  })
}

export async function enableSource(cli: Cli, flags: CommonFlags, id: string): Promise<void> {
  await switchSource(cli, flags, id, true)
}

export async function disableSource(cli: Cli, flags: CommonFlags, id: string): Promise<void> {
  await switchSource(cli, flags, id, false)
}

async function switchSource(cli: Cli, flags: CommonFlags, id: string, on: boolean): Promise<void> {
  if (flags.scope === 'project') throw usage('Clients are turned on per user, not per project.')
  checkClient(id, on)
  const output = outputOf(cli, flags)
  const { changed, file } = await setSourceEnabled(id, on, discoverOptions(cli, flags)).catch(
    (error: unknown) => throwDamage(cli, error, flags),
  )
  const word = on ? 'on' : 'off'
  output.result({ source: id, use: word, changed, file }, ({ path }) =>
    changed ? `${id} is now ${word} (${path(file)}).` : `${id} was already ${word}.`,
  )
  await output.flush()
}

/** Only turning on is restricted: an unsuitable source in the settings can still be turned off. */
export function checkClient(id: string, on: boolean): void {
  if (id === 'plugboard') throw usage('plugboard is always on: it reads your own files.')
  if (!on || !notClients.includes(id)) return
  const message = `${id} is not a client: its files are read only where you name them.`
  throw usage(message, 'To add from a file: plugboard add --from FILE')
}

/** Damaged settings are not overwritten; the error names the file and the problem. */
async function throwDamage(cli: Cli, error: unknown, flags: CommonFlags): Promise<never> {
  const { diagnostics } = await discoverFor(cli, flags)
  const damage = diagnostics.find((found) => found.code === 'settings-invalid' && isDamage(found))
  if (damage?.origin === undefined) throw error
  const { file, line } = damage.origin
  const place = line === undefined ? file : `${file}:${line}`
  throw new HostError('store.damaged', { file }, `${place}: ${damage.message}`, {
    cause: error,
    hint: 'Repair the file or remove it; until then nothing is written.',
  })
}

function draw(rows: readonly SurveyedSource[], { style, width, path }: Canvas): string {
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
      {
        title: 'FILES',
        value: ({ files }) =>
          files
            .filter(({ found }) => found)
            .map(({ file }) => path(file))
            .join(', '),
        fit: { shrinkTo: 14 },
        paint: style.dim,
      },
    ],
    rows,
    { width, paintTitle: style.dim },
  )
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
    diagnostics: toListedDiagnostics(diagnostics),
  }
}
