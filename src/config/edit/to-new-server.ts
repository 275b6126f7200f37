import { HostError } from '../../model/error.ts'
import type { Server, Transport, Values } from '../../model/server.ts'
import { socketAddress } from '../../sources/clients/socket-address.ts'
import type { LostField, NewServer } from '../../sources/entries/write-rules.ts'
import { translateServer } from './translate-server.ts'
import type { TranslatedServer } from './translate-server.ts'
import type { Translation } from './translate-value.ts'

/** Converts a declaration into a description whose values use the target's syntax. Resolves nothing. */
export function toNewServer(server: Server, translation: Translation): TranslatedServer {
  const described = describeServer(server)
  const translated = translateServer(described, translation)
  return { server: translated.server, lost: [...fieldsNotCopied(server), ...translated.lost] }
}

function describeServer({
  name,
  transport,
  enabled,
  timeouts,
  tools,
  title,
  description,
}: Server): NewServer {
  if (transport.kind === 'channel')
    throw new HostError(
      'config.invalid',
      { server: name },
      `"${name}" is part of a program; no file can declare it.`,
    )
  return {
    name,
    transport:
      transport.kind === 'stdio'
        ? {
            kind: 'stdio',
            command: transport.command,
            args: transport.args,
            env: { ...passedVariables(transport), ...transport.env },
            ...(transport.cwd !== undefined && { cwd: transport.cwd }),
            ...(transport.envFile !== undefined && { envFile: transport.envFile }),
          }
        : { kind: transport.kind, url: transport.url, headers: transport.headers },
    ...(!enabled && { enabled }),
    timeouts,
    tools,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(transport.auth && { auth: transport.auth }),
    ...(transport.kind !== 'stdio' &&
      transport.launch && { launch: { ...transport.launch, env: transport.env ?? {} } }),
  }
}

/** Variables that the owner passes by name, as references. */
function passedVariables({ passEnv = [], secretEnv = [] }: Transport & { kind: 'stdio' }): Values {
  return Object.fromEntries([...passEnv, ...secretEnv].map((name) => [name, { env: name }]))
}

/** Fields that a description cannot express, so that the loss is reported. */
function fieldsNotCopied({ transport, ...server }: Server): readonly LostField[] {
  const fields = {
    lifecycle: server.lifecycle,
    restart: server.restart,
    protocol: server.protocol === 'auto' ? undefined : server.protocol,
    sandbox: server.sandbox,
    runner: server.runner,
    watch: server.watch,
    ...(transport.kind === 'stdio'
      ? {
          unsetEnv: transport.unsetEnv,
          inheritEnv: transport.inheritEnv || undefined,
          framing: transport.framing === 'auto' ? undefined : transport.framing,
        }
      : {
          headersCommand: transport.headersCommand,
          socketPath: socketAddress(transport.url) ? undefined : transport.socketPath,
          tls: transport.tls,
        }),
  }
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return [
    ...present.map(([field]) => ({ field, reason: 'It is not copied.' })),
    ...(transport.secretEnv ?? []).map((name) => ({
      field: `env.${name}`,
      reason: 'The value is in a secret store; the copy reads it from the variable of that name.',
    })),
  ]
}
