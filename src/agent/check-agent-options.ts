import { HostError } from '../model/error.ts'
import type { AgentOptions } from './agent-options.ts'
import { schemaProblem } from './output-schema.ts'
import { defaultLimits } from './turn-limits.ts'

/** Throws `usage` for options of `createAgent` that would fail later, or be ignored. */
export function checkAgentOptions(given: AgentOptions): void {
  const options: Partial<AgentOptions> = given // a program in JavaScript may leave out anything
  const { host, asks, limits = {}, outputSchema, conversation, store } = options
  if (typeof host?.scope !== 'function') throw usage('The option host must be a host: await createHost().')
  if (asks !== undefined && asks !== 'writes' && asks !== 'rules')
    throw usage('The option asks must be "writes" or "rules".')
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name))
      throw usage(`There is no limit "${name}". The limits are ${Object.keys(defaultLimits).join(', ')}.`)
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      throw usage(`limits.${name} must be a number above 0; Infinity is no limit.`)
  }
  if (conversation !== undefined && !store)
    throw usage('The option conversation needs the store that has this conversation.')
  const problem = outputSchema && schemaProblem(outputSchema)
  if (problem) throw usage(`The schema of the output is not valid: ${problem}.`)
}

function usage(message: string): HostError {
  return new HostError('usage', {}, message)
}
