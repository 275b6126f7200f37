import { isObject, toPointer } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { Input, Transport } from '../../../model/server.ts'
import type { DocumentCheck } from '../document-check.ts'
import type { Path } from '../../formats/doc.ts'
import { readPairs, readVariables, requireAnswers, uniqueInputs } from './server-json-inputs.ts'
import type { IsLeftOut } from './server-json-inputs.ts'
import { isPinned, launchOf } from './server-json-launch.ts'
import type { PackageLaunch } from './server-json-launch.ts'
import { nameRules } from './server-json-names.ts'
import { hasKey, isVersionRange, reportKeys, reportOldKeys, textIn } from './server-json-keys.ts'
import { checkAddress, checkContainer, checkRegistry } from './server-json-reach.ts'

/** One way to run a server. */
export interface Choice {
  readonly pointer: string
  readonly entry: JsonObject
  readonly inputs: readonly Input[]
  readonly kind: 'stdio' | 'http' | 'sse'
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

const packageKeys = [
  ['registryType', 'registryBaseUrl', 'identifier', 'version', 'fileSha256', 'transport'],
  ['runtimeHint', 'runtimeArguments', 'packageArguments', 'environmentVariables'],
].flat()

export function readPackage(entry: JsonObject, path: Path, check: DocumentCheck): Choice | undefined {
  reportOldKeys(entry, path, check)
  reportKeys(entry, path, packageKeys, check)
  const required = ['registryType', 'identifier', 'transport']
  check.failMissing(
    required.filter((key) => !hasKey(entry, key)),
    path,
  )
  for (const key of ['registryType', 'identifier']) {
    if (entry[key] === undefined || entry[key] === null || typeof entry[key] === 'string') continue
    check.fail('wrong-type', `"${key}" must be a string.`, [...path, key])
  }
  checkVersion(entry, path, check)
  checkWords(entry, path, check)
  checkRegistry(entry, path, check)
  checkContainer(entry, path, check)
  const transport = readTransport(entry['transport'], [...path, 'transport'], check)
  const launch = check.failed ? undefined : readLaunch(entry, path, check)
  if (!transport || !launch || check.failed) return undefined
  const { values, inputs } = readPairs(entry['environmentVariables'])
  const { command, args } = launch
  return {
    ...transport,
    pointer: toPointer(path),
    entry,
    command,
    args,
    ...(Object.keys(values).length > 0 && { env: values }),
    inputs: uniqueInputs([...launch.inputs, ...inputs, ...transport.inputs]),
  }
}

export function readRemote(entry: JsonObject, path: Path, check: DocumentCheck): Choice | undefined {
  reportOldKeys(entry, path, check)
  reportKeys(entry, path, ['type', 'url', 'headers', 'variables'], check)
  const transport = readTransport(entry, path, check)
  if (transport?.kind === 'stdio') {
    check.fail('unsupported-transport', 'A remote must be streamable-http or sse.', [...path, 'type'])
  }
  if (!transport || check.failed) return undefined
  return { ...transport, pointer: toPointer(path), entry, inputs: uniqueInputs(transport.inputs) }
}

type TransportPart = Pick<Choice, 'kind' | 'url' | 'headers' | 'inputs'>

function readTransport(value: Json | undefined, path: Path, check: DocumentCheck): TransportPart | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) {
    check.fail('wrong-type', 'The transport must be an object.', path)
    return undefined
  }
  const { type, url } = value
  if (type === 'stdio') return { kind: 'stdio', inputs: [] }
  if (type === undefined || type === null) {
    if (!hasKey(value, 'type')) check.fail('missing-type', '"type" is required.', path)
  } else if (type !== 'streamable-http' && type !== 'sse') {
    check.fail('unknown-transport', 'The type must be stdio, streamable-http or sse.', [...path, 'type'])
  } else if (typeof url !== 'string' || url === '') {
    check.fail('missing-endpoint', 'An http or sse transport needs a url.', path)
  } else checkAddress(url, path, check)
  if (check.failed || typeof url !== 'string') return undefined
  const { values, inputs } = readPairs(value['headers'])
  return {
    kind: type === 'sse' ? 'sse' : 'http',
    url,
    headers: values,
    inputs: [...requireAnswers(readVariables(value['variables'])), ...inputs],
  }
}

function checkVersion(entry: JsonObject, path: Path, check: DocumentCheck): void {
  const { version } = entry
  if (version === undefined || version === null) return
  const at = [...path, 'version']
  if (typeof version !== 'string') check.fail('wrong-type', '"version" must be a string.', at)
  else if (version === 'latest' || isVersionRange(version) || !isRelease(entry, version)) {
    check.fail('version-range', "A package's version must be exact.", at)
  }
}

/** T132: anything but a release could name another package: `npm:other`, an address, a path or a tag. */
function isRelease(entry: JsonObject, version: string): boolean {
  return version === '' || (nameRules(textIn(entry, 'registryType'))?.version.test(version) ?? true)
}

/** Programs that do nothing but fetch and run the package they are given. */
const knownRunners = ['npx', 'bunx', 'pnpm', 'pnpx', 'yarn', 'uvx', 'uv', 'pipx', 'docker', 'podman', 'dnx']

/** T61: the identifier and the runner become words of a command line, where others than their publisher run them. */
function checkWords(entry: JsonObject, path: Path, check: DocumentCheck): void {
  if (textIn(entry, 'identifier').startsWith('-')) {
    const message =
      'The identifier begins with "-": it would be an option of the program that runs the package.'
    check.fail('invalid-name', message, [...path, 'identifier'])
  } else checkName(entry, path, check)
  const runner = textIn(entry, 'runtimeHint')
  if (runner === '' || knownRunners.includes(runner)) return
  if (/[/\\\s]|^-/.test(runner)) {
    check.fail('unknown-runner', '"runtimeHint" must be the name of a program.', [...path, 'runtimeHint'])
  } else {
    const message = `It is run by "${runner}", which is not a known package runner.`
    check.report('unknown-runner', 'warn', message, [...path, 'runtimeHint'])
  }
}

/** T132: runners take addresses, paths and aliases in place of a name, and run what is there. */
function checkName(entry: JsonObject, path: Path, check: DocumentCheck): void {
  const identifier = textIn(entry, 'identifier')
  const type = textIn(entry, 'registryType')
  const known = nameRules(type)
  if (identifier === '' || type === '' || !known || known.name.test(identifier)) return
  const message = `The identifier is not the name of a package of the type "${type}", such as ${known.example}.`
  check.fail('invalid-name', message, [...path, 'identifier'])
}

function readLaunch(entry: JsonObject, path: Path, check: DocumentCheck): PackageLaunch | undefined {
  const type = textIn(entry, 'registryType')
  if (type === 'mcpb' && !hasKey(entry, 'fileSha256')) {
    check.fail('missing-key', 'A bundle needs "fileSha256".', path)
    return undefined
  }
  const launch = launchOf(entry)
  if (!launch) {
    const message = `A package of the type "${type}" must be installed before it can run.`
    check.report('not-launchable', 'info', message, path)
    return undefined
  }
  if (!isPinned(entry)) {
    const message = `${textIn(entry, 'identifier')} is always the latest version.`
    check.report('unpinned-package', 'info', message, [...path, 'identifier'])
  }
  return launch
}

/** The parts of a transport that a package or remote declares, without the values that are left out. */
export function transportWithout(transport: Transport, entry: JsonObject, isLeftOut: IsLeftOut): Transport {
  const launch = launchOf(entry, isLeftOut)
  const env = readPairs(entry['environmentVariables'], isLeftOut).values
  if (transport.kind === 'stdio') return { ...transport, args: launch?.args ?? transport.args, env }
  const { headers } = isObject(entry['transport']) ? entry['transport'] : entry
  return {
    ...transport,
    headers: readPairs(headers, isLeftOut).values,
    ...(transport.env && { env }),
    ...(launch && transport.launch && { launch: { command: launch.command, args: launch.args } }),
  }
}
