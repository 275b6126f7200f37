import type { Server } from '../../../../index.ts'
import { believePlatform, readSettings } from '../../../../internal.ts'
import { isAtLeast, lapsedIgnores, rulesVersion } from '../../../../scan.ts'
import type { ServerOffers, Severity } from '../../../../scan.ts'
import { reportFindings } from '../../../facts/findings/finding-facts.ts'
import type { FindingReport } from '../../../facts/findings/finding-facts.ts'
import { readServerOffers } from '../../../facts/findings/server-offers.ts'
import { whyWithheld, withheldNote } from '../../agent-environment.ts'
import { setExit, folderOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { narrowToScope } from '../../discover-servers.ts'
import { drawFault, exitOf, faultOf, usage } from '../../errors.ts'
import type { Fault } from '../../errors.ts'
import type { Exit } from '../../exit-codes.ts'
import { checkName, deadlineOf, withHost, withoutSecrets } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { drawReport } from './draw-findings.ts'
import { isFile, readScannedFile } from './read-scanned-file.ts'

export interface ScanFlags extends WaitFlags {
  readonly noStart?: boolean
  readonly noTexts?: boolean
  readonly sarif?: boolean
  readonly failOn?: Severity
}

/** What was examined of a server. */
interface ScannedPart {
  readonly name: string
  readonly scanned: 'declaration and offers' | 'declaration' | 'file'
  readonly error?: Fault
}

interface Examined {
  readonly part: ScannedPart
  readonly offers?: ServerOffers
  readonly exit?: Exit
}

/**
 * Scans declarations without starting anything, and then what the servers offer. A server that is not trusted is not
 * started; a file with definitions is read as it is.
 */
export async function scan(cli: Cli, flags: ScanFlags, ...names: readonly string[]): Promise<void> {
  if (flags.json && flags.sarif) throw usage('--json and --sarif exclude each other.')
  const here = folderOf(cli)
  const files = names.filter((name) => isFile(name, here))
  const wanted = names.filter((name) => !isFile(name, here))
  await withHost(
    cli,
    flags,
    async (context) => {
      const { output } = context
      const read = await Promise.all(files.map((file) => readScannedFile(cli, file)))
      const own = await chooseServers(context, flags, wanted, files.length > 0)
      // Servers of a file that was named are never started: it may be anybody's.
      const declared = read.flatMap((file) => file.servers)
      const servers = [...own, ...declared]
      const examined = [
        ...(await Promise.all(own.map((server) => examine(server, context, flags)))),
        ...declared.map(({ name }): Examined => ({ part: { name, scanned: 'declaration' } })),
        ...read.flatMap(({ offers }): Examined[] =>
          offers ? [{ part: { name: offers.server, scanned: 'file' }, offers }] : [],
        ),
      ]
      const { settings } = await readSettings((await believePlatform({ ...cli.platform })).platform)
      const { ignore = [] } = settings.scan ?? {}
      const today = new Date().toISOString().slice(0, 10)
      const report = reportFindings(
        servers,
        examined.flatMap(({ offers }) => offers ?? []),
        { ignore, labels: settings.labels, today },
      )
      const parts = examined.map(({ part }) => part)
      const withheld = whyWithheld(cli, flags)
      await print(report, parts, context, { ...flags, withheld, folder: folderOf(cli, flags) })
      // An entry counts while one of its findings is left out: another tool of the server may have the same finding.
      const current = [...report.findings, ...report.ignored]
      for (const { rule, server, why } of lapsedIgnores(current, ignore, today))
        output.warn(`scan.ignore of ${rule} for ${server} no longer counts: ${why}. Examine it again.`)
      for (const { name, error } of parts)
        if (error) output.warn(`${name} was not asked what it offers: ${drawFault(error)}`)
      const exit = exitFor(report, examined, flags)
      if (exit) setExit(cli, exit)
    },
    { brokenFiles: 'fail' },
  )
}

async function chooseServers(
  { host }: HostContext,
  flags: ScanFlags,
  wanted: readonly string[],
  hasFiles: boolean,
): Promise<readonly Server[]> {
  const { servers } = narrowToScope(host.discovery, flags.scope)
  if (wanted.length === 0) return hasFiles ? [] : servers.filter(({ enabled }) => enabled)
  const names = await Promise.all(wanted.map((name) => checkName(host, flags, name)))
  return servers.filter(({ name }) => names.includes(name))
}

async function examine(server: Server, context: HostContext, { noStart }: ScanFlags): Promise<Examined> {
  const { name } = server
  if (noStart) return { part: { name, scanned: 'declaration' } }
  const { host, signal, waitLine } = context
  const deadline = deadlineOf(context)
  try {
    waitLine.show(`${name}: reading what it offers`)
    const timeoutMs = context.remainingMs()
    const offers = await readServerOffers(host, name, {
      signal: deadline,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    return { part: { name, scanned: 'declaration and offers' }, offers }
  } catch (error) {
    signal.throwIfAborted()
    const reason = withoutSecrets(error, host)
    return { part: { name, scanned: 'declaration', error: faultOf(reason) }, exit: exitOf(reason) }
  }
}

async function print(
  whole: FindingReport,
  parts: readonly ScannedPart[],
  { output, host }: HostContext,
  {
    withheld,
    folder,
    ...flags
  }: ScanFlags & { readonly withheld: string | undefined; readonly folder: string },
): Promise<void> {
  const report = withheld === undefined ? whole : await withoutTexts(whole)
  const redact = <T>(value: T): T => JSON.parse(host.redact(JSON.stringify(value))) as T // redacting only changes strings
  if (flags.sarif) {
    const { toSarif } = await import('../../../facts/findings/sarif.ts')
    const sarif = redact(toSarif(report, folder))
    output.bytes(Buffer.from(`${JSON.stringify(sarif, undefined, 2)}\n`), () =>
      JSON.stringify(sarif, undefined, 2),
    )
    return
  }
  const { findings, ignored, totals } = redact(report)
  const fields = { findings, ignored, totals, servers: parts, rulesVersion }
  output.result({ ...fields, ...(withheld !== undefined && { withheld: true }) }, (canvas) =>
    drawReport({ findings, ignored, totals }, parts.length, canvas),
  )
  if (withheld !== undefined && findings.length > 0) output.note(withheldNote(withheld))
}

async function withoutTexts(report: FindingReport): Promise<FindingReport> {
  const { withoutFindingTexts } = await import('../../../facts/findings/withheld-texts.ts')
  const { findings, ignored } = report
  return {
    ...report,
    findings: findings.map(withoutFindingTexts),
    ignored: ignored.map(withoutFindingTexts),
  }
}

/** A scan that could not examine everything is not clean. */
function exitFor(
  { findings }: FindingReport,
  examined: readonly Examined[],
  { failOn = 'high' }: ScanFlags,
): Exit | undefined {
  if (findings.some(({ severity }) => isAtLeast(severity, failOn))) return 'findings'
  return examined.flatMap(({ exit }) => exit ?? [])[0]
}
