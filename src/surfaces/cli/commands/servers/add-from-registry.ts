import { isList, isObject, readRegistryServer } from '../../../../internal.ts'
import type { RegistryEntry } from '../../../../internal.ts'
import { HostError } from '../../../../index.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'

/**
 * The server.json of `registry:NAME[@VERSION]`, as text; a file of such a name is `./registry:…`. Says what its publisher says about the state of the version.
 */
export async function fetchServerJson(
  cli: Cli,
  flags: CommonFlags,
  from: string,
  output: Output,
): Promise<string> {
  const [, name = '', version] = /^registry:([^@]*)(?:@(.*))?$/s.exec(from) ?? []
  const wanted = { name, ...(version !== undefined && version !== 'latest' && { version }) }
  const entry = await cli.signals.guard(({ signal }) =>
    readRegistryServer(wanted, { signal, ...worldOf(cli, flags) }),
  )
  if (entry.status === 'deprecated') {
    const why = entry.statusMessage === undefined ? '' : ` Its publisher says: ${entry.statusMessage}`
    output.warn(`"${name}" is deprecated.${why}`)
  }
  if (entry.isLatest === false) output.note(`"${name}" has a newer version than ${entry.version}.`)
  refuseEmpty(entry)
  refuseBundlesOnly(entry)
  return JSON.stringify(entry.serverJson)
}

function refuseEmpty({ name, repository, serverJson: { packages, remotes } }: RegistryEntry): void {
  if ([packages, remotes].some((list) => isList(list) && list.length > 0)) return
  const hint = repository === undefined ? {} : { hint: `Its publisher may say how to run it: ${repository}` }
  const message = `The registry lists neither a package nor an address of "${name}", so it cannot be added from there.`
  throw new HostError('config.invalid', { server: name }, message, hint)
}

/** A bundle is a file to download: it has no command that could be written. */
function refuseBundlesOnly({ name, ways, serverJson: { packages } }: RegistryEntry): void {
  if (ways.length !== 1 || ways[0] !== 'mcpb') return
  const [first] = isList(packages) ? packages : []
  const identifier = isObject(first) && typeof first['identifier'] === 'string' ? first['identifier'] : ''
  throw new HostError(
    'config.invalid',
    { server: name },
    `"${name}" is only available as a bundle: ${identifier}`,
    {
      hint: 'Download it and compare its checksum, then run: plugboard add --from FILE.mcpb',
    },
  )
}
