import { HostError } from '../../../index.ts'
import type { Server } from '../../../index.ts'
import { findServer, redactText, requestTrust, trustServer, untrustServer } from '../../../config.ts'
import type { TrustRequest } from '../../../config.ts'
import { showCommand } from '../../terminal/argv.ts'
import type { Canvas } from '../../terminal/output.ts'
import { discoverFor, discoverOptions, isInteractive, leave, outputOf, promptsOf } from '../context.ts'
import type { Cli, CommonFlags } from '../context.ts'
import { endpointOf, placeOf } from '../draw.ts'

export interface TrustFlags extends CommonFlags {
  readonly hash?: string
}

/** Shows exactly what would run, and asks. Without a person the answer is no, unless the script names the exact entry. */
export async function trust(this: Cli, flags: TrustFlags, name: string): Promise<void> {
  const output = outputOf(this, flags)
  const options = discoverOptions(flags)
  const server = findServer(await discoverFor(flags), name)
  const request = await requestTrust(server, options)
  if (request.state === 'trusted') {
    output.result({ name, trust: 'trusted' }, () => `"${name}" is already trusted.`)
    return output.flush()
  }
  if (flags.hash !== undefined) {
    await trustServer(request, { ...options, hash: flags.hash })
    output.result({ name, trust: 'trusted', hash: request.key }, () => `Trusted "${name}".`)
    return output.flush()
  }
  output.note(drawRequest(request, output.notes))
  if (!isInteractive(this)) {
    output.result(toJson(request), () => '')
    leave(this, 'untrusted')
    output.error(
      `Nobody is here to ask. A script names the exact entry: plugboard trust ${name} --hash ${request.key}`,
    )
    return output.flush()
  }
  const answer = await promptsOf(this).confirm({ message: `Trust "${name}"?`, initial: false })
  if (answer.cancelled || !answer.value) {
    leave(this, answer.cancelled ? 'cancelled' : 'untrusted')
    output.note(`"${name}" stays untrusted.`)
    return output.flush()
  }
  await trustServer(request, options)
  output.result({ name, trust: 'trusted', hash: request.key }, () => `Trusted "${name}".`)
  return output.flush()
}

export async function untrust(this: Cli, flags: CommonFlags, name: string): Promise<void> {
  const output = outputOf(this, flags)
  const removed = await untrustServer(name, discoverOptions(flags))
  if (removed === 0) {
    throw new HostError('server.unknown', { server: name }, `"${name}" was not trusted.`, {
      hint: 'See: plugboard list',
    })
  }
  output.result({ name, trust: 'pending', removed }, () => `"${name}" is no longer trusted.`)
  return output.flush()
}

function drawRequest(request: TrustRequest, canvas: Canvas): string {
  const { server, variables, commands, files, changes, trustedAt } = request
  const { style } = canvas
  return [
    `${style.bold(server.name)} is declared by this project in ${placeOf(server.origin)}.`,
    '',
    ...drawEndpoint(server),
    ...(variables.length > 0 ? [`It gets these variables of yours: ${variables.join(', ')}`] : []),
    ...commands.map((command) => `${style.yellow('It runs for its values:')} ${command}`),
    ...files.map((file) => `It reads for its values: ${file}`),
    ...(trustedAt === undefined ? [] : ['', `You trusted another form of it on ${trustedAt}. What changed:`]),
    ...changes.map(({ pointer, before, after }) => `  ${pointer}: ${json(before)} → ${json(after)}`),
    '',
    `hash ${request.key}`,
  ].join('\n')
}

function drawEndpoint(server: Server): readonly string[] {
  const { transport } = server
  if (transport.kind !== 'stdio') {
    const headers = Object.keys(transport.headers)
    return [
      `It would reach: ${endpointOf(server)}`,
      ...(headers.length > 0 ? [`with the headers: ${headers.join(', ')}`] : []),
    ]
  }
  const names = Object.keys(transport.env)
  return [
    'It would run:',
    redactText(showCommand(transport.command, transport.args)),
    ...(transport.cwd === undefined ? [] : [`in ${transport.cwd}`]),
    ...(names.length > 0 ? [`with the environment: ${names.join(', ')}`] : []),
  ]
}

function json(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value)
}

function toJson({
  server,
  key,
  state,
  variables,
  commands,
  files,
  changes,
}: TrustRequest): Record<string, unknown> {
  return { name: server.name, trust: state, hash: key, variables, commands, files, changes }
}
