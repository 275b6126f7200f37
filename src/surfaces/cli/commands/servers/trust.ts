import { requestTrust, trustServer, untrustServer } from '../../../../config.ts'
import type { TrustRequest } from '../../../../config.ts'
import { HostError } from '../../../../index.ts'
import type { Discovery, Server } from '../../../../index.ts'
import { findServer, hasHash } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { exitIfFilesBroken, reportBrokenFiles, withFileDiagnostics } from '../../broken-files.ts'
import { setExit, outputOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import {
  discoverFor,
  discoverOptions,
  isBrokenFile,
  isDamage,
  narrowToScope,
  problemsInScope,
} from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import { askForYes } from './consent.ts'
import type { Refusal } from './consent.ts'
import { drawRequest, requestToJson } from './trust-request.ts'

export interface TrustFlags extends CommonFlags {
  readonly hash?: string
  readonly all?: boolean
}

/**
 * Shows exactly what would run and asks, one server at a time. Without a terminal nothing is trusted, unless `--hash` names
 * the exact entry (T48).
 */
export async function trust(cli: Cli, flags: TrustFlags, ...names: string[]): Promise<void> {
  checkUsage(flags, names)
  const discovery = await discoverFor(cli, { ...flags, trust: false })
  const broken = problemsInScope(discovery, cli, flags).filter(isBrokenFile)
  const output = withFileDiagnostics(outputOf(cli, flags), broken)
  reportBrokenFiles(cli, broken, output, flags.all || broken.some(isDamage) ? 'fail' : 'warn')
  const requests = await requestsFor(cli, choose(narrowToScope(discovery, flags.scope), flags, names), flags)
  if (requests.length === 0) output.note('No server here waits for your trust.')
  const results: Record<string, unknown>[] = []
  for (const request of requests) {
    const error = await trustOne(cli, flags, request, output)
    results.push({ ...requestToJson(request), ...(error ? { error } : { trust: 'trusted' }) })
    if (error?.code === 'cancelled') break
  }
  if (flags.json) output.result({ servers: results }, () => '')
  // A broken file may declare servers that `--all` means; a named server was found.
  if (flags.all) exitIfFilesBroken(cli, broken)
  else if (broken.some(isDamage)) setExit(cli, 'damaged')
  await output.flush()
}

function checkUsage({ all, hash }: TrustFlags, names: readonly string[]): void {
  if (all && names.length > 0) throw usage('Name the servers or use --all, not both.')
  if (!all && names.length === 0) throw usage('Name a server, or use --all.')
  if (hash !== undefined && names.length !== 1) throw usage('--hash requires the name of exactly one server.')
}

function choose(discovery: Discovery, { all }: TrustFlags, names: readonly string[]): readonly Server[] {
  const waiting = discovery.shadowed.filter(({ trust: state }) => state).map(({ server }) => server)
  if (all)
    return [...discovery.servers.filter((server) => discovery.trust.get(server) !== 'trusted'), ...waiting]
  return [...new Set(names)].flatMap((name) => {
    const behind = waiting.filter((server) => server.name === name)
    if (behind.length > 0) return behind
    const found = discovery.servers.filter((server) => server.name === name)
    return found.length > 0 ? found : [findServer(discovery, name)]
  })
}

/** If a name occurs several times, the hash selects one. */
async function requestsFor(
  cli: Cli,
  servers: readonly Server[],
  flags: TrustFlags,
): Promise<readonly TrustRequest[]> {
  const requests = await Promise.all(
    servers.map((server) => requestTrust(server, discoverOptions(cli, flags))),
  )
  const { hash } = flags
  const meant = hash === undefined ? [] : requests.filter((request) => hasHash(request, hash))
  return meant.length > 0 ? meant : requests
}

/** Returns the refusal, or `undefined` if the server is trusted now. */
async function trustOne(
  cli: Cli,
  flags: TrustFlags,
  request: TrustRequest,
  output: Output,
): Promise<Refusal | undefined> {
  const name = escapeLine(request.server.name)
  const say = (text: string) => (flags.json ? output.note(text) : output.text(() => text))
  if (request.state === 'trusted') {
    say(`"${name}" is already trusted.`)
    return undefined
  }
  if (flags.hash === undefined) {
    output.show(drawRequest(request, output.notes))
    const refusal = await ask(cli, request, output)
    if (refusal) return refusal
  }
  await trustServer(request, {
    ...discoverOptions(cli, flags),
    ...(flags.hash !== undefined && { hash: flags.hash }),
  })
  say(`Trusted "${name}".`)
  return undefined
}

function ask(cli: Cli, { server, hash }: TrustRequest, output: Output): Promise<Refusal | undefined> {
  const name = escapeLine(server.name)
  const command = serverCommand('trust', server.name, `--hash ${hash} `)
  const question = {
    message: `Trust "${name}"?`,
    initial: false,
    refused: `"${name}" stays untrusted.`,
    noTerminal: {
      message: 'There is no terminal to ask in.',
      hint: `In a script, name the exact entry: ${command}`,
    },
  }
  return askForYes(cli, question, output)
}

export async function untrust(cli: Cli, flags: CommonFlags, name: string): Promise<void> {
  const output = outputOf(cli, flags)
  const removed = await untrustServer(name, discoverOptions(cli, flags))
  if (removed === 0) {
    // A name that nothing declares is reported as such, with the file that may declare it.
    findServer(await discoverFor(cli, flags), name)
    throw new HostError('server.unknown', { server: name }, `"${name}" was not trusted.`, {
      hint: 'See: plugboard list',
    })
  }
  output.result({ name, trust: 'pending', removed }, () => `"${escapeLine(name)}" is no longer trusted.`)
  return output.flush()
}
