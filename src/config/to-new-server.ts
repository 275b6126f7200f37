import type { Server, Value, Values } from '../model/server.ts'
import type { ValueRules } from '../sources/template.ts'
import type { Lost, NewServer } from '../sources/writing.ts'
import { answersTo, translateValue } from './translate.ts'
import type { Answers } from './translate.ts'

export interface Translated {
  readonly server: NewServer
  /** What the other owner has no way to write. */
  readonly lost: readonly Lost[]
}

/** A declaration as a description, its values in the other owner's way of writing. Nothing is resolved for it. */
export function toNewServer(
  server: Server,
  from: ValueRules,
  to: ValueRules,
  answers: Answers = {},
): Translated {
  const lost: Lost[] = []
  const text = (field: string, value: string): string => {
    const translated = translateValue(value, from, to, answers)
    if (translated === undefined)
      lost.push({ field, reason: `It has no way to write ${value}; the text stays as it is.` })
    return translated ?? value
  }
  const map = (field: string, values: Values | undefined): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values ?? {}).map(([name, value]) => [
        name,
        text(`${field}.${name}`, asTemplate(value)),
      ]),
    )
  const { transport, enabled, timeouts, tools, title, description } = server
  return {
    server: {
      name: server.name,
      transport:
        transport.kind === 'stdio'
          ? {
              kind: 'stdio',
              command: text('command', transport.command),
              args: transport.args.flatMap(
                (arg, index) => answersTo(arg, from, answers) ?? [text(`args.${index}`, arg)],
              ),
              env: map('env', transport.env),
              ...(transport.cwd !== undefined && { cwd: text('cwd', transport.cwd) }),
              ...(transport.envFile !== undefined && { envFile: text('envFile', transport.envFile) }),
            }
          : {
              kind: transport.kind,
              url: text('url', transport.url),
              headers: map('headers', transport.headers),
            },
      ...(!enabled && { enabled }),
      timeouts,
      tools,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(transport.auth && { auth: transport.auth }),
    },
    lost,
  }
}

/** A variable's name in the form that every syntax can be made of. */
function asTemplate(value: Value): string {
  return typeof value === 'string' ? value : `\${${value.env}}`
}
