import { HostError, explain } from '../../../index.ts'
import type { Discovery, Explanation } from '../../../index.ts'
import { nearestNames } from '../../../config.ts'
import { discoverFor, leave, outputOf } from '../context.ts'
import type { Cli, CommonFlags, Scope } from '../context.ts'
import { drawProblems } from '../draw.ts'
import { drawExplanation } from '../explanation.ts'
import { isDamage, problemsInScope } from '../problems.ts'
import { isInScope } from '../scope.ts'
import { toExplanationJson } from '../why-json.ts'

/** Every declaration of a name, the one that counts, the reason, and how its values come out. Nothing is run. */
export async function why(cli: Cli, flags: CommonFlags, name: string): Promise<void> {
  const output = outputOf(cli, flags)
  const everything = await discoverFor(flags, { preview: true })
  const discovery = { ...everything, diagnostics: problemsInScope(everything, cli, flags) }
  const found = explain(discovery, name).flatMap((each) => narrow(each, flags.scope))
  if (found.length === 0) throw unknown(name, discovery, flags.scope)
  if (flags.json) output.result(found.map(toExplanationJson), () => '')
  else output.result(found, (all, canvas) => all.map((each) => drawExplanation(each, canvas)).join('\n\n'))
  const damage = everything.diagnostics.filter(isDamage)
  for (const line of drawProblems(damage, output.notes)) output.note(line)
  if (damage.length > 0) leave(cli, 'damaged')
  await output.flush()
}

/** With a scope: its declarations alone; one that counts and is of another scope is only named. */
function narrow(explanation: Explanation, scope: Scope | undefined): readonly Explanation[] {
  if (scope === undefined) return [explanation]
  const hidden = explanation.hidden.filter(({ server }) => isInScope(server, scope))
  const { winner, trust: _trust, resolved: _resolved, ...rest } = explanation
  if (winner === undefined || isInScope(winner, scope))
    return winner || hidden.length > 0 || rest.diagnostics.length > 0 ? [{ ...explanation, hidden }] : []
  const reason = `It does not count: ${winner.origin.file} (${winner.origin.scope}) declares the same name.`
  return hidden.length > 0 ? [{ ...rest, reason, hidden }] : []
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
