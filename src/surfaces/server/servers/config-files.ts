import { surveySources } from '../../../config.ts'
import type { SurveyedSource } from '../../../config.ts'
import { HostError, nodePlatform } from '../../../index.ts'
import type { Diagnostic, Discovery } from '../../../index.ts'
import { settingsFile } from '../../../internal.ts'
import type { ConfigFile, SourceRow } from '../../api/config-routes.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { ServeContext } from '../serve-context.ts'
import { shortener } from './shown-paths.ts'

/** Everything that was found on this machine: what is in force, and what other clients declare. */
export interface ConfigSurvey {
  readonly sources: readonly SurveyedSource[]
  readonly discovery: Discovery
  /** The person's settings. */
  readonly settings: string
  readonly hasSettings: boolean
}

export async function surveyConfig({ host, discover, cwd }: ServeContext): Promise<ConfigSurvey> {
  const platform = nodePlatform(discover.platform)
  const settings = settingsFile(platform)
  return {
    sources: await surveySources({ ...discover, cwd }),
    discovery: host.discovery,
    settings,
    hasSettings: (await platform.files.stat(settings)) !== undefined,
  }
}

/** The files of all clients that are there, those in use first, and the person's own ones that could be there. */
export function listFiles(survey: ConfigSurvey, context: ServeContext): readonly ConfigFile[] {
  const rows = survey.sources.flatMap((source) => filesOf(source, survey, context))
  const known = new Map<string, ConfigFile>()
  for (const row of [...rows.filter((each) => each.isInUse), ...rows])
    if (!known.has(row.file)) known.set(row.file, row)
  const settings = settingsRow(survey, context)
  return [...known.values(), ...(known.has(settings.file) ? [] : [settings])].filter(
    ({ isFound, source, scope }) => isFound || (source === 'plugboard' && scope !== 'managed'),
  )
}

export function sourceRows(survey: ConfigSurvey, context: ServeContext): readonly SourceRow[] {
  return survey.sources.map((source) => ({
    id: source.id,
    title: source.title,
    use: source.use,
    servers: source.servers.length,
    files: filesOf(source, survey, context).filter(({ isFound }) => isFound),
  }))
}

/** Files that several clients read are listed with their owner. */
function filesOf(
  { id, use, files, servers, diagnostics }: SurveyedSource,
  { discovery }: ConfigSurvey,
  context: ServeContext,
): readonly ConfigFile[] {
  const shorten = shortener(context)
  const isInUse = use !== 'off'
  const found = isInUse ? discovery.diagnostics : diagnostics
  return files
    .filter(({ own }) => own)
    .map(({ file, scope, found: isFound }) => ({
      file,
      shown: escapeLine(shorten(file)),
      source: id,
      scope,
      isFound,
      isInUse,
      servers: servers.filter(({ origin }) => origin.file === file).length,
      ...countIn(file, found),
    }))
}

function settingsRow({ settings, hasSettings, discovery }: ConfigSurvey, context: ServeContext): ConfigFile {
  return {
    file: settings,
    shown: escapeLine(shortener(context)(settings)),
    source: 'plugboard',
    scope: 'settings',
    isFound: hasSettings,
    isInUse: true,
    servers: 0,
    ...countIn(settings, discovery.diagnostics),
  }
}

function countIn(file: string, found: readonly Diagnostic[]): Pick<ConfigFile, 'errors' | 'warnings'> {
  const here = found.filter(({ origin }) => origin?.file === file)
  return {
    errors: here.filter(({ severity }) => severity === 'error').length,
    warnings: here.filter(({ severity }) => severity === 'warn').length,
  }
}

/**
 * The row of a file that a person may look at: only what discovery or the survey named. A page that asks for another path
 * learns nothing, not even whether it exists (T37).
 */
export function findFile(file: string, survey: ConfigSurvey, context: ServeContext): ConfigFile {
  const listed = [
    ...listFiles(survey, context),
    ...survey.sources.flatMap((source) => filesOf(source, survey, context)),
  ].find((row) => row.file === file)
  const row = listed ?? declaredRow(file, survey, context)
  if (row) return row
  throw new HostError('config.invalid', { file }, 'No file of this path belongs to the configuration.', {
    hint: 'See: plugboard sources --all',
  })
}

/** A file that a declaration came from but no client's places name, such as one of `--config`. */
function declaredRow(
  file: string,
  { discovery }: ConfigSurvey,
  context: ServeContext,
): ConfigFile | undefined {
  const declared = [...discovery.servers, ...discovery.shadowed.map(({ server }) => server)]
  const origins = declared.flatMap((server) => server.declared.map(({ origin }) => origin))
  const origin = origins.find((each) => each.file === file)
  if (!origin) return undefined
  return {
    file,
    shown: escapeLine(shortener(context)(file)),
    source: origin.source,
    scope: origin.scope,
    isFound: true,
    isInUse: true,
    servers: origins.filter((each) => each.file === file).length,
    ...countIn(file, discovery.diagnostics),
  }
}
