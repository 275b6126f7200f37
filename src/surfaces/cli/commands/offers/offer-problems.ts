import type { Diagnostic, Discovery, Host, ServerStatus, View } from '../../../../index.ts'
import { shownFailure } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { quote } from '../../../terminal/argv.ts'
import { isTimedOut } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { setExit } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { exitForFiles, isDamage, scopeFilter } from '../../discover-servers.ts'
import { count, drawProblem } from '../../output/draw.ts'

/** A server whose offers are not known, and why. */
export interface MissingServer {
  readonly server: string
  readonly state: string
  readonly message: string
  readonly hint?: string
  /** Since when it has been in this state, as ISO 8601; absent if its entry is unusable. */
  readonly since?: string
}

/** `withUnasked` includes servers that were not asked because the answer was known without them. */
export function missingServers(
  host: Host,
  flags: WaitFlags,
  { withUnasked = false }: { readonly withUnasked?: boolean } = {},
): readonly MissingServer[] {
  const isMeant = scopeFilter(host, flags)
  const inForce = host
    .servers()
    .filter(({ name }) => isMeant({ server: name }))
    .flatMap((status) => toMissing(status, { withUnasked, timeoutMs: flags.timeout }))
  return flags.scope === undefined ? [...inForce, ...unusableEntries(host.discovery)] : inForce
}

/** Servers whose only declaration was refused. */
function unusableEntries({ servers, diagnostics }: Discovery): readonly MissingServer[] {
  const known = new Set(servers.map(({ name }) => name))
  return diagnostics.flatMap(({ severity, server, message, hint }) => {
    if (severity !== 'error' || server === undefined || known.has(server)) return []
    known.add(server)
    return [{ server, state: 'unusable', message, ...(hint !== undefined && { hint }) }]
  })
}

interface MissingRules {
  readonly withUnasked: boolean
  /** The value of `--timeout`, which also limits how long a server may take to start. */
  readonly timeoutMs: number | undefined
}

function toMissing(
  { name: server, status, isKnown, unfinished: before }: ServerStatus,
  { withUnasked, timeoutMs }: MissingRules,
): readonly MissingServer[] {
  const { state } = status
  const about = { server, state, since: toIso(status.since) }
  const hint = `Wait for it as long as it takes: plugboard test ${quote(server)}`
  const tryAgain = `Try it again: plugboard test ${quote(server)}`
  // A server that had its whole time in an earlier run was given one second now.
  const hung = before?.reason === 'timed-out' ? before : undefined
  const unfinished = hung
    ? { message: `It did not get ready within ${seconds(hung.waitedMs)} at ${hung.at}.`, hint: tryAgain }
    : { message: 'It is not ready yet.', hint }
  if (state === 'failed' || state === 'waiting' || state === 'needs-auth') {
    const { code, message, hint: next } = shownFailure(server, status)
    // `--timeout` cut its start off, a moment before it ends the command.
    if (code === 'timeout' && timeoutMs !== undefined)
      return [{ server, state: 'connecting', since: toIso(status.since - timeoutMs), ...unfinished }]
    return [{ ...about, message, hint: next }]
  }
  if (state === 'untrusted') return [{ ...about, message: 'It is not trusted.' }]
  if (state === 'connecting') return [{ ...about, ...unfinished }]
  if (state === 'ready' && !isKnown)
    return [{ ...about, message: 'It is connected but has not listed its tools.', hint }]
  if (state === 'idle' && !isKnown && withUnasked)
    return [{ ...about, message: 'It was not asked.', hint: `Ask it: plugboard test ${quote(server)}` }]
  return []
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

interface OfferResult {
  readonly found: readonly unknown[]
  readonly missing: readonly MissingServer[]
  readonly problems?: readonly Diagnostic[]
}

/**
 * Exits as unavailable, or as a missing login, if nothing was found but a server could not be asked, as timed out if `--timeout` ended the wait
 * for one, and as damaged if settings cannot be read: the result may be incomplete.
 */
export function exitIfIncomplete(
  cli: Cli,
  context: Pick<HostContext, 'remainingMs'>,
  { found, missing, problems = [] }: OfferResult,
): void {
  const unasked = missing.filter(({ state }) => state !== 'untrusted')
  const isLogin = unasked.every(({ state }) => state === 'needs-auth')
  if (found.length === 0 && unasked.length > 0) setExit(cli, isLogin ? 'login' : 'unavailable')
  // An attempt to connect ends with the same timeout, so a server may have failed by now.
  if (isTimedOut(context) && unasked.length > 0) setExit(cli, 'timeout')
  const exit = exitForFiles(problems)
  if (exit) setExit(cli, exit)
}

/** Warns about servers whose offers are missing from a list. */
export function warnMissing(missing: readonly MissingServer[], output: Output): void {
  const waiting = missing.filter(({ state }) => state === 'untrusted')
  for (const { server, message, hint } of missing.filter(({ state }) => state !== 'untrusted'))
    output.warn(
      escapeLine(
        `"${server}" is missing here: ${hint === undefined ? message : `${endSentence(message)} ${hint}`}`,
      ),
    )
  if (waiting.length === 0) return
  const verb = waiting.length === 1 ? 'waits' : 'wait'
  output.note(
    `${count(waiting.length, 'server')} of this project ${verb} for your trust: plugboard trust --all`,
  )
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** Problems of the rules of a view. Idle patterns are left out until all servers are known: they may match one of those. */
export function problemsFor(view: View, host: Host): readonly Diagnostic[] {
  const isWhole = host.tools().length > 0 && host.servers().every(isLearned)
  return view
    .problems()
    .filter((found) => (isWhole || found.code !== 'idle-pattern') && !isReported(found, host.discovery))
}

function isLearned({ isKnown, status }: ServerStatus): boolean {
  return isKnown || status.state === 'disabled'
}

/** Prints hidden tools with the reason, and likely mistakes. */
export function printProblems(problems: readonly Diagnostic[], output: Output): void {
  for (const found of problems) {
    // Settings that cannot be read hide every tool: printed with `--quiet` too, because the command fails.
    if (isDamage(found)) {
      output.fault(drawProblem(found, output.notes))
      continue
    }
    const { code, severity } = found
    const message = escapeLine(found.message)
    // C11, B18: without this note, a hidden tool would look like one that its server does not have.
    if (code === 'guarded') output.note(message)
    else if (severity === 'info') continue
    else if (code === 'name-clash') output.warn(message)
    else output.note(drawProblem({ ...found, message }, output.notes))
  }
}

/** Unreadable settings, which hide every tool. Those of the user are reported with the other broken files. */
export function brokenSettings(view: View, { discovery }: Host): readonly Diagnostic[] {
  const broken = view
    .problems()
    .filter(({ code, severity }) => code === 'settings-invalid' && severity === 'error')
  return broken.filter((found) => !isReported(found, discovery))
}

function isReported(found: Diagnostic, { diagnostics }: Discovery): boolean {
  if (!isDamage(found)) return false
  return diagnostics.some((each) => isDamage(each) && each.origin?.file === found.origin?.file)
}

/** Says how many offers are held: without this note, one that was there yesterday would look like one that is gone. */
export function noteHeld(
  host: Pick<Host, 'held'>,
  output: Pick<Output, 'note'>,
  isMeant: (each: { readonly server: string }) => boolean = () => true,
): void {
  for (const { server, offers } of host.held())
    if (offers.length > 0 && isMeant({ server }))
      output.note(
        escapeLine(
          `${count(offers.length, 'offer')} of "${server}" ${offers.length === 1 ? 'is' : 'are'} held and not shown: ${serverCommand('review', server)}`,
        ),
      )
}
