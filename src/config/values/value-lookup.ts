import { resolve } from 'node:path'
import { HostError } from '../../model/error.ts'
import { reveal } from '../../model/resolved.ts'
import type { Input, Server } from '../../model/server.ts'
import { splitCommand } from '../../model/text/split-command.ts'
import type { ValueRules } from '../../sources/entries/template.ts'
import { childEnv } from '../../platform/child-env.ts'
import { commandOutput } from './command-values.ts'
import type { Variables } from './env-file.ts'
import { asShellCommand, leaveProjectOut } from './leave-project-out.ts'
import { keychainValue } from './keychain-values.ts'
import type { ResolveContext } from './resolve-context.ts'
import type { Lookup } from './resolve-values.ts'
import { pathFrom } from './value-files.ts'
import { baseFolder, variableIn } from './value-sites.ts'

/** Reasons for failed lookups, by placeholder. */
export type Failures = Map<string, string>

/** A lookup that runs commands, reads files and opens the keychain. Every text it returns is registered as a secret. */
export function createLookup(
  server: Server,
  rules: ValueRules,
  context: ResolveContext,
  failures: Failures,
): Lookup {
  const { world, redactor } = context
  const registerSecret = (text: string | undefined) => {
    if (text !== undefined) redactor.register(text)
    return text
  }
  return {
    env: world.env,
    home: world.home,
    project: baseFolder(server, world),
    ...(context.grants && { granted: context.grants }),
    async command(line, text) {
      const shell = rules.bang === 'shell' || text.startsWith('$(')
      const output = await outputOf(server, line, shell ? 'shell' : 'argv', context)
      if ('why' in output) failures.set(text, output.why)
      return 'text' in output ? registerSecret(output.text) : undefined
    },
    file: async (path) => registerSecret(await fileText(pathFrom(server, path, world.home), context)),
    input: async (id) => registerSecret(await resolveInput(server, id, context)),
    async keychain(reference, text) {
      const found = await keychainValue(reference, context.platform.keychain)
      if ('why' in found) failures.set(text, found.why)
      return 'text' in found ? registerSecret(found.text) : undefined
    },
  }
}

async function outputOf(
  server: Server,
  line: string,
  how: 'argv' | 'shell',
  context: ResolveContext,
): ReturnType<typeof commandOutput> {
  const run = { ...context, cwd: server.folder ?? context.world.cwd, env: commandEnv(context) }
  const [command = '', ...args] = splitCommand(line)
  const given =
    how === 'shell'
      ? asShellCommand(line, run.env)
      : ({ kind: 'stdio', framing: 'ndjson', command, args, env: run.env } as const)
  try {
    const found = await leaveProjectOut(server, given, context)
    if (found === given) return await commandOutput(line, how, run)
    const env = Object.fromEntries(Object.entries(found.env).map(([name, value]) => [name, reveal(value)]))
    const cwd = found.cwd === undefined ? run.cwd : reveal(found.cwd)
    return await commandOutput([command, ...found.args.map(reveal)], how, { ...run, cwd, env })
  } catch (error) {
    if (error instanceof HostError && error.code === 'config.invalid') return { why: error.message }
    throw error
  }
}

/** T05: a command in the user's own entry inherits the whole environment, one in a project entry what its server would get. */
export function commandEnv({
  world,
  grants,
}: Pick<ResolveContext, 'world' | 'grants'>): Readonly<Record<string, string>> {
  if (!grants) return childEnv(world, true)
  const given = [...grants].flatMap((name): [string, string][] => {
    const value = variableIn(world.env, name)
    return value === undefined ? [] : [[name, value]]
  })
  return { ...childEnv(world), ...Object.fromEntries(given) }
}

async function fileText(path: string, { platform, limits }: ResolveContext): Promise<string | undefined> {
  const found = await platform.files.readText(path, { maxBytes: limits.maxBytes })
  return found.kind === 'text' ? found.text.replace(/\r?\n$/, '') : undefined
}

async function resolveInput(
  server: Server,
  id: string,
  context: ResolveContext,
): Promise<string | undefined> {
  // An input without a definition may be a secret, so it is not typed in the clear.
  const input: Input = server.inputs?.find((each) => each.id === id) ?? { id, secret: true }
  const answer = await requestAnswer(server, input, context)
  if (answer !== undefined) return typeof answer === 'string' ? answer : answer.join(',')
  return typeof input.default === 'string' ? input.default : undefined
}

function requestAnswer(server: Server, input: Input, { answers }: ResolveContext) {
  if (typeof answers === 'function') return answers(server, input)
  return Object.hasOwn(answers, input.id) ? answers[input.id] : undefined
}

/** The variables of an envFile, or `undefined` if it cannot be read. */
export async function readEnvFile(
  server: Server,
  path: string,
  { platform, world }: ResolveContext,
): Promise<Variables | undefined> {
  const { readVariables } = await import('./env-file.ts')
  return readVariables(resolve(baseFolder(server, world), path), platform.files)
}
