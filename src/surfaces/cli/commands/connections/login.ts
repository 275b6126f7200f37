import { addAbortSignal } from 'node:stream'
import { login as logIn } from '../../../../auth.ts'
import type { Account, LoginOptions, LoginStep } from '../../../../auth.ts'
import { HostError } from '../../../../index.ts'
import { findServer } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas, Output } from '../../../terminal/terminal-output.ts'
import { answersOf, isInteractive, outputOf, promptsOf, folderOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { discoverFor, discoverOptions } from '../../discover-servers.ts'
import { usage } from '../../errors.ts'

export interface LoginFlags extends Omit<WaitFlags, 'scope'> {
  readonly account?: string
  readonly paste?: boolean
  readonly device?: boolean
  readonly port?: number
  /** OAuth scopes, unlike the `--scope` of other commands. */
  readonly scope?: readonly string[]
  readonly noBrowser?: boolean
}

/** Logs in to a server. Instructions go to stderr; tokens and codes are never shown. */
export async function login(cli: Cli, flags: LoginFlags, name: string): Promise<void> {
  if (flags.paste && flags.device) throw usage('Use --paste or --device, not both.')
  if (flags.account?.trim() === '') throw usage('An account needs a name: --account NAME.')
  const { scope: _rights, ...common } = flags
  const output = outputOf(cli, common)
  const server = findServer(await discoverFor(cli, common), name)
  const paste = (question: string, over: AbortSignal) => askAddress(cli, { name, question, over })
  const account = await cli.signals.guard(({ signal }) =>
    logIn(server, { ...optionsOf(cli, flags, { output, signal }), paste }),
  )
  // Chats that wait for this login go on. The login itself is done, whatever the store says.
  await (await import('../agent/open-questions.ts')).settleLogins(cli, name).catch(() => undefined)
  output.result({ ...account }, (canvas) => `${name}: logged in. ${drawAccount(account, canvas)}`)
  if (!server.enabled) output.note(`It is switched off. Switch it on: plugboard enable ${quote(name)}`)
  await output.flush()
}

function optionsOf(
  cli: Cli,
  flags: LoginFlags,
  { output, signal }: { readonly output: Output; readonly signal: AbortSignal },
): LoginOptions {
  const { account, paste, device, port, noBrowser, timeout, scope, ...common } = flags
  const scopes = scope?.flatMap((text) => text.split(/[\s,]+/).filter(Boolean))
  return {
    ...discoverOptions(cli, common),
    cwd: folderOf(cli, flags),
    flow: paste ? 'paste' : device ? 'device' : 'browser',
    ...(account !== undefined && { account }),
    ...(port !== undefined && { port }),
    ...(scopes && scopes.length > 0 && { scopes }),
    ...(noBrowser && { open: async () => false }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...answersOf(flags),
    tell: (step) => showStep(step, output),
    warn: (message) => output.warn(message),
    signal,
  }
}

interface AddressQuestion {
  readonly name: string
  readonly question: string
  readonly over: AbortSignal
}

/** Asks for the final address without echo, because it contains a code. */
async function askAddress(cli: Cli, { name, question, over }: AddressQuestion): Promise<string> {
  if (!isInteractive(cli)) return (await readLine(cli, over)) ?? refuseAddress(name)
  const answer = await promptsOf(cli, over).password({ message: question })
  if (answer.cancelled) throw new HostError('login.cancelled', { server: name }, 'Cancelled.')
  return answer.value
}

/** The first line of stdin, or `undefined` if there is none. */
async function readLine({ process, live }: Cli, over: AbortSignal): Promise<string | undefined> {
  let text = ''
  // A pipe is read only once, for one line.
  if (process.stdin.destroyed) return text
  if (live?.nextLine) {
    process.stdin.destroy()
    return live.nextLine()
  }
  // Stop reading when the login ends: otherwise the open pipe would keep the process alive.
  for await (const chunk of addAbortSignal(over, process.stdin.setEncoding('utf8'))) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text === '' ? undefined : text.split('\n')[0]
}

function refuseAddress(server: string): never {
  const message = `"${server}": No address was given for the end of the login.`
  throw new HostError('login.failed', { server, reason: 'unusable' }, message, {
    hint: `Put it on the next line of the input, or log in at a terminal: plugboard login --paste ${quote(server)}`,
  })
}

function showStep(step: LoginStep, output: Output): void {
  switch (step.type) {
    case 'browser':
      return output.show(
        step.isOpen
          ? `Log in on the page in your browser. If no page opened, open this one:\n${step.url}`
          : `Open this page in a browser on this machine to log in, or try --paste or --device:\n${step.url}`,
      )
    case 'paste':
      return output.show(
        `Open this page in any browser and log in. The last page does not load: copy its whole address.\n${step.url}`,
      )
    case 'device':
      return output.show(`Open ${step.url} in any browser and enter this code: ${step.code}`)
    case 'exchanging':
      return output.progress('Logging in…')
    default:
      return step satisfies never
  }
}

/** A login in one line: account, issuer, scopes and expiry. */
function drawAccount(
  { account, who, issuer, scopes, expiresAt, isRenewable }: Account,
  { style }: Canvas,
): string {
  const parts = [
    who === undefined
      ? `account ${escapeLine(account)}`
      : `${escapeLine(who)} (account ${escapeLine(account)})`,
    `at ${escapeLine(issuer)}`,
    ...(scopes.length > 0 ? [`scopes ${escapeLine(scopes.join(' '))}`] : []),
    ...(expiresAt === undefined || isRenewable ? [] : [`until ${new Date(expiresAt).toISOString()}`]),
  ]
  return style.dim(parts.join(', '))
}
