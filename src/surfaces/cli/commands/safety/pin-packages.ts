import { writeChanges } from '../../../../config.ts'
import type { Server } from '../../../../index.ts'
import { pinArgument, readProgram, replaceArguments } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { outputOf, setExit } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { discoverFor, discoverOptions } from '../../discover-servers.ts'
import { askToWrite } from '../servers/consent.ts'
import { drawChanges, hideInChanges } from '../servers/edit-report.ts'
import type { LockFlags } from './lock.ts'

/** A package or image that an entry names without an exact version. */
interface UnpinnedPackage {
  readonly name: string
  readonly package: string
  /** Absent if the version that runs now is not known. */
  readonly version?: string
  readonly from?: string
  readonly to?: string
}

/**
 * T03: writes the versions that run now into the entries of the project that name none. What a person trusted is the old
 * text, so each entry has to be trusted again.
 */
export async function pinPackages(cli: Cli, flags: LockFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const { servers } = await discoverFor(cli, flags)
  const declared = servers.filter(({ origin }) => origin.authority === 'project')
  const found = (await Promise.all(declared.map((server) => findUnpinned(cli, server, flags)))).flat()
  const pins = found.flatMap(({ name, from, to }) =>
    from !== undefined && to !== undefined ? [{ name, from, to }] : [],
  )
  const unknown = found.filter(({ to }) => to === undefined)
  const warnUnknown = () => {
    for (const { name, package: owner } of unknown)
      output.warn(
        `${name}: which version of ${owner} runs is not known on this machine. Start it once, or write it by hand.`,
      )
    if (unknown.length > 0) setExit(cli, 'failed')
  }
  if (pins.length === 0) {
    output.result({ pinned: [], unknown }, () =>
      unknown.length === 0 ? 'Every package has an exact version.' : 'Nothing could be pinned.',
    )
    warnUnknown()
    return output.flush()
  }
  const options = discoverOptions(cli, flags)
  const { changes } = await replaceArguments(pins, { ...options, dryRun: true })
  const preview = { pinned: pins, unknown, dryRun: true, changes: hideInChanges(changes) }
  if (flags.dryRun) {
    output.result(preview, (canvas) => drawChanges(changes, canvas))
    warnUnknown()
    return output.flush()
  }
  if (!flags.yes) {
    output.show(drawChanges(changes, output.notes))
    const file = changes[0]?.file ?? ''
    const error = await askToWrite(cli, { file }, output)
    if (error && flags.json) output.result({ ...preview, error }, () => '')
    if (error) return output.flush()
  }
  await writeChanges(changes, options)
  output.result({ pinned: pins, unknown }, () => pins.map(({ name, to }) => `${name}: ${to}`).join('\n'))
  for (const { name } of pins)
    output.note(`The entry of "${name}" is another one now. Trust it again: ${serverCommand('trust', name)}`)
  output.note('Then write the lock file: plugboard lock')
  warnUnknown()
  return output.flush()
}

async function findUnpinned(cli: Cli, server: Server, flags: LockFlags): Promise<readonly UnpinnedPackage[]> {
  const { transport, name } = server
  const launch = transport.kind === 'stdio' ? transport : transport.launch
  const { installed } = await readProgram(server, discoverOptions(cli, flags))
  const { package: owner, version } = installed
  if (!launch || !owner || owner.version !== undefined) return []
  const base = { name, package: owner.name }
  if (version === undefined) return [base]
  const pinned = pinArgument(launch.args, owner, version)
  return [{ ...base, version, ...pinned }]
}
