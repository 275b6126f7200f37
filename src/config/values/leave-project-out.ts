import { isAbsolute } from 'node:path'
import { reveal } from '../../model/resolved.ts'
import type { ResolvedTransport } from '../../model/resolved.ts'
import type { Server } from '../../model/server.ts'
import { needsTrust } from '../trust/trust-store.ts'
import type { ResolveContext } from './resolve-context.ts'

type Stdio = ResolvedTransport & { readonly kind: 'stdio' }

/** T51: changes a command so that it runs none of the project's programs, or refuses it. Most commands load no table for that. */
export async function leaveProjectOut(
  server: Server,
  transport: Stdio,
  context: ResolveContext,
): Promise<Stdio> {
  if (!mayFindProject(server, transport)) return transport
  const { lookUpOutside } = await import('./program-lookup.ts')
  return lookUpOutside(server, transport, context)
}

/** A line for a shell, as the command of a server would be. */
export function asShellCommand(line: string, env: Readonly<Record<string, string>>): Stdio {
  return { kind: 'stdio', framing: 'ndjson', command: 'sh', args: ['-c', line], env }
}

/** Programs that look other programs or modules up (`runners.ts`), programs that run others (`runner-words.ts`), and shells. */
const looksUp =
  /^(?:npx|npm|pnpm|pnpx|yarn|yarnpkg|corepack|bunx?|deno|uvx?|pipx|(?:python|pypy)[\w.-]*|py|[gb]?make|just|rake|env|cmd|nice|nohup|setsid|stdbuf|timeout|time|ionice|caffeinate|sudo|doas|flock|find|unshare|nsenter|taskset|prlimit|strace|ltrace|chrt|xargs|xvfb-run|su|script|watch|parallel|op|doppler|infisical|dotenvx?|chamber|aws-vault|envchain|mise|(?:ba|z|da|fi|[acokm]|tc)?sh|busybox|pwsh|powershell)(?:\.\w+)?$/i

/** T51: whether a server of a person or a managed one could find its program in the project. Cheap: it runs for every start. */
function mayFindProject(server: Server, transport: Stdio): boolean {
  const { authority } = server.origin
  if (authority !== 'user' && authority !== 'managed') return false
  if (needsTrust(server)) return false
  const command = reveal(transport.command)
  const name = lastPart(command)
  if (looksUp.test(name) || (name !== command && !isAbsolute(command))) return true
  // T130: any program may run the runner that one of its words is.
  if (transport.args.some((arg) => looksUp.test(lastPart(reveal(arg)).replace(/-cli\.js$/, '')))) return true
  return /^node(?:js)?(?:\.exe)?$/i.test(name) && transport.args.some((arg) => reveal(arg).startsWith('-'))
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
