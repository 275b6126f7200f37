import type { JsonObject } from '../../../model/json.ts'
import type { Input } from '../../../model/server.ts'
import { readArguments, readPairs } from './server-json-inputs.ts'
import type { ArgumentWords, IsLeftOut } from './server-json-inputs.ts'
import { textIn } from './server-json-keys.ts'

/** The command line that runs a package, with the inputs that complete it. */
export interface PackageLaunch {
  readonly command: string
  readonly args: readonly string[]
  readonly inputs: readonly Input[]
}

const runners: Readonly<Record<string, string>> = { npm: 'npx', pypi: 'uvx', oci: 'docker', nuget: 'dnx' }

/** The runner, its own arguments, the package, and the package's arguments, in that order; `undefined` without a runner. */
export function launchOf(entry: JsonObject, isLeftOut?: IsLeftOut): PackageLaunch | undefined {
  const type = textIn(entry, 'registryType')
  const command = textIn(entry, 'runtimeHint') || runners[type]
  if (command === undefined || type === 'mcpb') return undefined
  const before = readArguments(entry['runtimeArguments'], isLeftOut)
  const after = readArguments(entry['packageArguments'], isLeftOut)
  const variables = Object.keys(readPairs(entry['environmentVariables'], isLeftOut).values)
  return {
    command,
    args: [
      ...runnerWords(command, variables, before),
      packageReference(entry, type),
      ...packageWords(command, after),
    ],
    inputs: [...before.inputs, ...after.inputs],
  }
}

/** The arguments of the runner. Containers use stdin, are removed at exit, and get only the listed variables. */
function runnerWords(
  command: string,
  variables: readonly string[],
  { words }: ArgumentWords,
): readonly string[] {
  if (command !== 'docker' && command !== 'podman') return words
  const given = words[0] === 'run' ? words.slice(1) : words
  const flags = ['-i', '--rm'].filter((flag) => !given.includes(flag))
  return ['run', ...flags, ...variables.flatMap((name) => ['-e', name]), ...given]
}

/** dnx asks before it downloads, and reads its own options up to the double dash. */
function packageWords(command: string, { words }: ArgumentWords): readonly string[] {
  if (command !== 'dnx') return words
  return ['--yes', ...(words.length > 0 ? ['--', ...words] : [])]
}

/** Whether the package has an exact version: of its own, or in an image's tag. */
export function isPinned(entry: JsonObject): boolean {
  if (isTagged(entry)) return !textIn(entry, 'identifier').endsWith(':latest')
  return textIn(entry, 'version') !== ''
}

function isTagged(entry: JsonObject): boolean {
  return textIn(entry, 'registryType') === 'oci' && /[@:][^/]+$/.test(textIn(entry, 'identifier'))
}

function packageReference(entry: JsonObject, type: string): string {
  const identifier = textIn(entry, 'identifier')
  if (isTagged(entry) || !isPinned(entry)) return identifier
  return `${identifier}${{ pypi: '==', oci: ':' }[type] ?? '@'}${textIn(entry, 'version')}`
}
