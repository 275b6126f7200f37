import { readJson, setSourceEnabled } from '../../../config.ts'
import { HostError, nodePlatform } from '../../../index.ts'
import type { Diagnostic, Json, JsonObject } from '../../../index.ts'
import { redactText, renameKey, settingKeys } from '../../../internal.ts'
import type { RouteAnswer } from '../../api/api.ts'
import { describeChanges } from '../../facts/file-difference.ts'
import { hideSecrets } from '../../facts/hide-secrets.ts'
import { describePlace } from '../../facts/place-facts.ts'
import { escapeText } from '../../terminal/escape.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { checkHandlers } from './check-handlers.ts'
import { applyChanges } from './apply-changes.ts'
import { boundPart } from '../code-subjects.ts'
import type { CodeSubject } from '../code-subjects.ts'
import { findFile, listFiles, sourceRows, surveyConfig } from './config-files.ts'
import type { ConfigSurvey } from './config-files.ts'
import { describeProblems } from './config-problems.ts'
import { recordOf } from './server-record.ts'
import { shortener } from './shown-paths.ts'

export const configHandlers = {
  ...checkHandlers,

  'GET /api/config': async (context) => {
    const survey = await surveyConfig(context)
    return {
      files: listFiles(survey, context),
      sources: sourceRows(survey, context),
      problems: describeProblems(survey.discovery.diagnostics, context),
      settings: {
        place: describePlace({ file: survey.settings }, shortener(context)),
        values: await readValues(survey, context),
      },
    }
  },

  'GET /api/config/file': async (context, { query }) => {
    const survey = await surveyConfig(context)
    return readConfigFile(query?.file ?? '', survey, context)
  },

  'POST /api/config/fix': async (context, { body }) => {
    const { file, pointer, meant, isDryRun = false } = body
    const survey = await surveyConfig(context)
    findFile(file, survey, context)
    const isKnown = problemsIn(file, survey).some(
      (found) => found.origin?.pointer === pointer && found.meant === meant,
    )
    if (!isKnown)
      throw new HostError('config.conflict', { file }, `There is no such problem in ${file} any more.`, {
        hint: 'Look at the file again. Nothing was written.',
      })
    const options = { ...context.discover, cwd: context.cwd }
    const { changes } = await renameKey(file, { pointer, to: meant }, { ...options, dryRun: true })
    const { changed } = isDryRun ? { changed: false } : await renameKey(file, { pointer, to: meant }, options)
    if (changed) await applyChanges(context.host)
    return { differences: describeChanges(changes, shortener(context)), isWritten: changed }
  },

  'PUT /api/sources/:source': async (context, { params, body }) => {
    const { source: id } = params
    const { checkClient } = await import('../../cli/commands/servers/sources.ts')
    checkClient(id, body.enabled)
    // Only more servers need a person at the terminal: turning a client off starts nothing.
    if (body.enabled)
      context.codes.use({
        request: body.request,
        code: body.code,
        about: { for: 'source', subject: id, about: boundPart(body) } satisfies CodeSubject,
        command: `plugboard sources enable ${id}`,
      })
    await setSourceEnabled(id, body.enabled, { ...context.discover, cwd: context.cwd })
    await applyChanges(context.host)
    const source = sourceRows(await surveyConfig(context), context).find((row) => row.id === id)
    if (source) return { source }
    throw new HostError('source.unknown', { source: id }, `There is no source "${id}".`)
  },
} satisfies Partial<Handlers>

/** Every key of the settings with its value, or null if it is not set. */
async function readValues(
  { settings }: ConfigSurvey,
  { discover }: ServeContext,
): Promise<RouteAnswer<'GET /api/config'>['settings']['values']> {
  // Settings that cannot be read are a problem in the list of problems.
  const found: JsonObject = await readJson(settings, { platform: discover.platform ?? {} }).catch(() => ({}))
  return Object.entries(settingKeys).map(([name, about]) => ({
    name,
    value: hideIn(found[name] ?? null, name),
    about,
  }))
}

function hideIn(value: Json, key: string): Json {
  if (typeof value === 'string') return redactText(value, key)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => hideIn(item, key)) // isArray does not narrow a readonly union
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hideIn(item, name)]))
}

function problemsIn(file: string, { discovery, sources }: ConfigSurvey): readonly Diagnostic[] {
  const here = ({ origin }: Diagnostic) => origin?.file === file
  const inForce = discovery.diagnostics.filter(here)
  if (inForce.length > 0) return inForce
  return sources.find(({ diagnostics }) => diagnostics.some(here))?.diagnostics.filter(here) ?? []
}

async function readConfigFile(
  file: string,
  survey: ConfigSurvey,
  context: ServeContext,
): Promise<RouteAnswer<'GET /api/config/file'>> {
  const row = findFile(file, survey, context)
  const found = await nodePlatform(context.discover.platform).files.readText(file)
  if (found.kind === 'problem') throw new HostError('config.invalid', { file }, found.message)
  const text = found.kind === 'text' ? hideSecrets(found.text) : ''
  const declared = [
    ...survey.discovery.servers,
    ...survey.discovery.shadowed.map(({ server }) => server),
    ...survey.sources.flatMap(({ servers }) => servers),
  ].filter(({ origin }) => origin.file === file)
  const lines = new Map(declared.map(({ name, origin }) => [name, origin.line]))
  const since = recordOf(context).brokenSince.get(file)
  return {
    file: { ...row, isFound: found.kind === 'text' },
    lines: splitLines(text).map((line, at) => ({ number: at + 1, text: escapeText(line) })),
    problems: describeProblems(problemsIn(file, survey), context),
    servers: [...lines].map(([name, line]) => ({ name, line })),
    ...(since !== undefined && { lastGood: { since } }),
  }
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}
