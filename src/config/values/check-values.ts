import type { Diagnostic, DiagnosticCode, Place, Severity } from '../../model/diagnostic.ts'
import type { Server } from '../../model/server.ts'
import type { Env, Files } from '../../platform/platform.ts'
import type { Part, ValueRules } from '../../sources/entries/template.ts'
import type { ValueSource, World } from '../../sources/source.ts'
import { envFilePath, resolveEnvFile } from './preview-values.ts'
import { unexpandedPlaceholders } from './unexpanded-placeholders.ts'
import {
  locatorOf,
  mayHoldPlaceholder,
  mayHoldPlaceholders,
  partsOf,
  valueSites,
  variableIn,
} from './value-sites.ts'
import type { ValueSite } from './value-sites.ts'

/**
 * Reports what a server's values need and do not have (unset variables, unanswered inputs), and which commands and files
 * they use. Looks at names only, never at values.
 */
export function checkValues(server: Server, rules: ValueRules, env: Env): readonly Diagnostic[] {
  const checksPlainText = rules.syntaxes.includes('env-name')
  if (!mayHoldPlaceholders(server) && !checksPlainText) return []
  const sites = valueSites(server, rules)
    .filter(({ value }) => checksPlainText || mayHoldPlaceholder(value))
    .map((site) => ({ ...site, parts: partsOf(site, rules) }))
  const subject = { server, locate: locatorOf(server) }
  const found = sites.flatMap((site) => checkSite(subject, site))
  const missing = isChecked(server, rules) ? missingVariables(subject, sites, rules, env) : []
  return [...found, ...missing, ...unexpandedPlaceholders(server, rules, subject.locate)]
}

/** The server under check, and a locator for its texts. */
interface Subject {
  readonly server: Server
  readonly locate: (site: ValueSite) => Place
}

interface ParsedSite extends ValueSite {
  readonly parts: readonly Part[]
}

/** An entry that its own flag disables may lack variables; one disabled elsewhere is still checked. */
function isChecked(server: Server, rules: ValueRules): boolean {
  return server.enabled || server.disabledBy !== undefined || rules.checkDisabled === true
}

function checkSite(subject: Subject, site: ParsedSite): readonly Diagnostic[] {
  return site.parts.flatMap((part) => {
    const finding = describePart(part, subject.server)
    return finding ? [diagnose(subject, site, ...finding)] : []
  })
}

function describePart(part: Part, server: Server): [DiagnosticCode, Severity, string] | undefined {
  switch (part.kind) {
    case 'file':
      return ['reads-file', 'warn', `The value is read from ${part.path}.`]
    case 'command':
      return part.text.startsWith('$(')
        ? ['runs-command', 'error', `The value runs "${part.command}" in a shell when the server starts.`]
        : ['runs-command', 'warn', `The value runs "${part.command}" when the server starts.`]
    case 'scheme':
      return [
        'unresolvable-scheme',
        'warn',
        `No resolver for ${part.scheme}: is available; the value stays as it is.`,
      ]
    case 'input':
      return server.inputs?.some(({ id }) => id === part.id)
        ? undefined
        : ['needs-input', 'warn', `The input "${part.id}" needs an answer from a person.`]
    case 'text':
    case 'literal':
    case 'env':
    case 'name':
    case 'secret':
    case 'keychain':
      break
  }
  return undefined
}

function missingVariables(
  subject: Subject,
  sites: readonly ParsedSite[],
  rules: ValueRules,
  env: Env,
): readonly Diagnostic[] {
  const missing = sites.flatMap((site) => {
    const names = site.parts.flatMap((part) =>
      isMissing(part, subject.server, rules, env) ? [part.name] : [],
    )
    return names.length > 0 ? [{ site, names: [...new Set(names)] }] : []
  })
  const inAuth = missing.filter(({ site }) => site.field === 'auth')
  const rest = missing.filter(({ site }) => site.field !== 'auth')
  const single = (inAuth.length === 1 ? [...rest, ...inAuth] : rest).map(({ site, names }) =>
    diagnose(subject, site, 'missing-env', 'warn', unsetMessage(names, rules)),
  )
  return inAuth.length > 1 ? [...single, missingTogether(subject, inAuth, rules)] : single
}

function isMissing(part: Part, server: Server, rules: ValueRules, env: Env): part is Part & { kind: 'env' } {
  if (part.kind !== 'env' || part.fallback !== undefined) return false
  const visible = rules.only === undefined || rules.only.test(part.name)
  if (visible && variableIn(env, part.name) !== undefined) return false
  return server.transport.secretEnv?.includes(part.name) !== true
}

/** Several missing parts of one login give a single diagnostic, placed at the object that holds them. */
function missingTogether(
  { server, locate }: Subject,
  parts: readonly { site: ValueSite; names: readonly string[] }[],
  rules: ValueRules,
): Diagnostic {
  const names = parts.flatMap((part) => part.names)
  const [place] = parts.map(({ site }) => locate(site))
  const pointer = place?.pointer ?? server.origin.pointer
  const declared = server.declared.find(({ origin }) => origin.file === place?.file)
  return {
    code: 'missing-env',
    severity: 'warn',
    message: unsetMessage(names, rules),
    hint: `Set ${names.join(', ')}.`,
    server: server.name,
    origin: declared?.placeOf(pointer.slice(0, pointer.lastIndexOf('/'))) ?? server.origin,
  }
}

function unsetMessage(names: readonly string[], rules: ValueRules): string {
  const verb = names.length > 1 ? 'are' : 'is'
  const then = rules.needsVariables
    ? `the server does not start without ${names.length > 1 ? 'them' : 'it'}`
    : { keep: 'the text stays as it is', empty: 'it becomes empty', omit: 'the value is left out' }[
        rules.unset
      ]
  return `${names.join(' and ')} ${verb} not set; ${then}.`
}

function diagnose(
  { server, locate }: Subject,
  site: ValueSite,
  code: DiagnosticCode,
  severity: Severity,
  message: string,
): Diagnostic {
  return { code, severity, message, server: server.name, origin: locate(site) }
}

/**
 * Reports an envFile that does not exist, when every other value of the server resolves, and the variables of it that are
 * ignored (T53).
 */
export async function checkEnvFile(
  server: Server,
  source: ValueSource,
  world: World,
  files: Files,
  granted?: readonly string[],
): Promise<readonly Diagnostic[]> {
  const { name, transport } = server
  if (transport.kind !== 'stdio' || transport.envFile === undefined) return []
  const path = await envFilePath(server, source, world, granted)
  if (path === undefined) return []
  const origin = locatorOf(server)({ field: 'envFile', key: 'envFile', value: transport.envFile })
  const report = (code: DiagnosticCode, message: string, hint?: string): readonly Diagnostic[] => [
    { code, severity: 'warn', message, ...(hint !== undefined && { hint }), server: name, origin },
  ]
  if (!(await files.stat(path))) {
    const shown = await resolveEnvFile(server, source, world, granted)
    return shown === undefined ? [] : report('env-file-missing', `The envFile ${shown} does not exist.`)
  }
  const { readVariables, splitLoaders } = await import('./env-file.ts')
  const { ignored } = splitLoaders((await readVariables(path, files)) ?? {}, transport)
  if (ignored.length === 0) return []
  return report(
    'env-file-ignored',
    `${ignored.join(', ')} of the envFile ${transport.envFile} ${ignored.length > 1 ? 'are' : 'is'} ignored: such a variable decides what programs load or run.`,
    'Write it under "env" of the entry if the server needs it.',
  )
}
