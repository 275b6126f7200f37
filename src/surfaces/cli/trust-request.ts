import type { Server } from '../../index.ts'
import { redactArguments, redactWords } from '../../config.ts'
import type { TrustRequest } from '../../config.ts'
import { showCommand } from '../terminal/argv.ts'
import type { Canvas } from '../terminal/output.ts'
import { endpointOf, placeOf } from './draw.ts'

/** Everything a person must see before they say yes, complete whatever its length (T10). */
export function drawRequest(request: TrustRequest, canvas: Canvas): string {
  const { server, variables, commands, files, changes, trustedAt } = request
  const { style } = canvas
  return [
    `${style.bold(server.name)} is declared by this project in ${placeOf(server.origin, canvas)}.`,
    '',
    ...drawEndpoint(server, canvas),
    ...(variables.length > 0 ? [`It gets these variables of yours: ${variables.join(', ')}`] : []),
    ...commands.map((command) => `${style.yellow('It runs for its values:')} ${redactWords(command)}`),
    ...files.map((file) => `It reads for its values: ${file}`),
    ...(trustedAt === undefined ? [] : ['', `You trusted another form of it on ${trustedAt}. What changed:`]),
    ...changes.map(({ pointer, before, after }) => `  ${pointer}: ${json(before)} → ${json(after)}`),
    '',
    `hash ${request.key}`,
  ].join('\n')
}

function drawEndpoint(server: Server, { style, width }: Canvas): readonly string[] {
  const { transport } = server
  const names = Object.keys(transport.env ?? {})
  const environment = names.length > 0 ? [`with the environment: ${names.join(', ')}`] : []
  if (transport.kind !== 'stdio') {
    const headers = Object.keys(transport.headers)
    return [
      `It would reach: ${endpointOf(server)}`,
      ...(headers.length > 0 ? [`with the headers: ${headers.join(', ')}`] : []),
      ...environment,
    ]
  }
  return [
    'It would run:',
    showCommand(transport.command, transport.args, { style, width, mask: redactArguments }),
    ...(transport.cwd === undefined ? [] : [`in ${transport.cwd}`]),
    ...environment,
  ]
}

function json(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value)
}

export function requestToJson(request: TrustRequest): Record<string, unknown> {
  const { server, key, state, variables, commands, files, changes } = request
  return { name: server.name, trust: state, hash: key, variables, commands, files, changes }
}
