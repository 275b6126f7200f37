import { HostError, isHostError } from '../../model/error.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { discover } from '../discover.ts'
import { dropBundles } from './bundle-folders.ts'
import { holdsSecret } from './check-server.ts'
import { addServer, removeServer, setEnabled, updateServer } from './edit-entry.ts'
import { editSettings } from './edit-settings.ts'
import type { EditedServer } from './edit-source-file.ts'
import { declarationOf, hasSwitch, noSwitch, targetIn } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'
import { translateServer } from './translate-server.ts'
import { valuesIn } from './translate-value.ts'
import { openWorkbench } from './workbench.ts'
import type { EditOptions, Edited, Workbench } from './workbench.ts'

/** Whether a server that is declared with these options would be trusted without a question: in any file but the project's. */
export async function declaresTrusted(options: EditOptions = {}): Promise<boolean> {
  const { place } = await targetOf(await openWorkbench(options), options)
  return place.authority !== 'project'
}

async function targetOf(bench: Workbench, { scope }: EditOptions): Promise<EditTarget> {
  const [source] = bench.sources
  if (!source) throw new HostError('usage', {}, 'There is no source to add to.')
  return targetIn(source, bench, scope)
}

/** Declares a server, described in our words, in the file of the chosen scope and in its dialect. */
export async function addDeclaration(server: NewServer, options: EditOptions = {}): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await targetOf(bench, options)
  refuseSharedSecret(server, target)
  const described = await inWordsOf(target, server)
  const edited = await addOrReplace(target, described.server, options)
  await forgetSwitch(server.name, bench)
  return bench.finish({ ...edited, lost: [...(server.lost ?? []), ...described.lost, ...edited.lost] })
}

/** What a project's file holds, everyone who clones it has. */
function refuseSharedSecret(server: NewServer, { place }: EditTarget): void {
  if (place.authority !== 'project' || !holdsSecret(server)) return
  throw new HostError(
    'config.invalid',
    { file: place.path, server: server.name },
    `"${server.name}" holds a literal secret, and ${place.path} is shared.`,
    { hint: 'Put the secret into a variable and write ${NAME} instead.' },
  )
}

/** What is written into our own files stays as it was typed. */
async function inWordsOf(target: EditTarget, server: NewServer) {
  const { source, place, world } = target
  const ours = await loadSource('plugboard')
  if (source.id === ours.id) return { server, lost: [] }
  return translateServer(server, {
    from: valuesIn(ours, place, world),
    to: valuesIn(source, place, world),
    isSet: (name) => world.env[name] !== undefined,
  })
}

export async function addOrReplace(
  target: EditTarget,
  server: NewServer,
  { force }: EditOptions,
): Promise<EditedServer> {
  try {
    return await addServer(target, server)
  } catch (error) {
    if (!force || !isHostError(error, 'config.exists')) throw error
    return updateServer(target, server)
  }
}

/** Takes a declaration out of the file where it stands. */
export async function removeDeclaration(name: string, options: EditOptions = {}): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await declarationOf(name, bench, options.scope)
  const { edited, entry } = await removeServer(target, name)
  await forgetSwitch(name, bench)
  // What a project declares, another one may declare as well, and nobody knows where that is.
  const stuck = target.place.authority === 'project' ? [] : await dropBundles(entry, bench)
  const lost = stuck.map((folder) => ({ field: 'bundle', reason: `${folder} could not be removed.` }))
  return bench.finish({ ...edited, lost: [...edited.lost, ...lost] })
}

/** A switch in our settings is for the server that was there; the next one of that name begins anew. */
async function forgetSwitch(name: string, { platform, settings }: Workbench): Promise<void> {
  if (settings.disabledServers.includes(name)) await editSettings(platform, 'disabledServers', name, false)
}

/** Switches a server on or off where it stands; where its owner has no switch, in our settings. */
export async function switchDeclaration(
  name: string,
  on: boolean,
  options: EditOptions = {},
): Promise<Edited> {
  const bench = await openWorkbench(options)
  const target = await declarationOf(name, bench, options.scope)
  const own = (await hasSwitch(target)) ? await setEnabled(target, name, on) : undefined
  if (!own) await refuseAnother(name, target, options)
  const ours = (on ? bench.settings.disabledServers.includes(name) : !own)
    ? { ...(await editSettings(bench.platform, 'disabledServers', name, !on)), lost: [] }
    : undefined
  const edited = [own, ours].find((each) => each?.changed) ?? own ?? ours ?? unchanged(target)
  return bench.finish(
    on ? await overrule(name, edited, target, { ...options, platform: bench.platform }) : edited,
  )
}

/** What still keeps a server off after it was switched on: a layer below, which is overruled, or a switch to be named. */
async function overrule(
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
  if (isOurs) return setEnabled(target, name, true, { say: true })
  const by = off.disabledBy ?? `${file}#${pointer}`
  if (!edited.changed) throw switchedOff(name, by)
  const reason = `"${name}" stays off, because of ${by}. Change it there.`
  return { ...edited, lost: [...edited.lost, { field: 'enabled', reason }] }
}

function unchanged({ place }: EditTarget): EditedServer {
  return { file: place.path, changed: false, lost: [] }
}

/** Our settings know names only: they would switch off the declaration that counts, not the one that was meant. */
async function refuseAnother(name: string, target: EditTarget, options: EditOptions): Promise<void> {
  if (options.scope === undefined) return
  const { servers } = await discover(options)
  const counts = servers.find((server) => server.name === name)
  if (counts && counts.origin.file !== target.place.path) throw noSwitch(target)
}

function switchedOff(name: string, by: string): HostError {
  return new HostError('config.unwritable', { file: by }, `"${name}" is switched off by ${by}.`, {
    hint: 'Change it there.',
  })
}
