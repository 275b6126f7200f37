import { openOwnAudit } from '../../../../store.ts'
import type { AuditRow, ListAudit, OwnAudit } from '../../../../store.ts'
import type { AuditCheck, AuditFacts } from '../../../api/audit-routes.ts'
import { describeVerification, toAuditFacts } from '../../../facts/audit/audit-facts.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Column } from '../../../terminal/table.ts'
import type { Canvas, Output } from '../../../terminal/terminal-output.ts'
import { outputOf, setExit, worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import { count } from '../../output/draw.ts'
import { askForYes } from '../servers/consent.ts'

export interface AuditFlags extends CommonFlags {
  /** ISO 8601. */
  readonly since?: string
  readonly server?: string
  readonly outcome?: NonNullable<ListAudit['outcome']>
  readonly limit?: number
  readonly verify?: boolean
  readonly head?: string
  /** Milliseconds. */
  readonly prune?: number
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** Shows, verifies or shortens the audit trail. */
export async function audit(cli: Cli, flags: AuditFlags): Promise<void> {
  if (flags.head !== undefined && !flags.verify) throw usage('--head needs --verify.')
  if (flags.verify && flags.prune !== undefined) throw usage('Use either --verify or --prune.')
  const output = outputOf(cli, flags)
  await cli.signals.guard(async ({ closeOnEnd }) => {
    const trail = await openOwnAudit(worldOf(cli, flags))
    closeOnEnd(trail)
    for (const { code, message, hint = '' } of trail.problems)
      if (code !== 'directory-in-project' && code !== 'store-without-driver')
        output.warn(`${message} ${hint}`.trim())
    if (flags.verify) await verify(cli, trail, flags, output)
    else if (flags.prune !== undefined) await prune(cli, trail, { ...flags, prune: flags.prune }, output)
    else await show(trail, flags, output)
    await output.flush()
  })
}

async function show(trail: OwnAudit, flags: AuditFlags, output: Output): Promise<void> {
  const { since, server, outcome, limit = 50 } = flags
  const rows = await trail.list({
    limit,
    ...(since !== undefined && { since }),
    ...(server !== undefined && { server }),
    ...(outcome && { outcome }),
  })
  output.result({ rows: rows.map((row) => ({ ...row })) }, (canvas) => drawRows(rows, canvas))
}

async function verify(cli: Cli, trail: OwnAudit, { head }: AuditFlags, output: Output): Promise<void> {
  const found = await trail.verify({ head })
  const check = describeVerification(found)
  output.result({ isWhole: check.isWhole, ...found }, (canvas) => drawVerification(check, canvas))
  if (!check.isWhole) setExit(cli, 'damaged')
}

async function prune(
  cli: Cli,
  trail: OwnAudit,
  flags: AuditFlags & { readonly prune: number },
  output: Output,
): Promise<void> {
  const before = new Date(Date.now() - flags.prune).toISOString()
  const removed = await trail.countOld(before)
  const day = before.slice(0, 10)
  const report = (rows: number, drawn: string, more: object = {}) =>
    output.result({ before, removed: rows, ...more }, () => drawn)
  if (removed === 0) return report(0, `No call was recorded before ${day}.`)
  if (flags.dryRun) return report(removed, `Would remove ${count(removed, 'row')}.`, { dryRun: true })
  if (!flags.yes) {
    const error = await askForYes(
      cli,
      {
        message: `Remove ${count(removed, 'row')} of the audit trail from before ${day}?`,
        initial: false,
        refused: 'Nothing was removed.',
        noTerminal: {
          message: 'Nothing was removed: there is no terminal to ask in.',
          hint: 'Add --yes to remove it.',
        },
      },
      output,
    )
    if (error) return flags.json ? report(removed, '', { dryRun: true, error }) : undefined
  }
  const checkpoint = await trail.prune(before)
  report(checkpoint.removed, `Removed ${count(checkpoint.removed, 'row')}. The rest can still be verified.`)
}

function drawRows(rows: readonly AuditRow[], { style, width }: Canvas): string {
  if (rows.length === 0) return 'No call was recorded yet.'
  const columns: readonly Column<AuditFacts>[] = [
    { title: 'time', value: ({ at }) => at.slice(0, 19).replace('T', ' '), paint: style.dim },
    { title: 'by', value: ({ by }) => by },
    { title: 'tool', value: ({ about }) => about, fit: 'essential' },
    { title: 'decision', value: ({ decision }) => decision, fit: { shrinkTo: 8 } },
    {
      title: 'outcome',
      value: ({ outcome }) => outcome,
      paint: (text, { tone }) => (tone === 'ok' ? text : style.yellow(text)),
    },
    { title: 'ms', value: ({ ms }) => (ms === undefined ? '' : String(ms)), align: 'right' },
  ]
  return renderTable(columns, rows.map(toAuditFacts), { width, paintTitle: style.dim })
}

function drawVerification({ verdict, head, problems }: AuditCheck, { style }: Canvas): string {
  const lines = problems.map(
    ({ kind, writer, message }) =>
      `${style.red(kind)}  ${message}${writer === undefined ? '' : style.dim(` (writer ${writer})`)}`,
  )
  const keep = head
    ? [style.dim(`Newest: ${head.hash} (${head.at}). Keep it elsewhere, and verify with --head.`)]
    : []
  return [...lines, verdict, ...keep].join('\n')
}
