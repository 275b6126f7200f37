import { initialAnswer } from '../../../model/answers.ts'
import { isObject } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import { DocumentCheck } from '../document-check.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Path } from '../../formats/doc.ts'
import { readPackage, readRemote, transportWithout } from './server-json-choices.ts'
import type { Choice } from './server-json-choices.ts'
import { isVersionRange, reportKeys, reportOldKeys, textIn } from './server-json-keys.ts'
import { Report, originIn, placeIn } from '../../source.ts'
import type { OpenFile, Source } from '../../source.ts'
import { usableRoot } from '../../entries/server-tables.ts'
import { toServer } from '../../entries/to-server.ts'

/** The registry's description of a server: a template with one entry for each way to run the server. */
export const registryServerJson: Source = {
  id: 'registry-server-json',
  title: 'MCP registry server.json',
  read(files) {
    const report = new Report()
    const servers = files.flatMap((file) => {
      const root = usableRoot(file, 'strict', report)
      const drafts = root ? readServerJson(file, root, new DocumentCheck(file, report)) : []
      return drafts.flatMap((draft) => toServer(draft, report) ?? [])
    })
    return { servers, shadowed: [], diagnostics: report.diagnostics }
  },
  valuesOf: ({ inputs = [] }) => ({
    syntaxes: ['curly'],
    unset: 'keep',
    names: Object.fromEntries(inputs.map(({ id }) => [id, undefined])),
  }),
  leaveOut(server, isLeftOut) {
    const [declared] = server.declared
    if (!declared) return server
    return { ...server, transport: transportWithout(server.transport, declared.entry, isLeftOut) }
  },
}

function readServerJson(file: OpenFile, root: JsonObject, check: DocumentCheck): readonly Draft[] {
  checkTop(root, check)
  const choices = [
    ...listIn(root, 'packages', check).flatMap(([item, path]) => readPackage(item, path, check.fork()) ?? []),
    ...listIn(root, 'remotes', check).flatMap(([item, path]) => readRemote(item, path, check.fork()) ?? []),
  ]
  if (root['packages'] === undefined && root['remotes'] === undefined) {
    check.fail('missing-endpoint', 'There are neither packages nor remotes, so this server cannot run.')
  }
  if (check.failed) return []
  reportChoices(choices, check)
  return choices.map((choice) => toDraft(file, root, choice))
}

const topKeys = [
  ['$schema', 'name', 'title', 'description', 'version', 'websiteUrl', 'repository', 'icons'],
  ['packages', 'remotes', '_meta'],
].flat()

function checkTop(root: JsonObject, check: DocumentCheck): void {
  const required = ['name', 'description', 'version']
  const missing = required.filter((key) => root[key] === undefined || root[key] === null)
  check.failMissing(missing)
  for (const key of required.filter((key) => !missing.includes(key) && typeof root[key] !== 'string')) {
    check.fail('wrong-type', `"${key}" must be a string.`, [key])
  }
  const { name, description, version } = root
  if (typeof name === 'string' && !isName(name)) {
    check.fail('invalid-name', 'The name must be a reversed domain, a slash and a name.', ['name'])
  }
  if (typeof description === 'string' && (description === '' || description.length > 100)) {
    check.fail('out-of-range', 'The description must be 1 to 100 characters long.', ['description'])
  }
  if (typeof version === 'string' && isVersionRange(version)) {
    check.fail('version-range', 'The version must be exact.', ['version'])
  }
  if (root['status'] !== undefined) {
    check.report('deprecated-key', 'warn', 'status is no longer part of server.json; it is ignored.', [
      'status',
    ])
  }
  reportKeys(root, [], [...topKeys, 'status'], check)
  const { packages: _packages, remotes: _remotes, _meta, ...own } = root
  reportOldKeys(own, [], check)
}

function isName(name: string): boolean {
  return (
    /^[a-zA-Z0-9.-]+\/[._-]*[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name) && name.length >= 3 && name.length <= 200
  )
}

function listIn(
  root: JsonObject,
  key: string,
  check: DocumentCheck,
): readonly (readonly [JsonObject, Path])[] {
  const list = root[key]
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    check.fail('wrong-type', `"${key}" must be a list.`, [key])
    return []
  }
  return (list as readonly Json[]).flatMap((item, index) => {
    if (isObject(item)) return [[item, [key, index]] as const]
    check.fork().fail('wrong-type', 'The item must be an object.', [key, index])
    return []
  })
}

function reportChoices(choices: readonly Choice[], check: DocumentCheck): void {
  const open = choices.flatMap(({ inputs }) =>
    inputs.filter((input) => input.required && initialAnswer(input) === undefined).map(({ id }) => id),
  )
  if (open.length > 0) {
    const ids = [...new Set(open)].join(', ')
    check.report('needs-input', 'warn', `${ids} must be entered before this server can be used.`)
  }
  if (choices.length > 1) {
    check.report(
      'multiple-choices',
      'info',
      `There are ${choices.length} ways to run this server; choose one.`,
    )
  }
}

/** The last part of the name, from its first letter or digit on: `-x` would be read as an option of commands. */
function serverName(root: JsonObject): string {
  return textIn(root, 'name').replace(/^.*\/[._-]*/s, '')
}

function toDraft(file: OpenFile, root: JsonObject, choice: Choice): Draft {
  const { pointer, entry, inputs, ...endpoint } = choice
  const origin = originIn('registry-server-json', file, pointer)
  const { title, description } = root
  return {
    name: serverName(root),
    file,
    origin,
    declared: [{ origin, entry, placeOf: (at) => placeIn(file, at) }],
    refused: false,
    timeouts: {},
    extra: {},
    ...endpoint,
    ...(inputs.length > 0 && { inputs }),
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  }
}
