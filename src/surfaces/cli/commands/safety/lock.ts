import { compareLockFiles, isBreach, printLockFile, writeLockFile } from '../../../../internal.ts'
import type { LockDifference, LockFile, LockedServer } from '../../../../internal.ts'
import { describeDifference } from '../../../facts/findings/lock-facts.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { setExit } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import type { Exit } from '../../exit-codes.ts'
import { withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { gatherProjects } from './locked-projects.ts'
import type { LockedProject, ServerNow } from './locked-projects.ts'

export interface LockFlags extends WaitFlags {
  readonly noStart?: boolean
  readonly dryRun?: boolean
  readonly check?: boolean
  readonly frozen?: boolean
  readonly pinPackages?: boolean
  readonly yes?: boolean
}

/** What happened to one lock file. */
interface Outcome {
  readonly file: string
  readonly state: 'written' | 'same' | 'planned' | 'checked' | 'absent' | 'broken'
  readonly problem?: { readonly line: number; readonly message: string }
  readonly differences: readonly LockDifference[]
  readonly servers: readonly OutcomeServer[]
}

interface OutcomeServer extends Pick<ServerNow, 'name' | 'skipped'> {
  readonly state: 'locked' | 'kept' | 'left out' | 'checked'
  readonly path?: string
}

/**
 * Writes the lock file beside the config of each project that declares servers here (D-11). No other command writes it. The
 * lock that is there does not hold anything back meanwhile: what the servers really offer is written or compared.
 */
export async function lock(cli: Cli, flags: LockFlags): Promise<void> {
  checkUsage(flags)
  if (flags.pinPackages) return (await import('./pin-packages.ts')).pinPackages(cli, flags)
  await withHost(
    cli,
    flags,
    async (context) => {
      const projects = await gatherProjects(cli, context, flags)
      const outcomes: Outcome[] = []
      for (const project of projects)
        outcomes.push(isCheck(flags) ? check(project, flags) : await write(project, flags))
      print(outcomes, context, flags)
      const exit = exitFor(outcomes, projects, flags)
      if (exit) setExit(cli, exit)
    },
    {
      brokenFiles: 'fail',
      isOwn: true,
      // A check accepts nothing: on a machine that has seen nothing yet, everything would be accepted at first sight.
      options: async () => ({
        lock: false,
        trustKeys: true,
        ...(isCheck(flags) && { accept: 'off' as const }),
      }),
    },
  )
}

function isCheck({ check: checks, frozen }: LockFlags): boolean {
  return checks === true || frozen === true
}

function checkUsage({ check: checks, frozen, pinPackages, noStart, dryRun, yes }: LockFlags): void {
  if ([checks, frozen, pinPackages].filter(Boolean).length > 1)
    throw usage('--check, --frozen and --pin-packages exclude each other.')
  if (frozen && noStart) throw usage('--frozen connects to every server; leave out --no-start.')
  if ((checks || frozen) && dryRun) throw usage('--check and --frozen write nothing; leave out --dry-run.')
  if (yes && !pinPackages) throw usage('--yes belongs to --pin-packages.')
}

/** A server of which not everything is known keeps what was agreed on before. */
async function write({ reading, servers, hidden }: LockedProject, { dryRun }: LockFlags): Promise<Outcome> {
  const { file } = reading
  const before: LockFile = reading.kind === 'lock' ? reading.lock : { servers: new Map() }
  const kept = [...servers.filter(({ now }) => !now).map(({ name }) => name), ...hidden].flatMap((name) => {
    const earlier = before.servers.get(name)
    return earlier ? [[name, earlier] as const] : []
  })
  const after: LockFile = {
    servers: new Map([...kept, ...servers.flatMap(({ name, now }) => (now ? [[name, now] as const] : []))]),
  }
  const text = printLockFile(after)
  // A file that cannot be used, such as a link out of the project, is not the same as a lock of that text.
  const isSame =
    (reading.kind === 'lock' && text === reading.text) ||
    (reading.kind === 'absent' && after.servers.size === 0)
  if (!isSame && !dryRun) await writeLockFile({ file, before: reading.text, after: text })
  const keptNames = new Set(kept.map(([name]) => name))
  return {
    file,
    state: isSame ? 'same' : dryRun ? 'planned' : 'written',
    ...problemOf(reading),
    differences: compareLockFiles(before, after),
    servers: servers.map((each) => ({
      ...toOutcome(each),
      state: each.now ? 'locked' : keptNames.has(each.name) ? 'kept' : 'left out',
    })),
  }
}

function check({ reading, servers, hidden }: LockedProject, { frozen }: LockFlags): Outcome {
  const checked = servers.map((each) => ({ ...toOutcome(each), state: 'checked' as const }))
  const base = { file: reading.file, servers: checked }
  if (reading.kind !== 'lock') return { ...base, state: reading.kind, ...problemOf(reading), differences: [] }
  const locked = reading.lock.servers
  const now: LockFile = {
    servers: new Map([
      ...servers.map((each) => [each.name, each.now ?? programOnly(each, locked.get(each.name))] as const),
      ...hidden.flatMap((name) => {
        const agreed = locked.get(name)
        return agreed ? [[name, agreed] as const] : []
      }),
    ]),
  }
  const differences = compareLockFiles(reading.lock, now).filter((each) =>
    isBreach(each, frozen ? 'all' : 'known'),
  )
  return { ...base, state: 'checked', differences }
}

/** Of a server whose offers are not known, only what it runs is compared. */
function programOnly({ program }: ServerNow, agreed: LockedServer | undefined): LockedServer {
  const none = { tools: new Map(), prompts: new Map(), templates: new Map(), skills: new Map() }
  const { instructions, tools, prompts, templates, skills } = agreed ?? { ...none, instructions: undefined }
  const offers = { tools, prompts, templates, skills }
  return { ...program, ...(instructions !== undefined && { instructions }), ...offers }
}

function toOutcome({ name, skipped, path }: ServerNow): Omit<OutcomeServer, 'state'> {
  return { name, ...(skipped && { skipped }), ...(path !== undefined && { path }) }
}

function problemOf(reading: LockedProject['reading']): Pick<Outcome, 'problem'> {
  if (reading.kind !== 'broken') return {}
  return { problem: { line: reading.line, message: `${reading.problem} ${reading.hint}` } }
}

function print(outcomes: readonly Outcome[], { output, host }: HostContext, flags: LockFlags): void {
  const redact = <T>(value: T): T => JSON.parse(host.redact(JSON.stringify(value))) as T // redacting only changes strings
  const shown = redact(outcomes)
  output.result({ files: shown }, (canvas) =>
    shown.length === 0
      ? 'No project declares a server here.'
      : shown.map((each) => drawOutcome(each, flags, canvas)).join('\n\n'),
  )
  for (const { servers } of shown)
    for (const { name, state, skipped } of servers)
      if (skipped)
        output.warn(`${name} is ${state === 'checked' ? 'not compared' : state}: ${skipped.message}`)
}

function drawOutcome(outcome: Outcome, { frozen }: LockFlags, { style, path }: Canvas): string {
  const lines = outcome.differences.map((difference) => {
    const { mark, text } = describeDifference(difference)
    const line = `  ${mark} ${text}`
    if (mark === '+') return style.green(line)
    return mark === '-' ? style.red(line) : style.yellow(line)
  })
  return [`${path(outcome.file)}: ${titleOf(outcome, frozen ? 'Run: plugboard lock' : '')}`, ...lines].join(
    '\n',
  )
}

function titleOf({ state, differences, problem, servers }: Outcome, hint: string): string {
  const count = servers.filter((each) => each.state === 'locked').length
  const isEmpty = servers.every((each) => each.state === 'left out')
  switch (state) {
    case 'written':
      return `written, ${count} ${count === 1 ? 'server' : 'servers'} locked.`
    case 'planned':
      return 'would be written.'
    case 'same':
      return isEmpty ? 'not written: there is nothing to lock.' : 'nothing has changed.'
    case 'absent':
      return 'there is no such file. Write it: plugboard lock'
    case 'broken':
      return `line ${problem?.line ?? 1}: ${problem?.message ?? ''}`
    case 'checked':
      return differences.length === 0 ? asLocked(servers) : `what is there differs. ${hint}`.trim()
    default:
      return state satisfies never
  }
}

/** Says no more than was compared: of a server that was not asked, only what it runs. */
function asLocked(servers: Outcome['servers']): string {
  const unasked = servers.filter(({ skipped }) => skipped && skipped.reason !== 'disabled')
  if (unasked.length === 0) return 'everything is as locked.'
  const names = unasked.map(({ name }) => name).join(', ')
  return `what was compared is as locked, which is not what these offer: ${names}.`
}

/** A lock that could not cover every server is not complete; a check that found a difference failed. */
function exitFor(
  outcomes: readonly Outcome[],
  projects: readonly LockedProject[],
  flags: LockFlags,
): Exit | undefined {
  const isBroken = outcomes.some(
    ({ state, differences }) =>
      state === 'absent' || state === 'broken' || (state === 'checked' && differences.length > 0),
  )
  if (isCheck(flags) && isBroken) return 'differs'
  // What is not known cannot differ; `--frozen` knows everything.
  if (flags.check) return undefined
  const failures = projects.flatMap(({ servers }) => servers.flatMap(({ skipped }) => skipped?.exit ?? []))
  return failures[0]
}
