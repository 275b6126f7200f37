import { HostError, explain } from '../../../index.ts'
import type { Discovery, Explanation } from '../../../index.ts'
import { nearestNames } from '../../../config.ts'
import { discoverFor, leave, outputOf } from '../context.ts'
import type { Cli, CommonFlags, Scope } from '../context.ts'
import { drawExplanation } from '../explanation.ts'
import { isInScope } from '../scope.ts'
import { toExplanationJson } from '../why-json.ts'

/** Every declaration of a name, the one that counts, the reason, and how its values come out. Nothing is run. */
export async function why(cli: Cli, flags: CommonFlags, name: string): Promise<void> {
  const output = outputOf(cli, flags)
  const discovery = await discoverFor(flags, { preview: true })
  const found = explain(discovery, name).flatMap((each) => narrow(each, flags.scope))
  if (found.length === 0) throw unknown(name, discovery, flags.scope)
  if (flags.json) output.result(found.map(toExplanationJson), () => '')
  else output.result(found, (all, canvas) => all.map((each) => drawExplanation(each, canvas)).join('\n\n'))
  if (discovery.diagnostics.some(({ code }) => code === 'store-damaged')) leave(cli, 'damaged')
  await output.flush()
}

/** With a scope: its declarations, and the one that counts if it is another. */
function narrow(explanation: Explanation, scope: Scope | undefined): readonly Explanation[] {
  if (scope === undefined) return [explanation]
  const hidden = explanation.hidden.filter(({ server }) => isInScope(server, scope))
  const counts = explanation.winner !== undefined && isInScope(explanation.winner, scope)
  return counts || hidden.length > 0 ? [{ ...explanation, hidden }] : []
}

function unknown(name: string, { servers }: Discovery, scope: Scope | undefined): HostError {
  const near = nearestNames(
    name,
    servers.filter((server) => isInScope(server, scope)).map((server) => server.name),
  )
  const where = scope === undefined ? 'here' : `in the ${scope}’s files`
  return new HostError(
    'server.unknown',
    { server: name, near },
    `No server "${name}" is declared ${where}.`,
    {
      hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list',
    },
  )
}
