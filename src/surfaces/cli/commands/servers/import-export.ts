import { exportServers, importServers, surveySources, writeChanges } from '../../../../config.ts'
import type { Transfer, TransferOptions } from '../../../../config.ts'
import type { SourceId } from '../../../../index.ts'
import { redactWords } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { outputOf, setExit, worldOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { exitOfCode, usage } from '../../errors.ts'
import type { Fault } from '../../errors.ts'
import { askToWrite, refuseYes } from './consent.ts'
import { drawChanges, editOptions, hideInChanges } from './edit-report.ts'
import type { EditFlags } from './edit-report.ts'

export interface CopyFlags extends EditFlags {
  readonly only?: readonly string[]
  readonly as?: string
  readonly force?: boolean
  readonly yes?: boolean
}

interface Direction {
  readonly verb: 'imported' | 'exported'
  readonly run: (options: TransferOptions) => Promise<Transfer>
  /** Says why there is nothing to copy. */
  readonly explainNone: (output: Output) => Promise<string>
}

export function importClient(cli: Cli, flags: CopyFlags, client: string): Promise<void> {
  return copy(cli, flags, {
    verb: 'imported',
    run: (options) => importServers(client, options),
    explainNone: ({ notes }) => explainNoImport(cli, client, flags, notes.path),
  })
}

export function exportClient(cli: Cli, flags: CopyFlags, client: string): Promise<void> {
  return copy(cli, flags, {
    verb: 'exported',
    run: (options) => exportServers(client, options),
    explainNone: () => Promise.resolve('There is nothing to export: no server is declared elsewhere.'),
  })
}

/** Shows a preview; writes after confirmation, or with `--yes`. */
async function copy(cli: Cli, flags: CopyFlags, direction: Direction): Promise<void> {
  const output = outputOf(cli, flags)
  const options = optionsOf(cli, flags)
  const plan = await direction.run({ ...options, dryRun: true })
  const { refusal, unusual: _warned, ...shown } = plan
  const preview = { ...shown, changes: hideInChanges(plan.changes), dryRun: true }
  if (plan.copied.length === 0) {
    const error = await noneCopied(plan, direction, output)
    setExit(cli, error.code === 'unknown' ? 'unknown' : exitOfCode(refusal ?? 'config.invalid'))
    notePlan(output, plan)
    if (flags.json) output.result({ ...preview, error }, () => '')
    output.fault(error.message)
    return output.flush()
  }
  if (flags.dryRun) {
    output.result(preview, (canvas) => drawChanges(plan.changes, canvas))
    notePlan(output, plan)
    return output.flush()
  }
  if (!flags.yes) {
    output.show(drawChanges(plan.changes, output.notes))
    notePlan(output, plan)
    const question = { ...plan, initial: plan.untrusted === undefined, isUnusual: isUnusual(plan) }
    const error = await askToWrite(cli, question, output)
    if (error && flags.json) output.result({ ...preview, error }, () => '')
    if (error) return output.flush()
  }
  if (flags.yes && isUnusual(plan)) {
    notePlan(output, plan)
    const error = refuseYes(cli, output)
    if (flags.json) output.result({ ...preview, error }, () => '')
    return output.flush()
  }
  const { changes, ...done } = shown
  await writeChanges(changes, options)
  output.result(done, ({ path }) => `${done.copied.join(', ')}: written to ${path(done.file)}`)
  if (flags.yes) notePlan(output, plan, { isWritten: true })
  return output.flush()
}

/** T132: servers that a person declared for another client run like this already; those of a project do not. */
function isUnusual({ unusual = [], untrusted = [] }: Transfer): boolean {
  return unusual.some(({ kind, server }) => kind !== 'variable' && untrusted.includes(server))
}

function optionsOf(cli: Cli, flags: CopyFlags): TransferOptions {
  const { only = [], as, force, trust } = flags
  if (as !== undefined && only.length !== 1)
    throw usage('--as is the new name of one server.', 'Choose it with --only NAME.')
  return {
    ...editOptions(cli, flags),
    ...(only.length > 0 && { only }),
    ...(as !== undefined && { as }),
    ...(force && { force }),
    ...(trust && { untrusted: 'copy' }),
  }
}

/** Why nothing is copied: there is nothing, or everything is skipped. */
async function noneCopied(
  { skipped, refusal = 'config.invalid' }: Transfer,
  { verb, explainNone }: Direction,
  output: Output,
): Promise<Fault> {
  if (skipped.length === 0) return { code: 'unknown', message: await explainNone(output) }
  const hint =
    refusal === 'config.exists' ? ' Replace with --force, or choose a name with --only NAME --as NAME.' : ''
  return { code: refusal, message: `Nothing was ${verb}: every server was skipped.${hint}` }
}

async function explainNoImport(
  cli: Cli,
  client: string,
  flags: CopyFlags,
  path: (file: string) => string,
): Promise<string> {
  const sources = [client as SourceId] // importServers has checked the id
  const [survey] = await surveySources({
    sources,
    ...worldOf(cli, flags),
    ...(flags.preset && { preset: flags.preset }),
  })
  const files = (survey?.files ?? []).filter(({ found }) => found).map(({ file }) => path(file))
  const title = survey?.title ?? client
  return files.length === 0
    ? `There is nothing to import: no file of ${title} was found. See: plugboard sources --all`
    : `There is nothing to import: no server is declared in ${files.join(', ')}.`
}

function notePlan(output: Output, plan: Transfer, { isWritten = false } = {}): void {
  const { skipped, lost, renamed = [], untrusted = [], file } = plan
  for (const name of untrusted) {
    const trusted = isWritten ? 'it is trusted now' : 'it would be trusted'
    output.warn(`"${name}" comes from this project; in ${output.notes.path(file)} ${trusted}.`)
  }
  for (const { server, text } of plan.unusual ?? []) output.warn(`Look closely at "${server}": ${text}`)
  for (const { name, as } of renamed)
    output.note(`"${name}" is "${as}" there. For another name: --only ${quote(name)} --as NAME`)
  for (const { name, reason } of skipped) output.warn(redactWords(`"${name}" was skipped: ${reason}`))
  for (const { field, reason } of lost) output.warn(redactWords(`${field}: ${reason}`))
}
