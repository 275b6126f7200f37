import type { Server, Value } from '../../../model/server.ts'

/** The bundle's server without the variables and arguments that refer to a left out `user_config` value. */
export function leaveOutValues(server: Server, isLeftOut: (id: string) => boolean): Server {
  const { transport } = server
  if (transport.kind !== 'stdio') return server
  const refersTo = (value: Value) => idsIn(value).some(isLeftOut)
  const env = Object.entries(transport.env).filter(([, value]) => !refersTo(value))
  return {
    ...server,
    transport: {
      ...transport,
      env: Object.fromEntries(env),
      args: transport.args.filter(
        (arg, index, args) => !refersTo(arg) && !isOptionOf(arg, args[index + 1], refersTo),
      ),
    },
  }
}

/** Whether the argument is an option that the next one completes: alone it would take the argument after that. */
function isOptionOf(arg: string, next: string | undefined, refersTo: (value: Value) => boolean): boolean {
  return /^--?[A-Za-z][^=\s]*$/.test(arg) && next !== undefined && refersTo(next) && !next.startsWith('-')
}

function idsIn(value: Value): readonly string[] {
  if (typeof value !== 'string') return []
  return [...value.matchAll(/\$\{user_config\.([^}]+)\}/g)].flatMap(([, id]) => id ?? [])
}
