import { dirname, join, sep } from 'node:path'
import { initialAnswer } from '../../../model/answers.ts'
import { isObject } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Input } from '../../../model/server.ts'
import { DocumentCheck } from '../document-check.ts'
import type { Draft } from '../../entries/server-draft.ts'
import { leaveOutValues } from './left-out-values.ts'
import { checkManifest } from './mcpb-manifest.ts'
import { readEntry } from '../../entries/read-entry.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { Report } from '../../source.ts'
import type { OpenFile, Source, World } from '../../source.ts'
import { usableRoot } from '../../entries/server-tables.ts'
import { toServer } from '../../entries/to-server.ts'

const rules: EntryRules = {
  types: {},
  untypedUrl: 'refused',
  untypedUrlNote: {
    code: 'unsupported-transport',
    severity: 'error',
    message: 'A bundle is a local server; it has no url.',
  },
  both: 'command',
  keys: { cwd: null },
  known: ['platform_overrides'],
  checkPins: true,
}

/** The manifest of a bundle: one server, whose inputs the user fills in at installation. */
export const mcpb: Source = {
  id: 'mcpb',
  title: 'MCP bundle',
  read(files, world) {
    const report = new Report()
    const servers = files.flatMap((file) => {
      const manifest = usableRoot(file, 'strict', report)
      const draft = manifest && readManifest(file, manifest, world, report)
      return draft && !draft.refused ? (toServer(draft, report) ?? []) : []
    })
    return { servers, shadowed: [], diagnostics: report.diagnostics }
  },
  valuesOf: (server, { home }) => ({
    syntaxes: ['plugin', 'user-config'],
    unset: 'keep',
    names: bundleNames(server.origin.file, home),
    literalPlaceholders: 'report',
  }),
  leaveOut: leaveOutValues,
}

function readManifest(file: OpenFile, manifest: JsonObject, world: World, report: Report): Draft | undefined {
  const check = new DocumentCheck(file, report)
  const name = checkManifest(manifest, world.os, check)
  if (name === undefined) return undefined
  const { path, value } = configFor(manifest, world)
  const draft = readEntry('mcpb', rules, { name, path, value, file }, report)
  const inputs = readInputs(manifest, check)
  reportLists(draft, inputs, argsPath(manifest, world), check)
  if (inputs.length > 0) draft.inputs = inputs
  return draft
}

/** The entry of a bundle's manifest, for a client that runs bundles itself. */
export function bundleEntry(
  file: OpenFile,
  manifest: JsonObject,
  world: World,
  report: Report,
): { readonly name: string; readonly path: readonly string[]; readonly value: JsonObject } | undefined {
  const name = checkManifest(manifest, world.os, new DocumentCheck(file, report))
  if (name === undefined) return undefined
  const { path, value } = configFor(manifest, world)
  const { platform_overrides: _applied, ...entry } = value
  return { name, path, value: entry }
}

/** Where a bundle's placeholders lead. */
export function bundleNames(manifestFile: string, home: string): Readonly<Record<string, string>> {
  return {
    __dirname: dirname(manifestFile),
    HOME: home,
    DESKTOP: join(home, 'Desktop'),
    DOCUMENTS: join(home, 'Documents'),
    DOWNLOADS: join(home, 'Downloads'),
    pathSeparator: sep,
    '/': sep,
  }
}

/** The configuration for the platform: its overrides replace the common one key by key. */
function configFor(
  manifest: JsonObject,
  { os }: World,
): { readonly path: readonly string[]; readonly value: JsonObject } {
  const server = objectIn(manifest, 'server')
  const config = server['mcp_config']
  if (isObject(config)) {
    return { path: ['server', 'mcp_config'], value: { ...config, ...overridesOf(config, os) } }
  }
  const entryPoint = server['entry_point'] ?? ''
  return {
    path: ['server'],
    value: { command: 'uv', args: ['run', '--directory', '${__dirname}', entryPoint] },
  }
}

function overridesOf(config: JsonObject, os: World['os']): JsonObject {
  return objectIn(objectIn(config, 'platform_overrides'), os)
}

function argsPath(manifest: JsonObject, { os }: World): readonly string[] {
  const overridden =
    overridesOf(objectIn(objectIn(manifest, 'server'), 'mcp_config'), os)['args'] !== undefined
  return ['server', 'mcp_config', ...(overridden ? ['platform_overrides', os] : []), 'args']
}

function readInputs(manifest: JsonObject, check: DocumentCheck): readonly Input[] {
  const inputs = bundleInputs(manifest, check)
  for (const { id } of inputs.filter((each) => each.required && initialAnswer(each) === undefined)) {
    check.report('needs-input', 'warn', `user_config.${id} is required.`, ['user_config', id])
  }
  return inputs
}

/** The values that a person enters for a bundle. */
export function bundleInputs(manifest: JsonObject, check: DocumentCheck): readonly Input[] {
  return Object.entries(objectIn(manifest, 'user_config')).flatMap(([id, option]) => {
    if (!isObject(option)) {
      check.report('wrong-type', 'warn', `user_config.${id} must be an object. It is ignored.`, [
        'user_config',
        id,
      ])
      return []
    }
    const fallback = option['default']
    const input: Input = {
      id,
      ...describeOption(option),
      ...(option['sensitive'] === true && { secret: true }),
      ...(option['required'] === true && { required: true }),
      ...(option['multiple'] === true && { multiple: true }),
      ...(fallback !== undefined && fallback !== null && { default: fallback }),
    }
    return [input]
  })
}

/** Title and description, as a person is asked for the value. */
function describeOption({ title, description }: JsonObject): Pick<Input, 'question'> {
  const texts = [title, description].flatMap((text) =>
    typeof text === 'string' && text !== '' ? [text] : [],
  )
  return texts.length > 0 ? { question: [...new Set(texts)].join(': ') } : {}
}

function reportLists(
  draft: Draft,
  inputs: readonly Input[],
  path: readonly string[],
  check: DocumentCheck,
): void {
  const lists = inputs.filter(({ multiple }) => multiple).map(({ id }) => `\${user_config.${id}}`)
  for (const [index, arg] of (draft.args ?? []).entries()) {
    if (!lists.includes(arg)) continue
    check.report('array-expands', 'info', `${arg} becomes one argument for each value.`, [...path, index])
  }
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  return isObject(value) ? value : {}
}
