import { HostError, isHostError } from '../../model/error.ts'
import type { Json } from '../../model/json.ts'
import { nextCommand } from '../../model/next-command.ts'
import type { Value } from '../../model/server.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { discover } from '../discover.ts'
import { isEntryOf } from '../waiting-servers.ts'
import { dropBundles } from './bundle-folders.ts'
import { holdsSecret } from './check-server.ts'
import {
  addServer,
  removeServer,
  replaceArgument,
  setEnabled,
  setRunner,
  updateServer,
} from './edit-entry.ts'
import { editSettings } from './edit-settings.ts'
import type { EditedServer } from './edit-source-file.ts'
import { declarationOf, hasSwitch, noSwitchError, targetIn } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'
import { translateServer } from './translate-server.ts'
import { valueRulesIn } from './translate-value.ts'
import { openWorkbench } from './workbench.ts'
import type { EditOptions, EditResult, Workbench } from './workbench.ts'
import { variableIn } from '../values/value-sites.ts'

/** Whether a server declared with these options needs no trust decision: in every file except the project's. */
export async function declaresTrusted(options: EditOptions = {}): Promise<boolean> {
  const { place } = await targetOf(await openWorkbench(options), options)
  return place.authority !== 'project'
}

async function targetOf(bench: Workbench, { scope }: EditOptions): Promise<EditTarget> {
  const [source] = bench.sources
  if (!source) throw new HostError('usage', {}, 'There is no source to add to.')
  return targetIn(source, bench, scope)
}

/** Declares a server in the file of the chosen scope, translated from our dialect to that of the file. */
export async function addDeclaration(server: NewServer, options: EditOptions = {}): Promise<EditResult> {
  const bench = await openWorkbench(options)
  const target = await targetOf(bench, options)
  refuseSharedSecret(server, target)
  const described = await toTargetDialect(target, server)
  const edited = await addOrReplace(target, described.server, options)
  await forgetSwitch(edited.renamed ?? server.name, bench)
  return bench.finish({ ...edited, lost: [...(server.lost ?? []), ...described.lost, ...edited.lost] })
}

/** Refuses a literal secret in a project's file: every clone of the project would contain it. */
function refuseSharedSecret(server: NewServer, { place }: EditTarget): void {
  if (place.authority !== 'project' || !holdsSecret(server)) return
  throw new HostError(
    'config.invalid',
    { file: place.path, server: server.name },
    `"${server.name}" holds a literal secret, and ${place.path} is shared.`,
    { hint: 'Put the secret into a variable and write ${NAME} instead.' },
  )
}

/** Translates a server for the target. For our own files, texts stay as they were typed. */
async function toTargetDialect(target: EditTarget, server: NewServer) {
  const { source, place, world } = target
  const ours = await loadSource('plugboard')
  if (source.id === ours.id) return { server: withPlaceholders(server), lost: [] }
  return translateServer(server, {
    from: valueRulesIn(ours, place, world),
    to: valueRulesIn(source, place, world),
    isSet: (name) => variableIn(world.env, name) !== undefined,
  })
}

/** Writes names of variables as placeholders, which our files resolve. */
function withPlaceholders(server: NewServer): NewServer {
  const { transport } = server
  const toTexts = (values: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const isName = typeof value === 'object' && /^[A-Za-z_]\w*$/.test(value.env)
        return [key, isName ? `\${${value.env}}` : value]
      }),
    )
  if (transport.kind === 'stdio')
    return { ...server, transport: { ...transport, ...(transport.env && { env: toTexts(transport.env) }) } }
  const headers = transport.headers && { headers: toTexts(transport.headers) }
  return { ...server, transport: { ...transport, ...headers } }
}

export async function addOrReplace(
  target: EditTarget,
  server: NewServer,
  { force, adaptName }: EditOptions,
): Promise<EditedServer> {
  const handling = adaptName ? 'adapt' : 'exact'
  try {
    return await addServer(target, server, handling)
  } catch (error) {
    if (!force || !isHostError(error, 'config.exists')) throw error
    return updateServer(target, server, handling)
  }
}

/** Removes a declaration from its file. */
export async function removeDeclaration(name: string, options: EditOptions = {}): Promise<EditResult> {
  const bench = await openWorkbench(options)
  const target = await findDeclaration(name, bench, options)
  const { edited, entry } = await removeServer(target, name)
  await forgetSwitch(name, bench)
  // Keep the bundles of a project entry: projects elsewhere may use them, and their files are not known here.
  const stuck = target.place.authority === 'project' ? [] : await dropBundles(entry, bench)
  const lost = stuck.map((folder) => ({ field: 'bundle', reason: `${folder} could not be removed.` }))
  return bench.finish({ ...edited, lost: [...edited.lost, ...lost] })
}

/** T01: the declaration in force, not a project's entry of that name which waits for trust, unless the scope selects it. */
async function findDeclaration(name: string, bench: Workbench, options: EditOptions): Promise<EditTarget> {
  const { shadowed, diagnostics } = await discover({ ...options, platform: bench.platform })
  const waiting = shadowed.filter(({ trust }) => trust).map(({ server }) => server)
  return declarationOf(name, bench, { scope: options.scope, isWaiting: isEntryOf(waiting), diagnostics })
}

/** Removes a server from `disabledServers` in our settings, so that a later server of the same name starts enabled. */
async function forgetSwitch(name: string, { platform, settings }: Workbench): Promise<void> {
  if (settings.disabledServers.includes(name)) await editSettings(platform, 'disabledServers', name, false)
}

/** Switches a server on or off in its file or, if the file format has no on/off key, in our settings. */
export async function switchDeclaration(
  name: string,
  on: boolean,
  options: EditOptions = {},
): Promise<EditResult> {
  const bench = await openWorkbench(options)
  const target = await findDeclaration(name, bench, options)
  const own = (await hasSwitch(target)) ? await setEnabled(target, name, on) : undefined
  if (!own) await refuseHiddenDeclaration(name, target, options)
  const ours = (on ? bench.settings.disabledServers.includes(name) : !own)
    ? { ...(await editSettings(bench.platform, 'disabledServers', name, !on)), lost: [] }
    : undefined
  const edited = [own, ours].find((each) => each?.changed) ?? own ?? ours ?? unchanged(target)
  return bench.finish(
    on ? await overrideOtherSwitch(name, edited, target, { ...options, platform: bench.platform }) : edited,
  )
}

/**
 * Handles a server that is still off after it was switched on. A lower layer is overridden by an explicit switch in the
 * target; any other switch is reported.
 */
async function overrideOtherSwitch(
  name: string,
  edited: EditedServer,
  target: EditTarget,
  options: EditOptions,
): Promise<EditedServer> {
  const { servers } = await discover(options)
  const off = servers.find((server) => server.name === name && !server.enabled)
  if (!off) return edited
  const { file, pointer } = off.declared[0]?.origin ?? off.origin
  const isOurs = off.disabledBy === undefined && file === target.place.path && (await hasSwitch(target))
  if (isOurs) return setEnabled(target, name, true, { isExplicit: true })
  const by = off.disabledBy ?? `${file}#${pointer}`
  if (!edited.changed) throw switchedOffError(name, by)
  const reason = isPacked(by)
    ? `"${name}" stays off until ${by} is unpacked. ${unpackHint(by)}`
    : `"${name}" stays off because of ${by}. Change it there.`
  return { ...edited, lost: [...edited.lost, { field: 'enabled', reason }] }
}

/** An argument of an entry that is to be another one. */
export interface ArgumentChange {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** Replaces arguments in the entries of several servers of the project. Without `dryRun`, entry by entry. */
export async function replaceArguments(
  changes: readonly ArgumentChange[],
  options: EditOptions = {},
): Promise<Pick<EditResult, 'changes'>> {
  const bench = await openWorkbench(options)
  let result: EditResult = { file: '', changed: false, lost: [], changes: [] }
  for (const { name, from, to } of changes) {
    const target = await findDeclaration(name, bench, { ...options, scope: 'project' })
    result = bench.finish(await replaceArgument(target, name, { from, to }))
  }
  return result
}

/** Writes a box into the entry of a server. Only files in our own format have the key. */
export async function boxDeclaration(
  name: string,
  runner: Json,
  options: EditOptions = {},
): Promise<EditResult> {
  const bench = await openWorkbench(options)
  const target = await findDeclaration(name, bench, options)
  const { source, place } = target
  if (source.id !== 'plugboard')
    throw new HostError(
      'config.unwritable',
      { file: place.path },
      `${place.path} belongs to ${source.title}, whose entries have no "runner".`,
      {
        hint: 'Copy it into a file of Plugboard (plugboard import), or use a rule: "runners" in your settings.',
      },
    )
  return bench.finish(await setRunner(target, name, runner))
}

function unchanged({ place }: EditTarget): EditedServer {
  return { file: place.path, changed: false, lost: [] }
}

/** Refuses to switch a hidden declaration: our settings list names only, so the one in force would be switched instead. */
async function refuseHiddenDeclaration(
  name: string,
  target: EditTarget,
  options: EditOptions,
): Promise<void> {
  if (options.scope === undefined) return
  const { servers } = await discover(options)
  const inForce = servers.find((server) => server.name === name)
  if (inForce && inForce.origin.file !== target.place.path) throw noSwitchError(target)
}

/** Whether a server is off because its bundle is not unpacked. */
function isPacked(by: string): boolean {
  return /\.(?:mcpb|dxt)$/i.test(by)
}

function unpackHint(bundle: string): string {
  return `Start its client once, or run: ${nextCommand('add', bundle, ['--source', 'plugboard', '--from'])}`
}

function switchedOffError(name: string, by: string): HostError {
  if (isPacked(by))
    return new HostError('config.unwritable', { file: by }, `"${name}" is off until ${by} is unpacked.`, {
      hint: unpackHint(by),
    })
  return new HostError('config.unwritable', { file: by }, `"${name}" is switched off by ${by}.`, {
    hint: 'Change it there.',
  })
}
