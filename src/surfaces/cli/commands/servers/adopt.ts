import { realpathSync } from 'node:fs'
import { isHostError, sourceIds } from '../../../../index.ts'
import type { HostError } from '../../../../index.ts'
import {
  adoptedClients,
  applyAdoptPlan,
  planAdoption,
  planRelease,
  redactWords,
  rehearsalOf,
} from '../../../../internal.ts'
import type { AdoptPlan, ReleasePlan } from '../../../../internal.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { notClients } from '../../arguments/positionals.ts'
import { outputOf, setExit } from '../../command-context.ts'
import type { Cli, CliProcess } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import type { Fault } from '../../errors.ts'
import { noteAdoption, noteRelease, questionAbout, toAdoptionJson, toReleaseJson } from './adopt-report.ts'
import { askForYes } from './consent.ts'
import { drawChanges, editOptions, hideInChanges } from './edit-report.ts'
import type { EditFlags } from './edit-report.ts'

export interface AdoptFlags extends EditFlags {
  readonly all?: boolean
  readonly yes?: boolean
}

export async function adoptClient(cli: Cli, flags: AdoptFlags, client?: string): Promise<void> {
  const options = { ...(await optionsOf(cli, flags, client)), program: ownProgram(cli.process) }
  const ids = client === undefined ? sourceIds.filter((id) => !notClients.includes(id)) : [client]
  await writePlans(cli, flags, {
    ids,
    plan: (id) => planAdoption(id, options),
    apply: (plan) => applyAdoptPlan(plan, options),
    toJson: toAdoptionJson,
    note: noteAdoption,
    done: ({ title, moved, client: id }) =>
      `${title}: ${moved.map(({ name }) => name).join(', ')} ${moved.length === 1 ? 'is' : 'are'} behind "plugboard" now. Restart ${title}. Undo: plugboard release ${id}`,
    none: 'There is nothing to adopt: no client has servers in a file of yours.',
  })
}

export async function releaseClient(cli: Cli, flags: AdoptFlags, client?: string): Promise<void> {
  const options = await optionsOf(cli, flags, client)
  const ids = client === undefined ? (await adoptedClients(options)).map((each) => each.client) : [client]
  await writePlans(cli, flags, {
    ids,
    plan: (id) => planRelease(id, options),
    apply: (plan) => applyAdoptPlan(plan, options),
    toJson: toReleaseJson,
    note: noteRelease,
    done: ({ title, restored }) =>
      `${title}: ${restored.length === 0 ? 'its entry of the gateway is removed' : `${restored.join(', ')} put back`}. Restart ${title}.`,
    none: 'There is nothing to release: no client is adopted.',
  })
}

/** A dry run is applied in memory: the plan of the next client builds on it as in a real run. */
async function optionsOf(cli: Cli, flags: AdoptFlags, client: string | undefined) {
  if ((client === undefined) !== (flags.all === true))
    throw usage('Name one client, or use --all.', 'See: plugboard sources')
  if (flags.scope === 'project') throw usage('Files of projects are not touched; leave out --scope.')
  const options = editOptions(cli, flags)
  return flags.dryRun ? { ...options, platform: await rehearsalOf(options) } : options
}

interface Direction<P extends AdoptPlan | ReleasePlan> {
  readonly ids: readonly string[]
  readonly plan: (client: string) => Promise<P>
  readonly apply: (plan: P) => Promise<void>
  readonly toJson: (plan: P) => object
  readonly note: (plan: P, output: Output) => void
  readonly done: (plan: P) => string
  readonly none: string
}

/** Shows each plan, and carries it out after confirmation, one client after the other: the next plan builds on it. */
async function writePlans<P extends AdoptPlan | ReleasePlan>(
  cli: Cli,
  flags: AdoptFlags,
  direction: Direction<P>,
): Promise<void> {
  const output = outputOf(cli, flags)
  const shown: P[] = []
  const failed: { readonly client: string; readonly reason: string }[] = []
  let error: Fault | undefined
  for (const id of direction.ids) {
    const plan = await planOrSkip(id, flags, direction, failed)
    if (!plan) continue
    shown.push(plan)
    error = await writePlan(cli, flags, { plan, direction, output })
    if (error) break
  }
  for (const { client, reason } of failed) output.warn(redactWords(`${client}: ${reason}`))
  if (shown.length === 0) {
    error = { code: 'unknown', message: direction.none }
    setExit(cli, 'unknown')
    output.fault(error.message)
  }
  if (flags.json) {
    const isPlan = flags.dryRun === true || error !== undefined
    const changes = hideInChanges(shown.flatMap((plan) => plan.changes))
    const planned = isPlan ? { dryRun: true, changes, ...(error && { error }) } : {}
    output.result({ clients: shown.map(direction.toJson), failed, ...planned }, () => '')
  }
  return output.flush()
}

/** With `--all`, clients without servers are passed over, and one that fails does not stop the others. */
async function planOrSkip<P extends AdoptPlan | ReleasePlan>(
  id: string,
  flags: AdoptFlags,
  direction: Direction<P>,
  failed: { readonly client: string; readonly reason: string }[],
): Promise<P | undefined> {
  try {
    return await direction.plan(id)
  } catch (error) {
    if (!flags.all || !isHostError(error)) throw error
    if (!isNothing(error)) failed.push({ client: id, reason: error.message })
    return undefined
  }
}

/** Whether there is nothing to say of a client: it has no servers, or no file of the person that is written. */
function isNothing(error: HostError): boolean {
  if (isHostError(error, 'server.unknown')) return (error.data.stays ?? []).length === 0
  return error.code === 'config.exists' || error.code === 'config.unwritable'
}

async function writePlan<P extends AdoptPlan | ReleasePlan>(
  cli: Cli,
  flags: AdoptFlags,
  {
    plan,
    direction,
    output,
  }: { readonly plan: P; readonly direction: Direction<P>; readonly output: Output },
): Promise<Fault | undefined> {
  if (flags.dryRun) {
    if (!flags.json) output.text((canvas) => drawChanges(plan.changes, canvas))
    direction.note(plan, output)
    await direction.apply(plan)
    return undefined
  }
  if (!flags.yes) {
    output.show(drawChanges(plan.changes, output.notes))
    direction.note(plan, output)
    const error = await askForYes(cli, questionAbout(plan, output), output)
    if (error) return error
  }
  await direction.apply(plan)
  if (flags.yes) direction.note(plan, output)
  if (!flags.json) output.text(({ proposed }) => proposed(direction.done(plan)))
  return undefined
}

/**
 * How this program is started again: its script with the Node that runs it now, since programs with a window do not have
 * the PATH of a shell. What `npx` fetched is in a folder that may be cleared, so `npx` fetches it again.
 */
function ownProgram({ argv }: CliProcess) {
  const script = realpathSync(argv[1] ?? '')
  if (/[\\/]_npx[\\/]/.test(script)) return { command: 'npx', args: ['-y', 'plugboard'] }
  return { command: process.execPath, args: [script] }
}
