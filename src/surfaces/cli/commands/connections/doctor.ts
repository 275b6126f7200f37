import { release } from 'node:os'
import { explain, version } from '../../../../index.ts'
import type { Diagnostic, Discovery } from '../../../../index.ts'
import { adoptedClients, toListedDiagnostics } from '../../../../internal.ts'
import type { AdoptedClient } from '../../../../internal.ts'
import { deskLines } from '../../../facts/desk/desk-facts.ts'
import type { DeskStatus } from '../../../facts/desk/desk-facts.ts'
import { hideSecrets } from '../../../facts/hide-secrets.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { createDocumentWriter } from '../../../terminal/json-document.ts'
import { whyWithheld, withheldNote } from '../../agent-environment.ts'
import { givenPlatform, setExit, startOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import {
  discoverFor,
  discoverOptions,
  exitForFiles,
  isBrokenFile,
  isInScope,
  narrowToScope,
  problemsInScope,
} from '../../discover-servers.ts'
import type { Exit } from '../../exit-codes.ts'
import { drawProblems } from '../../output/draw.ts'
import { writeTo } from '../../output/save-file.ts'
import { checkName, withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { drawExamination, examine, toExaminationJson } from './examine-server.ts'
import type { Examination } from './examine-server.ts'
import { countHealth, drawTotals } from './health-totals.ts'

export interface DoctorFlags extends WaitFlags {
  readonly noStart?: boolean
  readonly noTexts?: boolean
  readonly bundle?: string
}

/** Prints one block per server: its declaration, trust, start, last output and the next step. */
export async function doctor(cli: Cli, flags: DoctorFlags, name?: string): Promise<void> {
  await withHost(
    cli,
    flags,
    async (context) => {
      const { output, host } = context
      const isData = flags.json === true || flags.bundle !== undefined
      const discovery = await discoverFor(cli, flags, { preview: true, trustKeys: isData })
      const only = name === undefined ? undefined : await checkName(host, flags, name).catch(() => name)
      const names = namesIn(discovery, flags).filter((each) => only === undefined || each === only)
      if (only !== undefined && names.length === 0) await checkName(host, flags, only)
      const withheld = whyWithheld(cli, flags)
      const found = await examineAll(names, discovery, context, { ...flags, withheld, ...givenPlatform(cli) })
      if (flags.bundle !== undefined) {
        writeBundle(flags.bundle, found, discovery, cli, context)
        if (flags.json) output.result({ file: flags.bundle }, () => '')
        return
      }
      const clashes = host
        .problems()
        .filter(({ code, server }) => code === 'address-clash' && names.includes(server ?? ''))
      const apart = [
        ...problemsInScope(discovery, cli, flags).filter(({ server }) => server === undefined),
        ...clashes,
      ]
      const totals = countHealth(found, apart)
      const adopted = only === undefined ? await adoptedClients(discoverOptions(cli, flags)) : []
      const gateways = only === undefined ? await runningGateways(cli, flags) : []
      if (flags.json)
        output.result(
          redacted(
            {
              servers: toExaminationJson(found, discovery),
              totals,
              ...(adopted.length > 0 && { adopted }),
              ...(gateways.length > 0 && { gateways }),
              ...(withheld !== undefined && { withheld: true }),
              diagnostics: toListedDiagnostics(apart),
            },
            context,
          ),
          () => '',
        )
      else if (found.length > 0)
        output.text((canvas) => found.map((each) => drawExamination(each, canvas)).join('\n\n'))
      else output.note('No server is declared here. Add one: plugboard add')
      // The broken files that the host met are reported already; it leaves the project's settings to its tools.
      const unreported = apart.filter(
        (each) => !isBrokenFile(each) || isProjectSettings(each, host.discovery),
      )
      for (const line of drawProblems(unreported, output.notes)) output.note(line)
      if (!flags.json) for (const each of adopted) output.note(describeAdopted(each, output.notes.path))
      if (!flags.json)
        for (const { depth, text } of deskLines(gateways, Date.now()))
          output.note(`${'  '.repeat(depth)}${escapeLine(text)}`)
      if (!flags.json) output.text(() => `${found.length > 0 ? '\n' : ''}${drawTotals(totals)}`)
      if (!flags.json && withheld !== undefined && found.some(({ findings }) => findings))
        output.note(withheldNote(withheld))
      const exit = exitFor(found, apart)
      if (exit) setExit(cli, exit)
    },
    { brokenFiles: 'fail' },
  )
}

/** The gateways that clients of this user share: who is connected to what. */
async function runningGateways(
  { process: { env } }: Cli,
  { preset }: DoctorFlags,
): Promise<readonly DeskStatus[]> {
  const { deskOwner } = await import('../../../gateway/desk/desk-address.ts')
  const { readDesks } = await import('../../../gateway/desk/desk-control.ts')
  return readDesks(preset, deskOwner(env))
}

function describeAdopted(
  { title, client, servers, files }: AdoptedClient,
  path: (file: string) => string,
): string {
  const lost = files.filter(({ isConnected }) => !isConnected).map(({ file }) => path(file))
  if (lost.length > 0)
    return `${title} is adopted, but ${lost.join(', ')} no longer starts the gateway. Put the servers back: plugboard release ${client}`
  return `${title} is adopted: it uses ${servers.join(', ')} through the gateway (${files.map(({ file }) => path(file)).join(', ')}).`
}

/** Every declared name, including those without a usable declaration. */
function namesIn(discovery: Discovery, { scope }: DoctorFlags): readonly string[] {
  const { servers, diagnostics } = narrowToScope(discovery, scope)
  const unusable = diagnostics.filter(({ origin, server }) => server !== undefined && origin)
  const isMeant = (name: string) =>
    scope === undefined || discovery.servers.every((each) => each.name !== name || isInScope(each, scope))
  return [
    ...new Set([
      ...servers.map(({ name }) => name),
      ...unusable.flatMap(({ server = [] }) => server).filter(isMeant),
    ]),
  ]
}

async function examineAll(
  names: readonly string[],
  discovery: Discovery,
  context: HostContext,
  {
    noStart = false,
    withheld,
    platform,
  }: DoctorFlags & Pick<Cli, 'platform'> & { readonly withheld: string | undefined },
): Promise<readonly Examination[]> {
  const explanations = names.flatMap((each) => explain(discovery, each))
  const how = { starts: !noStart, ...(platform && { platform }) }
  const found = await Promise.all(explanations.map((each) => examine(each, context, how)))
  const { withFindings } = await import('./examine-findings.ts')
  return withFindings(found, { isWithheld: withheld !== undefined, platform })
}

/** Settings of the project: a host reads them with its tools, so they are not in its discovery. */
function isProjectSettings(found: Diagnostic, { diagnostics }: Discovery): boolean {
  return (
    found.code === 'settings-invalid' &&
    !diagnostics.some(({ origin }) => origin?.file === found.origin?.file)
  )
}

/** Zero only if every server that is switched on is ready, or was not to be started. */
function exitFor(found: readonly Examination[], apart: readonly Diagnostic[]): Exit | undefined {
  const [first] = found.flatMap(({ probe }) => probe?.exit ?? [])
  if (first) return first
  if (found.some(({ health }) => health === 'unusable')) return 'failed'
  const isWaiting = found.some(({ health }) => health === 'needs trust' || health === 'changed')
  return exitForFiles(apart) ?? (isWaiting ? 'untrusted' : undefined)
}

/** Writes everything to a file for a bug report, without secrets and without the home directory, which names the user. */
function writeBundle(
  file: string,
  found: readonly Examination[],
  discovery: Discovery,
  cli: Cli,
  context: HostContext,
): void {
  const facts = {
    plugboard: version,
    node: process.version,
    system: `${process.platform} ${process.arch} ${release()}`,
    servers: toExaminationJson(found, discovery),
    diagnostics: toListedDiagnostics(discovery.diagnostics.filter(({ server }) => server === undefined)),
  }
  const text = createDocumentWriter('document')(redacted(facts, context))
  const home = cli.process.env['HOME'] ?? cli.process.env['USERPROFILE']
  const anonymous = home && home.length > 1 ? text.replaceAll(home, '~') : text
  writeTo(file, Buffer.from(`${anonymous}\n`), startOf(cli))
  context.output.note(`The report is in ${file}; read it before you send it to anyone.`)
}

function redacted<T>(value: T, { host }: Pick<HostContext, 'host'>): T {
  return JSON.parse(hideSecrets(host.redact(JSON.stringify(value, undefined, 2)))) as T // redacting only changes strings
}
