import { addDeclaration, describeEntry } from '../../config.ts'
import { HostError, isHostError } from '../../index.ts'
import type { Host, HostOptions, JsonObject, ServerEntry } from '../../index.ts'
import { quote } from '../terminal/argv.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { splitArgv } from './arguments/split-argv.ts'
import { worldOf } from './command-context.ts'
import type { Cli, GivenServerFlags, WaitFlags } from './command-context.ts'
import { pairs, remoteEntry } from './commands/servers/add-arguments.ts'
import { usage } from './errors.ts'
import { hideSecrets } from '../facts/hide-secrets.ts'
import { nameOfAddress, nameOfCommand } from './given-name.ts'

/** The server that `--stdio` or `--url` names. It is trusted for this command, because the operator named it (D-17). */
export interface GivenServer {
  readonly name: string
  readonly options: Pick<HostOptions, 'servers' | 'expand'>
  /** Adds it to the person's own file, if `--keep` says so and the server answered. */
  keep(host: Host, output: Output): Promise<void>
}

export async function readGiven(cli: Cli, flags: WaitFlags & GivenServerFlags): Promise<GivenServer> {
  const { stdio, url, keep, env = [], header = [] } = flags
  if (stdio !== undefined && url !== undefined) throw usage('Use either --stdio or --url, not both.')
  if (stdio === undefined && url === undefined)
    throw usage(
      `${keep === undefined ? (env.length > 0 ? '--env' : '--header') : '--keep'} requires --stdio or --url.`,
    )
  if (env.length > 0 && stdio === undefined) throw usage('--env requires --stdio.')
  if (header.length > 0 && url === undefined) throw usage('--header requires --url.')
  if (flags.scope !== undefined) throw usage('--stdio and --url name the server; leave out --scope.')
  const argv = stdio === undefined ? [] : splitArgv(stdio)
  const entry = url === undefined ? programEntry(argv, env) : remoteEntry({ header }, url)
  const name = keep ?? (url === undefined ? nameOfCommand(argv) : nameOfAddress(url))
  if (keep !== undefined) await checkFree(cli, keep, entry, flags)
  return {
    name,
    // Values are read as in the file that --keep writes.
    options: { servers: { [name]: entry as unknown as ServerEntry }, expand: true }, // with a command or a url
    async keep(host, output) {
      if (keep === undefined) return
      const status = host.servers().find((each) => each.name === name)
      if (!status?.isKnown && status?.status.state !== 'ready')
        return output.warn('It was not kept: it did not answer.')
      const { file } = await addDeclaration(
        await describeEntry(keep, entry, ownFile(cli, flags)),
        ownFile(cli, flags),
      )
      const text = JSON.stringify(entry, undefined, 2)
      if (hideSecrets(text) !== text)
        output.warn('It holds a secret in plain text. Put it into a variable and write ${NAME} in its place.')
      output.note(
        `Kept as "${keep}" in ${output.notes.path(file)}. From now on: plugboard list ${quote(keep)}`,
      )
    },
  }
}

function programEntry([command = '', ...args]: readonly string[], env: readonly string[]): JsonObject {
  return { command, ...(args.length > 0 && { args }), ...(env.length > 0 && { env: pairs(env, '--env') }) }
}

/** The person's own file, whatever files the command reads. */
function ownFile(cli: Cli, flags: WaitFlags) {
  const { preset } = flags
  return {
    ...worldOf(cli, flags),
    ...(preset !== undefined && { preset }),
    sources: ['plugboard'] as const,
    scope: 'user' as const,
  }
}

/** Before anything runs: a call that has succeeded must not end with an error about the file. */
async function checkFree(cli: Cli, name: string, entry: JsonObject, flags: WaitFlags): Promise<void> {
  const options = { ...ownFile(cli, flags), dryRun: true }
  try {
    await addDeclaration(await describeEntry(name, entry, options), options)
  } catch (error) {
    if (!isHostError(error, 'config.exists')) throw error
    throw new HostError(error.code, error.data, error.message, {
      hint: `Keep it under another name, or remove that one: plugboard remove ${quote(name)}`,
    })
  }
}
