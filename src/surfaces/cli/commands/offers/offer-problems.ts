import type { Diagnostic, Host, ServerStatus, View } from '../../../../index.ts'
import { shownFailure } from '../../../../internal.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { setExit } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { count, drawProblem } from '../../output/draw.ts'

/** A server whose offers are not known, and why. */
export interface MissingServer {
  readonly server: string
  readonly state: string
  readonly message: string
  readonly hint?: string
}

export function missingServers(host: Host, flags: CommonFlags): readonly MissingServer[] {
  const isMeant = scopeFilter(host, flags)
  return host
    .servers()
    .filter(({ name }) => isMeant({ server: name }))
    .flatMap((status) => toMissing(status))
}

function toMissing({ name: server, status }: ServerStatus): readonly MissingServer[] {
  if (status.state === 'failed' || status.state === 'waiting' || status.state === 'needs-auth') {
    const { message, hint } = shownFailure(server, status)
    return [{ server, state: status.state, message, hint }]
  }
  if (status.state === 'connecting') return [{ server, state: 'connecting', message: 'It is not ready yet.' }]
  return status.state === 'untrusted' ? [{ server, state: 'untrusted', message: 'It is not trusted.' }] : []
}

/** Exits as unavailable if nothing was found but a server could not be asked: the result may be incomplete. */
export function exitIfIncomplete(
  cli: Cli,
  found: readonly unknown[],
  missing: readonly MissingServer[],
): void {
  if (found.length === 0 && missing.some(({ state }) => state !== 'untrusted')) setExit(cli, 'unavailable')
}

/** Warns about servers whose offers are missing from a list. */
export function warnMissing(missing: readonly MissingServer[], output: Output): void {
  const waiting = missing.filter(({ state }) => state === 'untrusted')
  for (const { server, message, hint } of missing.filter(({ state }) => state !== 'untrusted'))
    output.warn(escapeLine(`"${server}" is missing here: ${message}${hint === undefined ? '' : ` ${hint}`}`))
  if (waiting.length === 0) return
  const verb = waiting.length === 1 ? 'waits' : 'wait'
  output.note(
    `${count(waiting.length, 'server')} of this project ${verb} for your trust: plugboard trust --all`,
  )
}

/** Problems of the rules of a view. Idle patterns are left out until all servers are known: they may match one of those. */
export function problemsFor(view: View, host: Host): readonly Diagnostic[] {
  const isWhole = host.tools().length > 0 && host.servers().every(isLearned)
  return view.problems().filter(({ code }) => isWhole || code !== 'idle-pattern')
}

function isLearned({ isKnown, status }: ServerStatus): boolean {
  return isKnown || status.state === 'disabled'
}

/** Prints hidden tools with the reason, and likely mistakes. */
export function printProblems(problems: readonly Diagnostic[], output: Output): void {
  for (const found of problems) {
    const { code, severity } = found
    const message = escapeLine(found.message)
    // C11, B18: without this note, a hidden tool would look like one that its server does not have.
    if (code === 'guarded') output.note(message)
    else if (severity === 'info') continue
    else if (code === 'name-clash') output.warn(message)
    else output.note(drawProblem({ ...found, message }, output.notes))
  }
}

/** Prints unreadable settings, which hide every tool. */
export function printBrokenSettings(view: View, output: Output): void {
  printProblems(
    view.problems().filter(({ code, severity }) => code === 'settings-invalid' && severity === 'error'),
    output,
  )
}
